// Builds with the machine's own C++ compiler and nothing else: the headers come with the package's dependencies.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(import.meta.url);

/** The first C++ compiler that answers: `$CXX`, then the usual names; null when there is none. */
export function findCompiler(environment = process.env) {
  const named = environment["CXX"] === undefined || environment["CXX"] === "" ? [] : [environment["CXX"]];
  for (const name of [...named, "c++", "g++", "clang++"]) {
    const [command, ...args] = name.split(" ");
    const answer = spawnSync(command, [...args, "--version"], { encoding: "utf8" });
    if (answer.status === 0) return { command, args, version: answer.stdout.split("\n")[0] };
  }
  return null;
}

/** Folders of Node's and node-addon-api's headers. */
export function headerFolders() {
  return [require("node-api-headers").include_dir, require("node-addon-api").include_dir];
}

/**
 * Makes a shared library of sources, unless the one that is there was made of exactly these files with these flags.
 * Objects are compiled two at a time; the result appears at once, so that nobody loads half of it.
 *
 * @returns whether anything was built
 */
export async function buildShared({ compiler, sources, inputs, flags, linkFlags, target }) {
  const hash = createHash("sha256").update(JSON.stringify([compiler, flags, linkFlags, process.platform]));
  for (const file of [...sources, ...inputs].toSorted((a, b) => (a < b ? -1 : 1)))
    hash.update(file).update(readFileSync(file));
  const stamp = hash.digest("hex");
  const stampFile = `${target}.stamp`;
  if (existsSync(target) && existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp) return false;

  // Several builds may run at the same time: each in a folder of its own, and the last one stays.
  const work = `${target}.${process.pid}`;
  mkdirSync(work, { recursive: true });
  try {
    const objects = sources.map((source, index) => ({ source, object: path.join(work, `${index}.o`) }));
    const queue = [...objects];
    const compile = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const language = next.source.endsWith(".c") ? ["-x", "c"] : ["-std=c++17"];
        await run(compiler, [...flags, ...language, "-fPIC", "-c", next.source, "-o", next.object]);
      }
    };
    await Promise.all([compile(), compile()]);
    const shared = process.platform === "darwin" ? ["-bundle", "-undefined", "dynamic_lookup"] : ["-shared"];
    const product = path.join(work, path.basename(target));
    await run(compiler, [...objects.map(({ object }) => object), ...shared, ...linkFlags, "-o", product]);
    renameSync(product, target);
    writeFileSync(stampFile, stamp);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return true;
}

function run({ command, args: first }, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...first, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    }
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(" ")} ended with ${code}:\n${output}`));
    });
  });
}
