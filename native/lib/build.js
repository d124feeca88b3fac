// What is built, and of what.
import { existsSync, mkdirSync, readdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { addonPath } from "./index.js";
import { buildShared, findCompiler, headerFolders } from "./compile.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Builds the addon for this platform into prebuilds/. Null without a compiler; else whether anything was built. */
export async function buildAddon({ compiler = findCompiler(), target = addonPath(), flags = [] } = {}) {
  if (compiler === null) return null;
  const folder = path.join(root, "src");
  const files = readdirSync(folder).map((name) => path.join(folder, name));
  mkdirSync(path.dirname(target), { recursive: true });
  return buildShared({
    compiler,
    sources: files.filter((file) => file.endsWith(".cc")),
    inputs: files.filter((file) => file.endsWith(".h")),
    flags: [
      "-O2",
      "-Wall",
      "-Wextra",
      "-fvisibility=hidden",
      "-DNAPI_VERSION=8",
      "-DNAPI_CPP_EXCEPTIONS",
      // A thread that is being ended takes no exceptions any more: nobody could catch them.
      "-DNODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS",
      ...headerFolders().map((include) => `-isystem${include}`),
      ...flags,
    ],
    linkFlags: ["-pthread", ...(process.platform === "linux" ? ["-ldl"] : []), ...flags],
    target,
  });
}

/** The libraries that tests open: the ABI at several versions, and such as cannot be used. */
export const testLibraries = {
  abi5: { abi: 5 },
  abi12: { abi: 12 },
  abi25: { abi: 25 },
  abi30: { abi: 30 },
  // Says that it is older or newer than it is.
  tooOld: { abi: 5, defines: ["TEST_REPORTED_ABI=4"] },
  newer: { abi: 30, defines: ["TEST_REPORTED_ABI=37"] },
  withoutSubmit: { abi: 30, defines: ["TEST_WITHOUT_SUBMIT"] },
  // A shared library that has nothing to do with it.
  foreign: { abi: 30, defines: ["TEST_FOREIGN"] },
};

/** Where a test library is, or will be. */
export function testLibraryPath(name, folder = path.join(root, "build")) {
  return path.join(folder, `${name}-${process.platform}-${process.arch}`, "libvllm.so");
}

/** Builds the test engine in every version. Null without a compiler. */
export async function buildTestLibraries({
  compiler = findCompiler(),
  flags = [],
  folder = path.join(root, "build"),
  names = Object.keys(testLibraries),
} = {}) {
  const source = path.join(root, "test-engine");
  if (compiler === null || !existsSync(source)) return null;
  const files = readdirSync(source).map((name) => path.join(source, name));
  let built = false;
  for (const name of names) {
    const { abi, defines = [] } = testLibraries[name];
    const target = testLibraryPath(name, folder);
    mkdirSync(path.dirname(target), { recursive: true });
    const did = await buildShared({
      compiler,
      sources: files.filter((file) => file.endsWith(".c")),
      inputs: files.filter((file) => file.endsWith(".h")),
      flags: [
        "-O2",
        "-Wall",
        "-Wextra",
        "-fvisibility=hidden",
        `-DTEST_ABI=${abi}`,
        ...defines.map((define) => `-D${define}`),
        ...flags,
      ],
      linkFlags: ["-pthread", ...flags],
      target,
    });
    built ||= did;
  }
  return built;
}
