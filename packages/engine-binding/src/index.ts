export type {
  ChatChunk,
  DetokenizeOptions,
  Engine,
  EngineCapabilities,
  EngineCounters,
  EngineInfo,
  FinishReason,
  GenerateFinish,
  GenerateRequest,
  ModelInfo,
  OutputFormat,
  OutputFormatKind,
  OutputLogprobs,
  SamplingOptions,
  SpeculationCounters,
  SpeculationInfo,
  TokenBatch,
  TokenLogprob,
  TokenizeOptions,
} from "./engine.ts";
export { EngineError, type EngineErrorCode } from "./errors.ts";
export { loadGgufTokenizer, type GgufTokenizer } from "./llama/gguf-tokenizer.ts";
export { loadLlamaEngine } from "./llama/load.ts";
export type { LlamaEngineOptions } from "./llama/options.ts";
export { loadVllmEngine } from "./vllm/load.ts";
export type { VllmEngineOptions } from "./vllm/options.ts";
