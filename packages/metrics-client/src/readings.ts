import type { SpecDecodeCounts } from "./acceptance.ts";
import type { MetricSample } from "./sample.ts";
import { byPosition, COUNTERS, findCounter, findGauge, type SeriesSelection, sumOf } from "./series.ts";

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
 * Reads the speculative-decoding counters of vLLM's schema since the server's start: `spec_decode_num_draft_tokens_total`,
 * `…_num_accepted_tokens_total`, `…_num_drafts_total` and `…_num_accepted_tokens_per_pos_total{position}` behind any prefix
 * (vLLM, llama.cpp, LMDeploy, TensorRT-LLM, onpar-server, …), summed over `engine` and ranks.
 *
 * Null when the page lacks drafted or accepted tokens: the server does not speculate, or does not say so here.
 */
export function readSpecDecodeCounts(
  samples: readonly MetricSample[],
  selection: SeriesSelection = {},
): SpecDecodeCounts | null {
  const draftTokens = sumOf(findCounter(samples, COUNTERS.draftTokens, selection));
  const acceptedTokens = sumOf(findCounter(samples, COUNTERS.acceptedTokens, selection));
  if (draftTokens === null || acceptedTokens === null) return null;
  const positions = findCounter(samples, COUNTERS.acceptedPerPosition, selection)?.samples ?? [];
  return {
    verifySteps: sumOf(findCounter(samples, COUNTERS.verifySteps, selection)),
    draftTokens,
    acceptedTokens,
    acceptedPerPosition: byPosition(positions.map((sample) => [sample, sample.value])),
  };
}

/** Reads the counters of tokens, requests and the prefix cache. */
export function readServerCounters(
  samples: readonly MetricSample[],
  selection: SeriesSelection = {},
): ServerCounters {
  const finished = findCounter(samples, COUNTERS.requestsFinished, selection);
  return {
    promptTokens: sumOf(findCounter(samples, COUNTERS.promptTokens, selection)),
    generationTokens: sumOf(findCounter(samples, COUNTERS.generationTokens, selection)),
    requestsFinished: sumOf(finished),
    requestsByReason:
      finished === null ? null : byReason(finished.samples.map((sample) => [sample, sample.value])),
    prefixCacheQueries: sumOf(findCounter(samples, COUNTERS.prefixCacheQueries, selection)),
    prefixCacheHits: sumOf(findCounter(samples, COUNTERS.prefixCacheHits, selection)),
    firstTokens: sumOf(findCounter(samples, COUNTERS.firstTokens, selection)),
  };
}

/** Values by the label `finished_reason`, summed over engines; empty when no series carries it. */
export function byReason(entries: Iterable<readonly [MetricSample, number]>): Record<string, number> {
  const reasons = new Map<string, number>();
  for (const [sample, value] of entries) {
    const reason = sample.labels["finished_reason"];
    if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + value);
  }
  return Object.fromEntries(reasons);
}

/** Reads the load gauges. A server is idle only when both running and waiting are 0. */
export function readServerLoad(
  samples: readonly MetricSample[],
  selection: SeriesSelection = {},
): ServerLoad {
  const usage = findGauge(
    samples,
    ["kv_cache_usage_perc", "gpu_cache_usage_perc", "kv_cache_usage_ratio"],
    selection,
  );
  return {
    requestsRunning: sumOf(findGauge(samples, ["num_requests_running", "requests_processing"], selection)),
    requestsWaiting: sumOf(findGauge(samples, ["num_requests_waiting", "requests_deferred"], selection)),
    // A ratio must not be summed over engines.
    kvCacheUsage: usage === null ? null : Math.max(...usage.samples.map((sample) => sample.value)),
  };
}
