// Proves that the onpar command needs no engine to bench a server: packs apps/bench and the packages that it depends on,
// installs the tarballs with npm, globally under a folder of their own, as `npm install -g` does, and runs the command there
// against an onpar-server of this workspace. Nothing of node-llama-cpp, of the addon or of a GPU may be installed with it, and
// asking for an engine that is missing must say in one line what to install.
//
//   node tools/fresh-project/bench.mjs
//
// The workspace must be built.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pnpmPath } from "../lib/pnpm.mjs";
import { capture, root } from "../lib/run.mjs";

const prefix = mkdtempSync(path.join(tmpdir(), "onpar-fresh-"));
const command = path.join(prefix, "bin", "onpar");
const globals = path.join(prefix, "lib", "node_modules");

async function must(program, args, options) {
  const { code, output } = await capture(program, args, options);
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${code}:\n${output}`);
  return output;
}

function expectThat(holds, what) {
  if (!holds) throw new Error(what);
  console.log(`holds: ${what}`);
}

/** Folders of apps/bench and of every workspace package that it depends on, near or far. */
function neededFolders() {
  const folderOf = new Map();
  for (const parent of ["packages", "apps"]) {
    for (const name of readdirSync(path.join(root, parent))) {
      const folder = path.join(root, parent, name);
      folderOf.set(manifestOf(folder).name, folder);
    }
  }
  const needed = new Set();
  const add = (name) => {
    const folder = folderOf.get(name);
    if (folder === undefined || needed.has(folder)) return;
    needed.add(folder);
    for (const dependency of Object.keys(manifestOf(folder).dependencies ?? {})) add(dependency);
  };
  add("@onpar/bench");
  return [...needed];
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
}

async function installTarballs() {
  const packed = path.join(prefix, "tarballs");
  for (const folder of neededFolders()) {
    await must(await pnpmPath(), ["pack", "--pack-destination", packed], { cwd: folder });
  }
  const tarballs = readdirSync(packed).map((name) => path.join(packed, name));
  await must("npm", ["install", "-g", "--prefix", prefix, "--no-audit", "--no-fund", ...tarballs], {
    cwd: prefix,
  });
}

/** Names of all packages that were installed, at any depth. */
function installedPackages(folder = globals) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory() || entry.name.startsWith(".")) return [];
    const inner = path.join(folder, entry.name);
    if (entry.name.startsWith("@")) {
      return readdirSync(inner).flatMap((name) => [
        `${entry.name}/${name}`,
        ...nested(path.join(inner, name)),
      ]);
    }
    return [entry.name, ...nested(inner)];
  });
}

function nested(folder) {
  const modules = path.join(folder, "node_modules");
  return statSync(modules, { throwIfNoEntry: false }) === undefined ? [] : installedPackages(modules);
}

/** An onpar-server of this workspace, on a port of its own. */
async function startServer() {
  const main = path.join(root, "apps", "server", "bin", "onpar-server.js");
  const args = [main, "--port", "0", "--ctx", "512", "--slots", "2"];
  const server = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const url = await new Promise((resolve, reject) => {
    let output = "";
    server.stdout.setEncoding("utf8").on("data", (text) => {
      output += text;
      const found = /ready on (\S+)/u.exec(output);
      if (found !== null) resolve(found[1]);
    });
    server.once("exit", () => reject(new Error("onpar-server ended at its start")));
  });
  return { url, end: () => server.kill("SIGTERM") };
}

async function benchOverHttp() {
  const server = await startServer();
  try {
    const args = ["run", "--base-url", server.url, "--num-prompts", "4", "--concurrency", "2"];
    args.push("--input-len", "32", "--output-len", "16", "--quiet", "--json");
    const { summary } = JSON.parse(await must(command, args, { cwd: prefix }));
    expectThat(summary.counts.ok === 4, "the command benches a server over HTTP: 4 of 4 requests ended well");
    const { rate } = summary.acceptance;
    expectThat(rate > 0, `it reads the server's acceptance: ${(100 * rate).toFixed(1)} %`);
  } finally {
    server.end();
  }
}

async function refusal(args, needed) {
  const { code, output } = await capture(command, args, { cwd: prefix });
  const lines = output.trim().split("\n");
  expectThat(code !== 0 && lines.length === 1, `${args.slice(0, 3).join(" ")} is refused in one line`);
  expectThat(lines[0].includes(`npm install ${needed}`), `the line says what to install: ${lines[0]}`);
}

try {
  await installTarballs();
  const installed = installedPackages();
  console.log(`installed: ${installed.length} packages`);
  const engines = installed.filter((name) => /llama|vllm-addon|cuda|vulkan/u.test(name));
  expectThat(
    engines.length === 0,
    `no engine and nothing for a GPU is installed${engines.length > 0 ? `: ${engines.join(", ")}` : ""}`,
  );
  const version = await must(command, ["--version"], { cwd: prefix });
  expectThat(/^\d+\.\d+\.\d+\n$/u.test(version), `onpar --version prints ${version.trim()}`);
  await benchOverHttp();
  writeFileSync(path.join(prefix, "model.gguf"), "GGUF");
  await refusal(["run", "--engine", "llama", "--model", "model.gguf"], "node-llama-cpp@");
  await refusal(["run", "--engine", "vllm", "--lib", "libvllm.so", "--model", prefix], "@onpar/vllm-addon");
} finally {
  rmSync(prefix, { recursive: true, force: true });
}
