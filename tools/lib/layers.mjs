// The arrows between packages (ARCHITECTURE.md): each folder may depend on the ones listed for it and no others.
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { root } from "./run.mjs";
import { workspaceFolders } from "./prepare.mjs";

const allowed = {
  "@onpar/bench-config": [],
  "@onpar/chat-render": [],
  "@onpar/metrics-client": [],
  "@onpar/engine-binding": [],
  "@onpar/demo-model": [],
  "@onpar/vllm-addon": [],
  "@onpar/sweep-runner": [
    "@onpar/bench-config",
    "@onpar/chat-render",
    "@onpar/engine-binding",
    "@onpar/metrics-client",
  ],
  "@onpar/bench-report": ["@onpar/bench-config", "@onpar/metrics-client", "@onpar/sweep-runner"],
  "@onpar/bench": [
    "@onpar/bench-config",
    "@onpar/bench-report",
    "@onpar/chat-render",
    "@onpar/demo-model",
    "@onpar/engine-binding",
    "@onpar/metrics-client",
    "@onpar/sweep-runner",
  ],
  "@onpar/server": [
    "@onpar/chat-render",
    "@onpar/demo-model",
    "@onpar/engine-binding",
    "@onpar/metrics-client",
  ],
};

/** Complaints about dependencies that point the wrong way and imports that reach into another package; null if none. */
export function checkLayers() {
  const complaints = [];
  for (const folder of workspaceFolders().filter((name) => !name.startsWith("tests"))) {
    const manifest = JSON.parse(readFileSync(path.join(root, folder, "package.json"), "utf8"));
    const may = allowed[manifest.name];
    if (may === undefined) {
      complaints.push(`${manifest.name} is not in tools/lib/layers.mjs`);
      continue;
    }
    for (const dependency of Object.keys(manifest.dependencies ?? {}).filter((name) =>
      name.startsWith("@onpar/"),
    )) {
      if (!may.includes(dependency)) complaints.push(`${manifest.name} may not depend on ${dependency}`);
    }
    for (const file of sources(path.join(root, folder, "src"))) {
      for (const [, from] of readFileSync(file, "utf8").matchAll(/\bfrom\s+"([^"]+)"/g)) {
        const outside =
          from.startsWith(".") && !path.resolve(path.dirname(file), from).startsWith(path.join(root, folder));
        const deep = /^@onpar\/[^/]+\/(src|dist)\b/.test(from);
        if (outside || deep)
          complaints.push(`${path.relative(root, file)} reaches into another package: ${from}`);
      }
    }
  }
  return complaints.length === 0 ? null : complaints.join("\n");
}

function sources(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}
