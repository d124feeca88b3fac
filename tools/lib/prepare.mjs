// Everything a fresh clone needs before it can run: pnpm, the dependencies, the build. Each step is skipped when it
// was done for exactly these files, so that later runs are quick and work offline.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pnpmPath } from "./pnpm.mjs";
import { root, run } from "./run.mjs";

const stampFile = path.join(root, ".onpar", "install-stamp");

/** Installs what the lockfile names and builds every package. */
export async function prepare() {
  requireNode20();
  await installDependencies();
  const turbo = path.join(root, "node_modules", ".bin", "turbo");
  await run(turbo, ["run", "build", "--output-logs=errors-only", "--concurrency=2"], {
    env: {
      // turbo runs the packages' scripts through the package manager, which it looks for on the path.
      PATH: [path.dirname(await pnpmPath()), process.env.PATH].join(path.delimiter),
      TURBO_TELEMETRY_DISABLED: "1",
      TURBO_NO_UPDATE_NOTIFIER: "1",
    },
  });
}

async function installDependencies() {
  const stamp = manifestsHash();
  const done = existsSync(stampFile) && readFileSync(stampFile, "utf8") === stamp;
  if (done && existsSync(path.join(root, "node_modules", ".bin", "turbo"))) return;
  const pnpm = await pnpmPath();
  await run(pnpm, ["install", "--frozen-lockfile", "--reporter=append-only"]);
  mkdirSync(path.dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, stamp);
}

/** sha256 over every file that decides what is installed. */
function manifestsHash() {
  const hash = createHash("sha256").update(`${process.version} ${process.platform} ${process.arch}\n`);
  for (const file of manifests()) hash.update(file).update(readFileSync(path.join(root, file)));
  return hash.digest("hex");
}

/** The workspace's folders, as pnpm-workspace.yaml lists them. */
export function workspaceFolders() {
  const grouped = ["packages", "apps", "tests"].flatMap((parent) =>
    readdirSync(path.join(root, parent), { withFileTypes: true })
      .filter(
        (entry) => entry.isDirectory() && existsSync(path.join(root, parent, entry.name, "package.json")),
      )
      .map((entry) => path.join(parent, entry.name)),
  );
  return [...grouped, "native"];
}

function manifests() {
  return [
    "package.json",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    ...workspaceFolders().map((folder) => path.join(folder, "package.json")),
  ];
}

function requireNode20() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new Error(`Onpar needs Node 20.19 or newer; this is ${process.version}`);
}
