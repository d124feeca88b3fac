// pnpm at the exact version that package.json names, installed with npm into a folder of the repository, so that a
// machine needs Node and npm and nothing else.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { root, run } from "./run.mjs";

const home = path.join(root, ".onpar", "pnpm");

/** Path of the pnpm executable, installed when it is not there yet. */
export async function pnpmPath() {
  const { packageManager } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  const version = packageManager.split("@")[1];
  const manifest = path.join(home, "node_modules", "pnpm", "package.json");
  const installed = existsSync(manifest) ? JSON.parse(readFileSync(manifest, "utf8")).version : null;
  if (installed !== version) {
    mkdirSync(home, { recursive: true });
    writeFileSync(path.join(home, "package.json"), '{ "private": true }\n');
    await run(npm(), [
      "install",
      "--prefix",
      home,
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
      `pnpm@${version}`,
    ]);
  }
  return path.join(home, "node_modules", ".bin", process.platform === "win32" ? "pnpm.cmd" : "pnpm");
}

function npm() {
  return process.platform === "win32" ? "npm.cmd" : "npm";
}
