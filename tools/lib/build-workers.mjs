// Workers start from a file of their own. Tests run from the sources, so that file is built beside its source before they
// start; a built package has it in dist/. Vitest runs this as a global setup.
import { rename, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const runner = fileURLToPath(new URL("../../packages/sweep-runner/src/", import.meta.url));
const entries = ["workers/worker-main", "selftest/timetable-main"];

export async function setup() {
  for (const entry of entries) {
    const target = path.join(runner, `${entry}.js`);
    // Several test runs may build at the same time: each takes a file of its own, and the last one stays.
    const own = `${target}.${process.pid}.js`;
    try {
      await build({
        entryPoints: [path.join(runner, `${entry}.ts`)],
        outfile: own,
        bundle: true,
        format: "esm",
        platform: "node",
        target: "node20",
        conditions: ["@onpar/source"],
        external: ["undici", "zod"],
        sourcemap: "inline",
        logLevel: "error",
      });
      await rename(own, target);
    } finally {
      await rm(own, { force: true });
    }
  }
}
