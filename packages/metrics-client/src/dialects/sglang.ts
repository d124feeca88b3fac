import type { PageIndex } from "../normal/page-index.ts";
import type { Dialect } from "./dialect.ts";
import { sglangAcceptance } from "./sglang-acceptance.ts";
import { countAt } from "../json.ts";
import type { ServerFacts } from "./server-facts.ts";
import { declaredBudget, startsWithAny } from "./shared.ts";
import type { DraftBudget, HistogramSource } from "./sources.ts";

const PREFIX = "sglang:";
const named = (...names: string[]) => ({ names: names.map((name) => PREFIX + name) });
const histogram = (
  observation: HistogramSource["observation"],
  unit: HistogramSource["unit"],
  ...names: string[]
): HistogramSource => ({ ...named(...names), observation, unit });

/** SGLang. Its tokens and requests are counted when a request ends, its acceptance is a gauge over the last batches. */
export const sglang: Dialect = {
  engine: "sglang",
  title: "SGLang",
  enabling: "SGLang serves /metrics when it is started with --enable-metrics",
  recognises: startsWithAny(PREFIX),
  countsAt: "request-end",
  staleness: {
    seconds: 30,
    why: "the scheduler's gauges may stand up to 30 s after the last batch (before mid-2026)",
  },
  significantDigits: null,
  duplicatingLabels: ["tp_rank", "pp_rank", "moe_ep_rank"],
  counters: {
    verifySteps: named("spec_verify_calls"),
    promptTokens: named("prompt_tokens"),
    cachedPromptTokens: { ...named("cached_tokens"), preferredLabels: { cache_source: "total" } },
    generationTokens: named("generation_tokens"),
    requestsFinished: named("num_requests"),
    prefixCacheQueries: named("prompt_tokens"),
    prefixCacheHits: { ...named("cached_tokens"), preferredLabels: { cache_source: "total" } },
    preemptions: named("num_retracted_requests"),
    firstTokens: { ...named("time_to_first_token_seconds"), part: "count" },
  },
  running: [named("num_running_reqs")],
  waiting: [
    named("num_queue_reqs"),
    named("num_grammar_queue_reqs"),
    named("num_prefill_bootstrap_queue_reqs", "num_prefill_prealloc_queue_reqs"),
    named("num_prefill_inflight_queue_reqs"),
    named("num_decode_prealloc_queue_reqs"),
    named("num_decode_transfer_queue_reqs"),
  ],
  kvUsage: named("token_usage"),
  histograms: {
    timeToFirstToken: histogram("request", "s", "time_to_first_token_seconds"),
    // An output of n tokens adds n observations, unlike vLLM's.
    interTokenLatency: histogram(
      "token",
      "s",
      "inter_token_latency_seconds",
      "time_per_output_token_seconds",
    ),
    endToEnd: histogram("request", "s", "e2e_request_latency_seconds", "func_latency_seconds"),
    queueTime: histogram("request", "s", "queue_time_seconds"),
    promptLength: histogram("request", "tokens", "prompt_tokens_histogram"),
    outputLength: histogram("request", "tokens", "generation_tokens_histogram"),
  },
  draftBudget: sglangBudget,
  acceptance: sglangAcceptance,
};

/** `speculative_num_draft_tokens` counts the token that the tree grows from: the budget is one less. */
function sglangBudget(page: PageIndex, facts: ServerFacts): DraftBudget | null {
  const declared = declaredBudget(facts);
  if (declared !== null) return declared;
  const told = countAt(facts.serverInfo, "speculative_num_draft_tokens");
  if (told !== null && told > 1) return { value: told - 1, isExact: true, from: "server info" };
  const gauge = page.samples("sglang:spec_num_draft_tokens")[0]?.value ?? 0;
  if (gauge > 1) return { value: gauge - 1, isExact: true, from: "sglang:spec_num_draft_tokens" };
  return null;
}
