import { EngineError } from "../errors.ts";

/** The addon's package, as it is loaded on demand. */
export type AddonPackage = typeof import("@onpar/vllm-addon");

export const ADDON_PACKAGE = "@onpar/vllm-addon";

/**
 * Loads the addon, which is an optional peer: only those who run libvllm in process need it.
 *
 * @throws {EngineError} `ENGINE_NOT_INSTALLED`, saying what to install
 */
export async function importAddon(
  load: () => Promise<AddonPackage> = () => import("@onpar/vllm-addon"),
): Promise<import("@onpar/vllm-addon").VllmAddon> {
  try {
    return (await load()).loadAddon();
  } catch (cause) {
    throw new EngineError("ENGINE_NOT_INSTALLED", complaint(cause), { cause });
  }
}

function complaint(cause: unknown): string {
  const code = cause instanceof Error && "code" in cause ? cause.code : null;
  if (code === "ERR_MODULE_NOT_FOUND") {
    return `the vLLM engine needs the package ${ADDON_PACKAGE}: npm install ${ADDON_PACKAGE} (with -g beside a command that was installed with -g)`;
  }
  const message = cause instanceof Error ? cause.message : String(cause);
  return code === "ADDON_MISSING"
    ? message
    : `${ADDON_PACKAGE} is installed but cannot be loaded: ${message}`;
}
