#!/usr/bin/env node
// onpar-vllm-addon: builds the addon for this machine. With --if-possible a machine without a compiler is no failure;
// with --tests the test engine is built as well.
import { buildAddon, buildTestLibraries } from "../lib/build.js";
import { addonPath } from "../lib/index.js";

const args = process.argv.slice(2);
const unknown = args.find((arg) => !["--if-possible", "--tests"].includes(arg));
if (unknown !== undefined) {
  console.error(`onpar-vllm-addon: unknown argument ${unknown} (there are --if-possible and --tests)`);
  process.exit(2);
}
try {
  const built = await buildAddon();
  if (built === null) {
    console.error("onpar-vllm-addon: no C++ compiler (c++, g++ or clang++) was found, and CXX names none");
    process.exitCode = args.includes("--if-possible") ? 0 : 1;
  } else {
    console.log(`${built ? "built" : "is built"}: ${addonPath()}`);
    if (args.includes("--tests")) await buildTestLibraries();
  }
} catch (error) {
  console.error(`onpar-vllm-addon: ${error.message}`);
  process.exitCode = 1;
}
