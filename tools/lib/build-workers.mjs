// Workers start from a file of their own. Tests run from the sources, so that file is built beside its source before they
// start; a built package has it in dist/. Vitest runs this as a global setup.
import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const packages = fileURLToPath(new URL("../../packages/", import.meta.url));
const entries = [
  "sweep-runner/src/workers/worker-main",
  "sweep-runner/src/selftest/timetable-main",
  "engine-binding/src/llama/host/llama-thread",
];

export async function setup() {
  for (const entry of entries) {
    const target = path.join(packages, `${entry}.js`);
    // Several test runs may build at the same time: each takes a file of its own, and the last one stays.
    const own = `${target}.${process.pid}.js`;
    try {
      await build({
        entryPoints: [path.join(packages, `${entry}.ts`)],
        outfile: own,
        bundle: true,
        format: "esm",
        platform: "node",
        target: "node20",
        conditions: ["@onpar/source"],
        external: ["undici", "zod", "node-llama-cpp"],
        sourcemap: "inline",
        logLevel: "error",
      });
      await rename(own, target);
    } finally {
      await rm(own, { force: true });
    }
  }
}
