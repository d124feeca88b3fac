import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

export class AddonMissing extends Error {
  code = "ADDON_MISSING";
  name = "AddonMissing";
}

export function addonPath() {
  return path.join(root, "prebuilds", `${process.platform}-${process.arch}`, "node.napi.node");
}

export function loadAddon() {
  const file = addonPath();
  if (!existsSync(file)) {
    throw new AddonMissing(
      `@onpar/vllm-addon has no build for ${process.platform}-${process.arch}: ` +
        "build it with npx onpar-vllm-addon (it needs a C++17 compiler and nothing else)",
    );
  }
  return createRequire(import.meta.url)(file);
}
