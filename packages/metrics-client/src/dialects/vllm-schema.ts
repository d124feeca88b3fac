import type { PageIndex } from "../normal/page-index.ts";
import type { Dialect } from "./dialect.ts";
import { at, countAt } from "../json.ts";
import type { ServerFacts } from "./server-facts.ts";
import { budgetByPositions, countedAcceptance, declaredBudget } from "./shared.ts";
import type { CounterId, DraftBudget, HistogramId, HistogramSource, SeriesSource } from "./sources.ts";

/** vLLM's counters behind a prefix, with the names that they had over time. */
export function vllmCounters(prefix: string): Partial<Record<CounterId, SeriesSource>> {
  const named = (...names: string[]): SeriesSource => ({ names: names.map((name) => prefix + name) });
  return {
    verifySteps: named("spec_decode_num_drafts"),
    draftTokens: named("spec_decode_num_draft_tokens"),
    acceptedTokens: named("spec_decode_num_accepted_tokens"),
    acceptedPerPosition: named("spec_decode_num_accepted_tokens_per_pos"),
    emittedTokens: named("spec_decode_num_emitted_tokens"),
    promptTokens: named("prompt_tokens"),
    cachedPromptTokens: named("prompt_tokens_cached"),
    generationTokens: named("generation_tokens"),
    requestsFinished: named("request_success"),
    // Tokens, not requests.
    prefixCacheQueries: named("prefix_cache_queries", "gpu_prefix_cache_queries"),
    prefixCacheHits: named("prefix_cache_hits", "gpu_prefix_cache_hits"),
    preemptions: named("num_preemptions"),
    firstTokens: { ...named("time_to_first_token_seconds"), part: "count" },
    // One observation per request and decode step, however many tokens the step gave.
    decodeSteps: { ...named("inter_token_latency_seconds"), part: "count" },
  };
}

export function vllmHistograms(prefix: string): Partial<Record<HistogramId, HistogramSource>> {
  const seconds = (observation: HistogramSource["observation"], ...names: string[]): HistogramSource => ({
    names: names.map((name) => prefix + name),
    observation,
    unit: "s",
  });
  const tokens = (name: string): HistogramSource => ({
    names: [prefix + name],
    observation: "request",
    unit: "tokens",
  });
  return {
    timeToFirstToken: seconds("request", "time_to_first_token_seconds"),
    interTokenLatency: seconds("decode step", "inter_token_latency_seconds", "time_per_output_token_seconds"),
    timePerOutputToken: seconds("request mean", "request_time_per_output_token_seconds"),
    endToEnd: seconds("request", "e2e_request_latency_seconds"),
    queueTime: seconds("request", "request_queue_time_seconds"),
    prefillTime: seconds("request", "request_prefill_time_seconds"),
    decodeTime: seconds("request", "request_decode_time_seconds"),
    promptLength: tokens("request_prompt_tokens"),
    outputLength: tokens("request_generation_tokens"),
  };
}

/** K: what the server's configuration says, else its draft positions, which vLLM creates all at once. */
export function vllmBudget(prefix: string, page: PageIndex, facts: ServerFacts): DraftBudget | null {
  const declared = declaredBudget(facts);
  if (declared !== null) return declared;
  const structured = countAt(facts.serverInfo, "vllm_config", "speculative_config", "num_speculative_tokens");
  const text = textOf(at(facts.serverInfo, "vllm_config"));
  const written = text === null ? null : /num_spec(?:ulative)?_tokens['"]?[:=]\s*(\d{1,4})/.exec(text)?.[1];
  const value = structured ?? (written == null ? null : Number(written));
  if (value !== null) return { value, isExact: true, from: "server info" };
  const name = `${prefix}spec_decode_num_accepted_tokens_per_pos`;
  return (
    budgetByPositions(page, `${name}_total`, "position", true) ??
    budgetByPositions(page, name, "position", true)
  );
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value.length < 1_000_000 ? value : null;
}

/** A server that publishes vLLM's names behind some prefix of its own. */
export function vllmSchema(prefix: string): Dialect {
  const gauge = (...names: string[]): SeriesSource => ({ names: names.map((name) => prefix + name) });
  return {
    engine: "vllm-schema",
    title: `a server with vLLM's metrics behind ${JSON.stringify(prefix)}`,
    enabling: null,
    recognises: (name) => prefix !== "" && name.startsWith(prefix),
    countsAt: "step",
    staleness: { seconds: null, why: "how often this server refreshes its gauges is not known" },
    significantDigits: null,
    duplicatingLabels: [],
    counters: vllmCounters(prefix),
    running: [gauge("num_requests_running")],
    waiting: [gauge("num_requests_waiting")],
    kvUsage: gauge("kv_cache_usage_perc", "gpu_cache_usage_perc"),
    histograms: vllmHistograms(prefix),
    draftBudget: (page, facts) => vllmBudget(prefix, page, facts),
    acceptance: countedAcceptance,
  };
}
