import type { EngineCounters, SpeculationCounters } from "../engine.ts";

/** The counters of a llama.cpp engine, which knows them all. */
export interface LlamaCounters extends EngineCounters {
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly prefixCacheQueries: number;
  readonly prefixCacheHits: number;
  readonly requestsRunning: number;
  readonly requestsWaiting: number;
  readonly stepTokens: readonly number[];
  readonly speculation: (SpeculationCounters & { readonly acceptedPerPosition: readonly number[] }) | null;
}
