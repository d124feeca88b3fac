import type { Llama, LlamaModel } from "node-llama-cpp";
import type { EngineCapabilities, EngineInfo, SpeculationInfo } from "../engine.ts";
import { EngineError } from "../errors.ts";
import { AdaptiveDraftLength } from "../speculation/draft-length.ts";
import { PROMPT_LOOKUP_DEFAULTS } from "../speculation/prompt-lookup.ts";
import { CachedSequence } from "./cached-sequence.ts";
import { measureStepCosts, measureThreads } from "./calibrate.ts";
import { DispatchGate } from "./dispatch-gate.ts";
import { GrammarSource } from "./grammars.ts";
import { LlamaEngine } from "./llama-engine.ts";
import { estimateMemory, readInsights, refuseTooLarge, type MemoryEstimate } from "./memory.ts";
import { describeModel, describeVocabulary, vocabularyMismatch, vocabularyTexts } from "./model-info.ts";
import { createContext, ErrorLog, loadModel, startLlama } from "./native.ts";
import { importNodeLlama, type NodeLlama } from "./node-llama.ts";
import { checkModelFile, checkNumbers, type LlamaEngineNumbers, type LlamaEngineOptions } from "./options.ts";
import { Slot } from "./slot.ts";
import { toTokens } from "./tokens.ts";

/** Used when neither the caller nor the model asks for less: a context costs memory in every slot. */
const DEFAULT_CONTEXT_SIZE = 8192;

const CAPABILITIES: EngineCapabilities = {
  tokenizer: true,
  tokenPrompts: true,
  addSpecial: "chosen",
  tokenIds: "streamed",
  finishReason: true,
  tokenCounts: true,
  speculationCounters: true,
  requestSpeculation: true,
  requestDraftBudget: true,
  chat: false,
  maxLogprobs: 20,
  outputFormats: ["json-schema", "json", "grammar"],
  minTokens: true,
  stopTokenIds: true,
  ignoredEos: "passed",
  prefixCacheReset: true,
  requestCachePrompt: true,
};

/** An engine in the thread that loaded it, and what only its tokenizer asks for. */
export interface LoadedLlama {
  readonly engine: LlamaEngine;
  readonly appendedEosTokenId: number | null;
}

/** Loads models and contexts into the thread that calls it; errors as `loadLlamaEngine`. */
export async function loadLlamaInThread(options: LlamaEngineOptions): Promise<LoadedLlama> {
  const numbers = checkNumbers(options);
  const { modelPath, draftModelPath } = options;
  const targetBytes = await checkModelFile("model", modelPath);
  const draftBytes = draftModelPath === undefined ? 0 : await checkModelFile("draft model", draftModelPath);
  const nodeLlama = await importNodeLlama();
  const log = new ErrorLog();
  const llama = await startLlama(nodeLlama, log, options.gpu ?? false);
  try {
    if (llama.gpu === false) await checkMemory(nodeLlama, llama, options, numbers);
    const total = targetBytes + draftBytes;
    const load = (role: string, path: string, done: number, share: number): Promise<LlamaModel> =>
      loadModel(
        llama,
        log,
        role,
        path,
        (fraction) => options.onLoadProgress?.((done + share * fraction) / total),
        options.signal,
      );
    const target = await load("model", modelPath, 0, targetBytes);
    const draft =
      draftModelPath === undefined
        ? null
        : await load("draft model", draftModelPath, targetBytes, draftBytes);
    if (draft !== null) refuseOtherVocabulary(target, draft);
    const draftName =
      draft === null || draftModelPath === undefined
        ? null
        : describeModel(nodeLlama, draft, draftModelPath, draftBytes).name;
    const model = describeModel(nodeLlama, target, modelPath, targetBytes);
    return await assemble({ nodeLlama, llama, log, options, numbers, target, draft, draftName, model });
  } catch (error) {
    await llama.dispose();
    throw error;
  }
}

interface Parts {
  readonly nodeLlama: NodeLlama;
  readonly llama: Llama;
  readonly log: ErrorLog;
  readonly options: LlamaEngineOptions;
  readonly numbers: LlamaEngineNumbers;
  readonly target: LlamaModel;
  readonly draft: LlamaModel | null;
  readonly draftName: string | null;
  readonly model: EngineInfo["model"];
}

/** Makes contexts and slots of loaded models. */
async function assemble(parts: Parts): Promise<LoadedLlama> {
  const { nodeLlama, llama, log, options, numbers, target, draft } = parts;
  const { signal } = options;
  const calibration = { log, signal };
  const threads =
    numbers.threads === "auto" ? await measureThreads(target, numbers.slots, calibration) : numbers.threads;
  const speculation = speculationOf(options, numbers, parts.draftName);
  const draftBudget = speculation?.draftBudget ?? 0;
  const stepCosts =
    speculation?.draftLength === "adaptive"
      ? await measureStepCosts(
          target,
          draft,
          { draftBudget, threads, slots: numbers.slots, batchSize: numbers.batchSize },
          calibration,
        )
      : null;

  const contextSize = resolveContextSize(numbers.contextSize, target.trainContextSize);
  // prompt lookup knows no limit of its own
  const draftContextSize = draft === null ? contextSize : Math.min(contextSize, draft.trainContextSize);
  const gates = { target: new DispatchGate(), draft: draft === null ? null : new DispatchGate() };
  const create = (of: LlamaModel, size: number, gate: DispatchGate) =>
    createContext(log, of, { ...numbers, threads, contextSize: size }, gate, signal);
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

  const { appendedEosTokenId, ...vocabulary } = describeVocabulary(target);
  const engine = new LlamaEngine({
    info: {
      engine: "llama.cpp",
      engineVersion: llama.llamaCppRelease.release,
      model: parts.model,
      contextSize,
      slots: numbers.slots,
      threads,
      gpu: llama.gpu,
      vocabularySize: vocabulary.size,
      eosTokenIds: vocabulary.eosTokenIds,
      bosTokenId: vocabulary.bosTokenId,
      addsBos: vocabulary.addsBos,
      chatTemplate: vocabulary.chatTemplate,
      specialTokens: vocabulary.specialTokens,
      speculation,
      capabilities: CAPABILITIES,
    },
    eosTokenIds: vocabulary.eosTokenIds,
    slots,
    gates,
    limits: {
      batchSize: numbers.batchSize,
      draftBudget,
      adaptive: stepCosts === null ? null : new AdaptiveDraftLength(stepCosts, draftBudget),
      promptLookup: speculation?.method === "ngram" ? PROMPT_LOOKUP_DEFAULTS : null,
      draftContextSize,
    },
    grammars: new GrammarSource(nodeLlama, llama, target),
    detokenize: (tokens) => target.detokenize(toTokens(tokens), false),
    free: async () => {
      await draftContext?.dispose();
      await targetContext.dispose();
      await draft?.dispose();
      await target.dispose();
      await llama.dispose();
    },
  });
  return { engine, appendedEosTokenId };
}

function speculationOf(
  options: LlamaEngineOptions,
  { draftTokens }: LlamaEngineNumbers,
  draftModel: string | null,
): SpeculationInfo | null {
  const lookup = options.promptLookup === true;
  if (draftModel === null && !lookup) return null;
  return {
    method: lookup ? "ngram" : "draft-model",
    draftModel,
    draftBudget: draftTokens,
    draftLength: options.draftLength ?? "fixed",
  };
}

async function checkMemory(
  nodeLlama: NodeLlama,
  llama: Llama,
  options: LlamaEngineOptions,
  { contextSize, slots, batchSize }: LlamaEngineNumbers,
): Promise<void> {
  const paths = [
    options.modelPath,
    ...(options.draftModelPath === undefined ? [] : [options.draftModelPath]),
  ];
  const estimates: MemoryEstimate[] = [];
  let size: number | null = null;
  for (const path of paths) {
    // a file that cannot be read is told by the loading, which says what is wrong with it
    const insights = await readInsights(nodeLlama, llama, path).catch(() => null);
    if (insights === null) return;
    const trained = insights.trainContextSize ?? Infinity;
    // the draft may know fewer positions than the model: it then drafts up to its own
    size = size === null ? resolveContextSize(contextSize, trained) : Math.min(size, trained);
    estimates.push(await estimateMemory(insights, { path, contextSize: size, slots, batchSize }));
  }
  refuseTooLarge(estimates, slots, options.memoryLimitBytes ?? process.availableMemory());
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
