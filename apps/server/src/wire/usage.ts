import type { EngineInfo, GenerateFinish, SpeculationCounters } from "@onpar/engine-binding";

import type { WireFinish } from "./choice-writer.ts";

/** OpenAI's `usage`, in tokens. */
export interface WireUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens: number };
}

/** Usage while the output is under way; what the prefix cache gave is known at the end only. */
export function usageSoFar(promptTokens: number, completionTokens: number): WireUsage {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  };
}

/** Null when the engine does not count the tokens of a request. */
export function usageOf({
  promptTokens,
  outputTokens,
  cachedPromptTokens,
}: Pick<GenerateFinish, "promptTokens" | "outputTokens" | "cachedPromptTokens">): WireUsage | null {
  if (promptTokens === null || outputTokens === null) return null;
  return {
    ...usageSoFar(promptTokens, outputTokens),
    ...(cachedPromptTokens === null ? {} : { prompt_tokens_details: { cached_tokens: cachedPromptTokens } }),
  };
}

/** Acceptance of one request, under vLLM's names. Ratios are null when nothing was drafted. */
export interface WireSpeculation {
  /** 1 + A / V. */
  readonly mean_acceptance_length: number | null;
  /** A / D. */
  readonly draft_acceptance_rate: number | null;
  /** Verify steps by the number of draft tokens they accepted, 0 to K; null when only sums are known. */
  readonly acceptance_histogram: readonly number[] | null;
  /** A_i / V by draft position. */
  readonly acceptance_per_position: readonly number[] | null;
  /** V */
  readonly num_spec_steps: number;
  /** A */
  readonly num_accepted_draft_tokens: number;
  /** D */
  readonly num_draft_tokens: number;
  /** K */
  readonly num_spec_tokens: number;
}

/** `metrics` of an answer; null when the engine does not speculate, or does not tell it by request. */
export function requestMetrics(
  counts: SpeculationCounters | null,
  { speculation, capabilities }: Pick<EngineInfo, "speculation" | "capabilities">,
): { readonly speculative_decoding: WireSpeculation } | null {
  if (speculation === null || !capabilities.requestSpeculation) return null;
  const budget = speculation.draftBudget;
  const steps = counts?.verifySteps ?? 0;
  const drafted = counts?.draftTokens ?? 0;
  const accepted = counts?.acceptedTokens ?? 0;
  const perPosition = counts === null ? Array.from({ length: budget }, () => 0) : counts.acceptedPerPosition;
  // A step that accepted n tokens accepted positions 0 to n-1, so the steps with exactly n are A_(n-1) - A_n.
  const atLeast = perPosition === null ? null : [steps, ...perPosition, 0];
  return {
    speculative_decoding: {
      mean_acceptance_length: steps === 0 ? null : 1 + accepted / steps,
      draft_acceptance_rate: drafted === 0 ? null : accepted / drafted,
      acceptance_histogram:
        atLeast?.slice(0, -1).map((count, index) => count - (atLeast[index + 1] ?? 0)) ?? null,
      acceptance_per_position: steps === 0 ? null : (perPosition?.map((count) => count / steps) ?? null),
      num_spec_steps: steps,
      num_accepted_draft_tokens: accepted,
      num_draft_tokens: drafted,
      num_spec_tokens: budget,
    },
  };
}

/** How an output ended on the wire; null for an output that was cut off, which is an error and not an answer. */
export function wireFinish({ reason, matched }: GenerateFinish): WireFinish | null {
  if (reason === "abort") return null;
  const stoppedBy = reason === "stop-string" || reason === "stop-token" ? matched : null;
  return { finish_reason: reason === "length" ? "length" : "stop", stop_reason: stoppedBy };
}
