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
