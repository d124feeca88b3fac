import { basename } from "node:path";
import type { Llama, LlamaContext, LlamaModel } from "node-llama-cpp";
import { EngineError } from "../errors.ts";
import type { DispatchGate } from "./dispatch-gate.ts";
import { messageOf, type NodeLlama } from "./node-llama.ts";
import type { LlamaEngineOptions } from "./options.ts";

/** Keeps llama.cpp's last error lines for messages; nothing of its log is printed. */
export class ErrorLog {
  readonly #lines: string[] = [];

  readonly add = (_level: unknown, message: string): void => {
    this.#lines.push(message.trim());
    if (this.#lines.length > 3) this.#lines.shift();
  };

  /** The lines, for the end of a one-line message. They come a turn later than the failure that they explain. */
  async tail(): Promise<string> {
    await new Promise((resolve) => setImmediate(resolve));
    const lines = this.#lines.splice(0).join("; ").replaceAll(/\s+/gu, " ");
    return lines === "" ? "" : ` (${lines})`;
  }
}

/** @throws {EngineError} `ENGINE_NOT_INSTALLED`, `ENGINE_FAILED` */
export async function startLlama(
  nodeLlama: NodeLlama,
  log: ErrorLog,
  gpu: NonNullable<LlamaEngineOptions["gpu"]>,
): Promise<Llama> {
  try {
    return await nodeLlama.getLlama({
      gpu,
      build: "never",
      skipDownload: true,
      progressLogs: false,
      logLevel: nodeLlama.LlamaLogLevel.error,
      logger: log.add,
      // no limit across contexts: the engine evaluates one context at a time, each with the threads asked for
      maxThreads: 0,
    });
  } catch (cause) {
    if (cause instanceof nodeLlama.NoBinaryFoundError) {
      throw new EngineError(
        "ENGINE_NOT_INSTALLED",
        `node-llama-cpp has no ${gpu === false ? "" : `${gpu} `}binary that works here ` +
          `(${process.platform}-${process.arch}): install its optional dependency for the platform` +
          (gpu === false ? "" : " and the GPU's driver") +
          ", or build it with `npx node-llama-cpp source download`; " +
          "`npx node-llama-cpp inspect gpu` tells what is missing",
        { cause },
      );
    }
    const message = `llama.cpp does not start: ${messageOf(cause)}${await log.tail()}`;
    throw new EngineError("ENGINE_FAILED", message, { cause });
  }
}

/** @throws {EngineError} `ENGINE_MODEL_INVALID`; the signal's reason when it aborts */
export async function loadModel(
  llama: Llama,
  log: ErrorLog,
  role: string,
  path: string,
  onLoadProgress: (fraction: number) => void,
  signal: AbortSignal | undefined,
  { vocabOnly = false }: { readonly vocabOnly?: boolean } = {},
): Promise<LlamaModel> {
  try {
    return await llama.loadModel({
      modelPath: path,
      vocabOnly,
      onLoadProgress,
      ...(signal === undefined ? {} : { loadSignal: signal }),
    });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new EngineError(
      "ENGINE_MODEL_INVALID",
      `${role} ${basename(path)} cannot be loaded, because it is damaged, cut off or of a kind that llama.cpp does not know: ` +
        `${messageOf(cause)}${await log.tail()}`,
      { cause },
    );
  }
}

/** @throws {EngineError} `ENGINE_FAILED`; the signal's reason when it aborts */
export async function createContext(
  log: ErrorLog,
  model: LlamaModel,
  numbers: { slots: number; contextSize: number; batchSize: number; threads: number },
  gate: DispatchGate | null,
  signal: AbortSignal | undefined,
): Promise<LlamaContext> {
  const { slots, contextSize, batchSize, threads } = numbers;
  try {
    return await model.createContext({
      sequences: slots,
      contextSize,
      batchSize,
      threads,
      // the state of any token can be dropped again, also with sliding-window attention
      swaFullCache: true,
      // sequences stay in the order of the slots: evaluation-groups.ts says why
      batching: {
        itemPrioritizationStrategy: "firstInFirstOut",
        ...(gate === null ? {} : { dispatchSchedule: gate.schedule }),
      },
      ...(signal === undefined ? {} : { createSignal: signal }),
    });
  } catch (cause) {
    signal?.throwIfAborted();
    throw new EngineError(
      "ENGINE_FAILED",
      `no context of ${slots} slots with ${contextSize} tokens each: ${messageOf(cause)}${await log.tail()}` +
        " (ask for fewer slots or a smaller contextSize)",
      { cause },
    );
  }
}
