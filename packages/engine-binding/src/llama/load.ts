import type { Engine } from "../engine.ts";
import { CounterBoard } from "./host/counter-board.ts";
import { EngineThread } from "./host/engine-thread.ts";
import { loadVocabulary } from "./gguf-tokenizer.ts";
import { HostedEngine } from "./host/hosted-engine.ts";
import { importNodeLlama } from "./node-llama.ts";
import { checkModelFile, checkNumbers, type LlamaEngineOptions } from "./options.ts";

/**
 * Loads a GGUF model, and a draft for it, with llama.cpp, in a thread of its own. The package `node-llama-cpp` is loaded
 * here and not before.
 *
 * @throws {EngineError} `ENGINE_NOT_INSTALLED`, `ENGINE_MODEL_NOT_FOUND`, `ENGINE_MODEL_INVALID`,
 * `ENGINE_INVALID_OPTIONS` (numbers out of range, a draft with another vocabulary), `ENGINE_OUT_OF_MEMORY`,
 * `ENGINE_FAILED`; the signal's reason when it aborts
 */
export async function loadLlamaEngine(options: LlamaEngineOptions): Promise<Engine> {
  const { onLoadProgress, signal, ...threadOptions } = options;
  checkNumbers(options);
  await checkModelFile("model", options.modelPath);
  if (options.draftModelPath !== undefined) await checkModelFile("draft model", options.draftModelPath);
  signal?.throwIfAborted();
  // a missing package is told before a thread is started for it
  await importNodeLlama();

  const thread = new EngineThread(threadOptions);
  const { info, appendedEosTokenId, board } = await thread.loaded(onLoadProgress, signal);
  try {
    const engine = new HostedEngine(thread, {
      info,
      board: new CounterBoard(info.speculation?.draftBudget ?? null, board),
      // tokenizing must not wait for the engine's thread
      tokenizer: await loadVocabulary(options.modelPath, signal),
      appendedEosTokenId,
    });
    thread.hold(false);
    return engine;
  } catch (error) {
    await thread.end();
    throw error;
  }
}
