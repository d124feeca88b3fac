import { dialectByNames } from "../dialects/registry.ts";
import type { MetricSample } from "../exposition/sample.ts";
import { type SpecDecodeCounts, specDecodeCountsOf } from "./acceptance.ts";
import { readNormal, type NormalReading } from "./normal-reading.ts";
import type { SeriesSelection } from "./page-index.ts";

/** What a server says it is doing now. A figure the page does not carry is null, never 0. */
export interface ServerLoad {
  readonly requestsRunning: number | null;
  readonly requestsWaiting: number | null;
  /** Share of the KV cache in use, 0 to 1; the highest of several engines. */
  readonly kvCacheUsage: number | null;
}

/** Counters since the server's start, summed over engines and ranks. One that the page does not carry is null, never 0. */
export interface ServerCounters {
  readonly promptTokens: number | null;
  readonly generationTokens: number | null;
  /** Over all finish reasons. */
  readonly requestsFinished: number | null;
  /** By the server's own names of finish reasons. */
  readonly requestsByReason: Readonly<Record<string, number>> | null;
  /** Prompt tokens looked up in the prefix cache (tokens in vLLM, not requests). */
  readonly prefixCacheQueries: number | null;
  readonly prefixCacheHits: number | null;
  /** R: requests that produced a first token. */
  readonly firstTokens: number | null;
}

/**
 * The counts of speculative decoding since the server's start, by the dialect of the engine whose names are on the page, summed
 * over engines and ranks. {@link readNormal} gives the figures with their formulas and uncertainty.
 *
 * Null when the page does not tell both drafted and accepted tokens: the server does not speculate, or does not say so here.
 */
export function readSpecDecodeCounts(
  samples: readonly MetricSample[],
  selection: SeriesSelection = {},
): SpecDecodeCounts | null {
  const { reading } = normal(samples, selection).acceptance;
  return reading === null ? null : specDecodeCountsOf(reading);
}

/** Reads the counters of tokens, requests and the prefix cache. */
export function readServerCounters(
  samples: readonly MetricSample[],
  selection: SeriesSelection = {},
): ServerCounters {
  const { counts } = normal(samples, selection);
  return {
    promptTokens: counts.promptTokens?.value ?? null,
    generationTokens: counts.generationTokens?.value ?? null,
    requestsFinished: counts.requestsFinished?.value ?? null,
    requestsByReason: counts.requestsByReason,
    prefixCacheQueries: counts.prefixCacheQueries?.value ?? null,
    prefixCacheHits: counts.prefixCacheHits?.value ?? null,
    firstTokens: counts.firstTokens?.value ?? null,
  };
}

/** Reads the load gauges. A server is idle only when both running and waiting are 0. */
export function readServerLoad(
  samples: readonly MetricSample[],
  selection: SeriesSelection = {},
): ServerLoad {
  const { busy, kvUsage } = normal(samples, selection);
  return {
    requestsRunning: busy.running,
    requestsWaiting: busy.waiting,
    kvCacheUsage: kvUsage?.max ?? null,
  };
}

function normal(samples: readonly MetricSample[], selection: SeriesSelection): NormalReading {
  const snapshot = { samples, families: new Map(), url: "", takenAt: "", startToken: null };
  const dialect = dialectByNames([snapshot], selection);
  return readNormal(snapshot, dialect === null ? selection : { ...selection, dialect });
}
