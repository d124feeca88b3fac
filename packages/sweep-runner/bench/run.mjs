// node bench/run.mjs NAME [ARGUMENTS]: builds a bench and the workers that it starts from the sources, and runs it.
import { spawn } from "node:child_process";
import { copyFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import path from "node:path";
import { build } from "esbuild";

const folder = fileURLToPath(new URL("..", import.meta.url));
const cache = path.join(folder, "node_modules", ".cache", "onpar-bench");
const out = path.join(cache, "dist");
const app = path.join(folder, "../../apps/bench");
const [name = "capacity", ...args] = process.argv.slice(2);

await build({
  entryPoints: {
    [name]: path.join(folder, "bench", `${name}.ts`),
    "worker-main": path.join(folder, "src/workers/worker-main.ts"),
    // The report of a records file is the command line's.
    ...(name === "records" ? { onpar: path.join(app, "src/main.ts") } : {}),
    "timetable-main": path.join(folder, "src/selftest/timetable-main.ts"),
  },
  outdir: out,
  outExtension: { ".js": ".js" },
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  conditions: ["@onpar/source"],
  external: ["undici", "node-llama-cpp", "@onpar/vllm-addon", "@resvg/resvg-js"],
  banner: {
    js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
  },
  logLevel: "error",
});
copyFileSync(path.join(app, "package.json"), path.join(cache, "package.json"));
const child = spawn(process.execPath, ["--expose-gc", path.join(out, `${name}.js`), ...args], {
  stdio: "inherit",
});
process.on("SIGINT", () => {});
child.on("exit", (code) => {
  process.exitCode = code ?? 1;
});
