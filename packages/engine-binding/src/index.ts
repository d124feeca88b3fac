export type {
  DetokenizeOptions,
  Engine,
  EngineCounters,
  EngineInfo,
  FinishReason,
  GenerateFinish,
  GenerateRequest,
  ModelInfo,
  SamplingOptions,
  SpeculationCounters,
  SpeculationInfo,
  TokenBatch,
  TokenizeOptions,
} from "./engine.ts";
export { EngineError, type EngineErrorCode } from "./errors.ts";
export { loadLlamaEngine } from "./llama/load.ts";
export type { LlamaEngineOptions } from "./llama/options.ts";
