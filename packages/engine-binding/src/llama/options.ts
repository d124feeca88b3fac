import { open, stat } from "node:fs/promises";
import { EngineError } from "../errors.ts";
import { kindOf } from "../request-kinds.ts";

/** What `loadLlamaEngine` takes. */
export interface LlamaEngineOptions {
  /** Path of the model, a GGUF file. */
  readonly modelPath: string;
  /** Path of a smaller model with the same vocabulary, for speculative decoding. */
  readonly draftModelPath?: string | undefined;
  /** Drafts by prompt lookup instead of a draft model: what followed the last tokens where they stood before. */
  readonly promptLookup?: boolean | undefined;
  /** K: the most tokens drafted in one step. Default: 5. */
  readonly draftTokens?: number | undefined;
  /**
   * `fixed` drafts K tokens wherever K can be used. `adaptive` measures at load what drafting and verifying cost, and
   * drafts as many tokens, down to none, as the acceptance seen so far pays for. Default: fixed.
   */
  readonly draftLength?: "fixed" | "adaptive" | undefined;
  /** Requests that decode at the same time. Default: 1. */
  readonly slots?: number | undefined;
  /**
   * Tokens that one request may use, prompt and output together; each slot has that much. Default: what the model was
   * trained for, at most 8192.
   */
  readonly contextSize?: number | undefined;
  /** Threads that one evaluation uses; `auto` measures at load which count decodes fastest. Default: 1. */
  readonly threads?: number | "auto" | undefined;
  /** Tokens that one evaluation may take, prompts included. Default: 512. */
  readonly batchSize?: number | undefined;
  /**
   * Where the model runs: on the CPU, or on a GPU that node-llama-cpp has a build for on this machine (its optional
   * dependencies for the platform bring them). Default: false.
   */
  readonly gpu?: "auto" | "cuda" | "vulkan" | "metal" | false | undefined;
  /**
   * Most memory that models and contexts may take, bytes, by an estimate made before anything is loaded. Default: what
   * the machine, or the container, has free.
   */
  readonly memoryLimitBytes?: number | undefined;
  /** Called with the part that is loaded, 0 to 1. */
  readonly onLoadProgress?: ((fraction: number) => void) | undefined;
  /** Ends loading; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The numbers among the options, with their defaults. */
export interface LlamaEngineNumbers {
  readonly draftTokens: number;
  readonly slots: number;
  readonly contextSize: number | null;
  readonly threads: number | "auto";
  readonly batchSize: number;
}

/** @throws {EngineError} `ENGINE_INVALID_OPTIONS` */
export function checkNumbers(options: LlamaEngineOptions): LlamaEngineNumbers {
  oneOf("draftLength", options.draftLength, ["fixed", "adaptive"]);
  oneOf("gpu", options.gpu, ["auto", "cuda", "vulkan", "metal", false]);
  const { memoryLimitBytes } = options;
  if (memoryLimitBytes !== undefined && !(typeof memoryLimitBytes === "number" && memoryLimitBytes >= 0)) {
    throw new EngineError(
      "ENGINE_INVALID_OPTIONS",
      `memoryLimitBytes must be a number of bytes, got ${String(memoryLimitBytes)}`,
    );
  }
  if (options.promptLookup === true && options.draftModelPath !== undefined) {
    throw new EngineError(
      "ENGINE_INVALID_OPTIONS",
      "draftModelPath and promptLookup both say where drafts come from: give one of them",
    );
  }
  return {
    draftTokens: integer("draftTokens", options.draftTokens ?? 5, 1, 64),
    slots: integer("slots", options.slots ?? 1, 1, 256),
    contextSize:
      options.contextSize === undefined ? null : integer("contextSize", options.contextSize, 2, 2 ** 24),
    threads: options.threads === "auto" ? "auto" : integer("threads", options.threads ?? 1, 1, 1024),
    batchSize: integer("batchSize", options.batchSize ?? 512, 1, 65_536),
  };
}

/** Callers without types may give anything, and llama.cpp would run by its own choice. */
function oneOf(name: string, value: unknown, allowed: readonly unknown[]): void {
  if (value === undefined || allowed.includes(value)) return;
  throw new EngineError(
    "ENGINE_INVALID_OPTIONS",
    `${name} must be one of ${allowed.join(", ")}, got ${kindOf(value)}`,
  );
}

function integer(name: string, value: number, lowest: number, highest: number): number {
  if (!Number.isSafeInteger(value) || value < lowest || value > highest) {
    throw new EngineError(
      "ENGINE_INVALID_OPTIONS",
      `${name} must be an integer from ${lowest} to ${highest}, got ${String(value)}`,
    );
  }
  return value;
}

/**
 * Looks whether a path is a GGUF file, before the engine does: its own messages do not name the file.
 *
 * @param role for the message, for example `draft model`
 * @returns the size of the file in bytes
 * @throws {EngineError} `ENGINE_MODEL_NOT_FOUND`, `ENGINE_MODEL_INVALID`
 */
export async function checkModelFile(role: string, path: string): Promise<number> {
  if (typeof path !== "string" || path === "") {
    throw new EngineError(
      "ENGINE_MODEL_NOT_FOUND",
      `${role}: give the path of a GGUF file, got ${kindOf(path)}`,
    );
  }
  const info = await stat(path).catch((cause: unknown) => {
    throw new EngineError("ENGINE_MODEL_NOT_FOUND", `${role} not found: ${path}`, { cause });
  });
  if (!info.isFile()) {
    throw new EngineError(
      "ENGINE_MODEL_INVALID",
      `${role} is not a file: ${path} (give the path of a GGUF file)`,
    );
  }
  const file = await open(path, "r").catch((cause: unknown) => {
    throw new EngineError("ENGINE_MODEL_INVALID", `${role} cannot be read: ${path}`, { cause });
  });
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    if (bytesRead < 4 || buffer.toString("latin1") !== "GGUF") {
      throw new EngineError(
        "ENGINE_MODEL_INVALID",
        `${role} is not a GGUF file: ${path} (it does not begin with "GGUF")`,
      );
    }
  } finally {
    await file.close();
  }
  return info.size;
}
