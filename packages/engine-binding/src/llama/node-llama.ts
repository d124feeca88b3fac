import { EngineError } from "../errors.ts";

/** The module, as it is loaded on demand. */
export type NodeLlama = typeof import("node-llama-cpp");

/** The version this adapter is written for and tested with. */
export const NODE_LLAMA_VERSION = "3.21.1";

/**
 * Loads node-llama-cpp, which is an optional peer: only those who run a model in process need it.
 *
 * @throws {EngineError} `ENGINE_NOT_INSTALLED`, saying what to install
 */
export async function importNodeLlama(
  load: () => Promise<NodeLlama> = () => import("node-llama-cpp"),
): Promise<NodeLlama> {
  try {
    return await load();
  } catch (cause) {
    const missing = cause instanceof Error && "code" in cause && cause.code === "ERR_MODULE_NOT_FOUND";
    throw new EngineError(
      "ENGINE_NOT_INSTALLED",
      missing
        ? `the llama.cpp engine needs the package node-llama-cpp: npm install node-llama-cpp@${NODE_LLAMA_VERSION} (with -g beside a command that was installed with -g)`
        : `node-llama-cpp is installed but cannot be loaded: ${messageOf(cause)}`,
      { cause },
    );
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
