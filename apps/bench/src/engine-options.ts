import type { BenchConfig, ConfigIssue } from "@onpar/bench-config";
import type { LlamaEngineOptions, VllmEngineOptions } from "@onpar/engine-binding";

type Engine = BenchConfig["engine"];
type Kind = Engine["kind"];

/** Settings that an engine cannot carry out, by its kind. */
const CANNOT: Readonly<Record<Kind, Readonly<Partial<Record<keyof Engine, string>>>>> = {
  llama: {
    numBlocks: "llama.cpp has no blocks; each of its slots has a cache of --ctx tokens",
    kvCacheDtype: "llama.cpp keeps its cache in the type that it was built with",
  },
  vllm: {
    threads: "the C ABI of libvllm has no number of threads",
    draftLength: "the C ABI of libvllm has no such choice; --speculative-config says how it speculates",
  },
};

/** What the engine calls its options, and the flags that set them. */
const OPTION_FLAGS: Readonly<Record<Kind, Readonly<Record<string, string>>>> = {
  llama: {
    slots: "--concurrency",
    contextSize: "--ctx",
    threads: "--threads",
    draftTokens: "--draft-tokens",
    draftLength: "--draft-length",
    gpu: "--gpu",
    batchSize: "--max-num-batched-tokens",
  },
  vllm: {
    maxNumSeqs: "--concurrency",
    maxModelLen: "--ctx",
    maxNumBatchedTokens: "--max-num-batched-tokens",
    numBlocks: "--num-blocks",
    kvCacheDtype: "--kv-cache-dtype",
    speculativeConfig: "--speculative-config",
    libraryPath: "--lib",
    device: "--gpu",
  },
};

/** The flag behind an engine's option. */
export function flagOfOption(kind: Kind, option: string): string {
  return OPTION_FLAGS[kind][option] ?? option;
}

/**
 * Settings of the in-process engine that the chosen one cannot carry out, by name.
 *
 * @param isChanged whether a setting is another than its default
 */
export function engineIssues(
  config: BenchConfig,
  spelled: (path: string) => string,
  isChanged: (path: string) => boolean,
): ConfigIssue[] {
  const { endpoint } = config.target;
  if (endpoint !== "engine") return [];
  const { kind } = config.engine;
  const issues = Object.entries(CANNOT[kind]).flatMap(([name, reason]) => {
    const path = `engine.${name}`;
    return isChanged(path) ? [{ path, origin: spelled(path), message: `cannot be honoured: ${reason}` }] : [];
  });
  const { gpu } = config.engine;
  if (kind === "vllm" && (gpu === "vulkan" || gpu === "metal")) {
    const message = `cannot be honoured: libvllm computes on the CPU or by CUDA, not by ${gpu}`;
    issues.push({ path: "engine.gpu", origin: spelled("engine.gpu"), message });
  }
  if (kind === "vllm" && isChanged("outputTokenIds")) {
    const message = "cannot be honoured: the C ABI of libvllm streams text, not token ids";
    issues.push({ path: "outputTokenIds", origin: spelled("outputTokenIds"), message });
  }
  const drafting = kind === "llama" ? llamaDrafting(config.engine) : vllmSpeculation(config.engine);
  if (typeof drafting !== "string") return issues;
  return [
    ...issues,
    { path: "engine.speculativeConfig", origin: spelled("engine.speculativeConfig"), message: drafting },
  ];
}

export function llamaOptions(
  config: BenchConfig,
  modelPath: string,
  signal: AbortSignal,
): LlamaEngineOptions {
  const { contextSize, threads, gpu, maxNumBatchedTokens, draftLength } = config.engine;
  const drafting = llamaDrafting(config.engine);
  return {
    modelPath,
    ...(typeof drafting === "string" ? {} : drafting),
    draftLength,
    gpu: gpu === null || gpu === "off" ? false : gpu,
    ...(contextSize === null ? {} : { contextSize }),
    ...(maxNumBatchedTokens === null ? {} : { batchSize: maxNumBatchedTokens }),
    slots: config.concurrency,
    threads,
    signal,
  };
}

export function vllmOptions(config: BenchConfig, modelPath: string, signal: AbortSignal): VllmEngineOptions {
  const { library, contextSize, gpu, maxNumBatchedTokens, numBlocks, kvCacheDtype } = config.engine;
  const speculation = vllmSpeculation(config.engine);
  return {
    modelPath,
    ...(library === null ? {} : { libraryPath: library }),
    ...(speculation === null || typeof speculation === "string"
      ? {}
      : { speculativeConfig: JSON.stringify(speculation) }),
    ...(contextSize === null ? {} : { maxModelLen: contextSize }),
    ...(maxNumBatchedTokens === null ? {} : { maxNumBatchedTokens }),
    ...(numBlocks === null ? {} : { numBlocks }),
    ...(kvCacheDtype === null ? {} : { kvCacheDtype }),
    ...(gpu === "off" ? { device: "cpu" } : gpu === "auto" || gpu === "cuda" ? { device: gpu } : {}),
    maxNumSeqs: config.concurrency,
    signal,
  };
}

type LlamaDrafting = Pick<LlamaEngineOptions, "draftModelPath" | "promptLookup" | "draftTokens">;

/** What llama.cpp drafts with; a text says why it cannot. */
function llamaDrafting({ speculativeConfig, draftModelPath, draftTokens }: Engine): LlamaDrafting | string {
  const { method, model, num_speculative_tokens: budget, ...rest } = speculativeConfig;
  if (Object.keys(speculativeConfig).length === 0) {
    return draftModelPath === null ? {} : { draftModelPath, draftTokens };
  }
  if (draftModelPath !== null) return "says what drafts, and so does --draft-model; keep one";
  const unknown = Object.keys(rest)[0];
  if (unknown !== undefined) return `cannot be honoured: llama.cpp speculates without ${unknown}`;
  if (budget !== undefined && !isDraftBudget(budget)) {
    return `num_speculative_tokens must be an integer from 1 to ${MAX_DRAFT_TOKENS}, got ${JSON.stringify(budget)}`;
  }
  const tokens = budget === undefined ? {} : { draftTokens: budget };
  if (method === "ngram") return { promptLookup: true, ...tokens };
  if ((method === undefined || method === "draft_model") && typeof model === "string") {
    return { draftModelPath: model, ...tokens };
  }
  return (
    `cannot be honoured: llama.cpp speculates with a draft model ({"model":"draft.gguf"}) or by prompt lookup ` +
    `({"method":"ngram"}), not by ${JSON.stringify(method ?? null)}`
  );
}

/** The most that the llama adapter drafts in one step. */
const MAX_DRAFT_TOKENS = 64;

function isDraftBudget(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= MAX_DRAFT_TOKENS;
}

/** What libvllm is told of speculation; null is nothing, and a text says why it cannot be told. */
function vllmSpeculation({
  speculativeConfig,
  draftModelPath,
  draftTokens,
}: Engine): Readonly<Record<string, unknown>> | string | null {
  if (Object.keys(speculativeConfig).length === 0) {
    return draftModelPath === null
      ? null
      : { method: "draft_model", model: draftModelPath, num_speculative_tokens: draftTokens };
  }
  return draftModelPath === null
    ? speculativeConfig
    : "says what drafts, and so does --draft-model; keep one";
}
