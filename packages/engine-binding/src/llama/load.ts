import type { LlamaModel } from "node-llama-cpp";
import type { Engine, EngineInfo } from "../engine.ts";
import { EngineError } from "../errors.ts";
import { CachedSequence } from "./cached-sequence.ts";
import { DispatchGate } from "./dispatch-gate.ts";
import { LlamaEngine } from "./llama-engine.ts";
import { describeModel, describeVocabulary, vocabularyMismatch, vocabularyTexts } from "./model-info.ts";
import { createContext, ErrorLog, loadModel, startLlama } from "./native.ts";
import { importNodeLlama } from "./node-llama.ts";
import { checkModelFile, checkNumbers, type LlamaEngineOptions } from "./options.ts";
import { Slot } from "./slot.ts";
import { toTokens } from "./tokens.ts";

/** Used when neither the caller nor the model asks for less: a context costs memory in every slot. */
const DEFAULT_CONTEXT_SIZE = 8192;

/**
 * Loads a GGUF model, and a draft for it, into this process with llama.cpp on the CPU. The package `node-llama-cpp` is
 * loaded here and not before.
 *
 * @throws {EngineError} `ENGINE_NOT_INSTALLED`, `ENGINE_MODEL_NOT_FOUND`, `ENGINE_MODEL_INVALID`,
 * `ENGINE_INVALID_OPTIONS` (numbers out of range, a draft with another vocabulary), `ENGINE_FAILED`
 */
export async function loadLlamaEngine(options: LlamaEngineOptions): Promise<Engine> {
  const numbers = checkNumbers(options);
  const { modelPath, draftModelPath, signal } = options;
  const targetBytes = await checkModelFile("model", modelPath);
  const draftBytes = draftModelPath === undefined ? 0 : await checkModelFile("draft model", draftModelPath);
  signal?.throwIfAborted();

  const nodeLlama = await importNodeLlama();
  const log = new ErrorLog();
  const llama = await startLlama(nodeLlama, log);
  try {
    const total = targetBytes + draftBytes;
    const progress = (done: number, share: number) => (fraction: number) =>
      options.onLoadProgress?.((done + share * fraction) / total);
    const load = (role: string, path: string, onLoadProgress: (fraction: number) => void) =>
      loadModel(llama, log, role, path, onLoadProgress, signal);

    const target = await load("model", modelPath, progress(0, targetBytes));
    const vocabulary = describeVocabulary(target);
    const draft =
      draftModelPath === undefined
        ? null
        : await load("draft model", draftModelPath, progress(targetBytes, draftBytes));
    if (draft !== null) refuseOtherVocabulary(target, draft);

    const contextSize = resolveContextSize(numbers.contextSize, target.trainContextSize);
    const draftContextSize = draft === null ? 0 : Math.min(contextSize, draft.trainContextSize);
    const gates = { target: new DispatchGate(), draft: draft === null ? null : new DispatchGate() };
    const create = (model: LlamaModel, size: number, gate: DispatchGate) =>
      createContext(log, model, { ...numbers, contextSize: size }, gate, signal);
    const targetContext = await create(target, contextSize, gates.target);
    const draftContext =
      draft === null || gates.draft === null ? null : await create(draft, draftContextSize, gates.draft);

    const slots = Array.from({ length: numbers.slots }, (_, index) => {
      const draftSequence = draftContext?.getSequence() ?? null;
      return new Slot(
        index,
        new CachedSequence(targetContext.getSequence()),
        draftSequence === null ? null : new CachedSequence(draftSequence),
      );
    });
    const draftInfo =
      draft === null || draftModelPath === undefined
        ? null
        : describeModel(nodeLlama, draft, draftModelPath, draftBytes);
    const info: EngineInfo = {
      engine: "llama.cpp",
      engineVersion: llama.llamaCppRelease.release,
      model: describeModel(nodeLlama, target, modelPath, targetBytes),
      contextSize,
      slots: numbers.slots,
      threads: numbers.threads,
      vocabularySize: vocabulary.size,
      eosTokenIds: vocabulary.eosTokenIds,
      bosTokenId: vocabulary.bosTokenId,
      addsBos: vocabulary.addsBos,
      chatTemplate: vocabulary.chatTemplate,
      specialTokens: vocabulary.specialTokens,
      speculation:
        draftInfo === null
          ? null
          : { method: "draft-model", draftModel: draftInfo.name, draftBudget: numbers.draftTokens },
    };
    return new LlamaEngine({
      info,
      appendedEosTokenId: vocabulary.appendedEosTokenId,
      slots,
      gates,
      limits: {
        batchSize: numbers.batchSize,
        draftBudget: draft === null ? 0 : numbers.draftTokens,
        draftContextSize,
      },
      tokenize: (text, parseSpecial) => target.tokenize(text, parseSpecial),
      detokenize: (tokens, renderSpecial) => target.detokenize(toTokens(tokens), renderSpecial),
      free: async () => {
        await draftContext?.dispose();
        await targetContext.dispose();
        await draft?.dispose();
        await target.dispose();
        await llama.dispose();
      },
    });
  } catch (error) {
    await llama.dispose();
    throw error;
  }
}

function resolveContextSize(asked: number | null, trained: number): number {
  if (asked === null) return Math.min(trained, DEFAULT_CONTEXT_SIZE);
  if (asked > trained) {
    throw new EngineError(
      "ENGINE_INVALID_OPTIONS",
      `contextSize ${asked} is more than the ${trained} tokens that the model was trained for`,
    );
  }
  return asked;
}

function refuseOtherVocabulary(target: LlamaModel, draft: LlamaModel): void {
  const mismatch = vocabularyMismatch(vocabularyTexts(target), vocabularyTexts(draft));
  if (mismatch === null) return;
  throw new EngineError(
    "ENGINE_INVALID_OPTIONS",
    `the draft model has another vocabulary than the model: ${mismatch} (use a draft of the same family)`,
  );
}
