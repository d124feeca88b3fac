import type { AcceptanceContext, AcceptanceOutcome } from "../normal/acceptance-reading.ts";
import type { CounterValues } from "../normal/counter-values.ts";
import type { Dialect } from "./dialect.ts";
import { countAt } from "../json.ts";
import { budgetByPositions, countedAcceptance, declaredBudget, startsWithAny } from "./shared.ts";

const PREFIX = "llamacpp:";
const named = (...names: string[]) => ({ names: names.map((name) => PREFIX + name) });

/** The names that were merged, and those of forks and of earlier proposals. */
const draftTokens = named("spec_decode_num_draft_tokens", "spec_tokens_drafted", "draft_tokens");
const acceptedTokens = named(
  "spec_decode_num_accepted_tokens",
  "spec_tokens_accepted",
  "draft_tokens_accepted",
);
const verifySteps = named("spec_decode_num_drafts", "draft_verify_steps");

/** llama.cpp's server and ik_llama.cpp. One process serves one model; counters have no labels. */
export const llamaCpp: Dialect = {
  engine: "llama-cpp",
  title: "llama.cpp",
  enabling: "llama-server serves /metrics when it is started with --metrics",
  recognises: startsWithAny(PREFIX),
  countsAt: "request-end",
  staleness: { seconds: 0, why: "the server counts its slots when the page is read" },
  // The default of C++ streams; only the counters by position are written whole.
  significantDigits: 6,
  duplicatingLabels: [],
  counters: {
    verifySteps,
    draftTokens,
    acceptedTokens,
    acceptedPerPosition: named("spec_decode_num_accepted_tokens_per_pos"),
    promptTokens: named("prompt_tokens"),
    cachedPromptTokens: named("prompt_tokens_cached"),
    generationTokens: named("tokens_predicted"),
    generationSeconds: named("tokens_predicted_seconds"),
    // Tokens that were found and tokens that had to be processed: together those that were looked up.
    prefixCacheQueries: [named("prompt_tokens_cached"), named("prompt_tokens")],
    prefixCacheHits: named("prompt_tokens_cached"),
  },
  running: [named("requests_processing")],
  waiting: [named("requests_deferred")],
  // Gone from llama.cpp in May 2025, still there in ik_llama.cpp.
  kvUsage: named("kv_cache_usage_ratio"),
  histograms: {},
  draftBudget(page, facts) {
    const params = ["default_generation_settings", "params"] as const;
    const told = countAt(facts.props, ...params, "speculative.n_max");
    if (facts.declaredDraftBudget === undefined && told !== null && told > 0) {
      return { value: told, isExact: true, from: "/props" };
    }
    // Positions appear when they are first drafted.
    const name = "llamacpp:spec_decode_num_accepted_tokens_per_pos_total";
    return declaredBudget(facts) ?? budgetByPositions(page, name, "position", false);
  },
  acceptance: llamaCppAcceptance,
};

function llamaCppAcceptance(values: CounterValues, context: AcceptanceContext): AcceptanceOutcome {
  const drafted = values.get("draftTokens");
  if (drafted === null) {
    const missing =
      "this build of llama.cpp counts no drafts on its page: sum draft_n and draft_n_accepted of the responses' timings";
    return { reading: null, missing };
  }
  const notes =
    drafted.plusMinus > 0
      ? ["counters from a million on are printed with six digits; the responses' timings are exact"]
      : [];
  return countedAcceptance(values, context, notes);
}
