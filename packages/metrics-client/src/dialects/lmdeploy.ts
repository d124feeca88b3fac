import type { Dialect } from "./dialect.ts";
import { budgetByPositions, countedAcceptance, declaredBudget, startsWithAny } from "./shared.ts";
import type { SeriesSource } from "./sources.ts";
import { vllmCounters, vllmHistograms } from "./vllm-schema.ts";

const PREFIX = "lmdeploy:";
const named = (...names: string[]): SeriesSource => ({ names: names.map((name) => PREFIX + name) });

const { decodeSteps: _, ...counters } = vllmCounters(PREFIX);

/** LMDeploy: vLLM's counters of speculative decoding, each step drafting the whole budget. */
export const lmdeploy: Dialect = {
  engine: "lmdeploy",
  title: "LMDeploy",
  enabling:
    "LMDeploy serves /metrics by default, without --disable-metrics; with data parallelism one port per rank",
  recognises: startsWithAny(PREFIX),
  countsAt: "step",
  staleness: { seconds: 10, why: "the scheduler's gauges are refreshed every 10 s" },
  significantDigits: null,
  duplicatingLabels: [],
  counters: {
    ...counters,
    cachedPromptTokens: named("cached_tokens"),
    prefixCacheQueries: named("prompt_tokens"),
    prefixCacheHits: named("cached_tokens"),
  },
  running: [named("num_requests_running")],
  waiting: [named("num_requests_waiting"), named("num_api_requests_waiting")],
  kvUsage: named("gpu_cache_usage_perc"),
  histograms: {
    ...vllmHistograms(PREFIX),
    interTokenLatency: { ...named("iter_token_latency"), observation: "token", unit: "s" },
    timePerOutputToken: { ...named("time_per_output_token_seconds"), observation: "request mean", unit: "s" },
  },
  draftBudget(page, facts) {
    const name = "lmdeploy:spec_decode_num_accepted_tokens_per_pos_total";
    return declaredBudget(facts) ?? budgetByPositions(page, name, "position", false);
  },
  acceptance: countedAcceptance,
};
