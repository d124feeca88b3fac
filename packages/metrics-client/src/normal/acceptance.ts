import type { AcceptanceReading } from "./acceptance-reading.ts";

/** Counts of speculative decoding; symbols as in the literature. */
export interface SpecDecodeCounts {
  /**
   * V: verify steps, one per request and engine step that carried at least one draft token. Null when the source does
   * not tell: llama.cpp's per-response `timings` and vLLM before April 2025 count drafted and accepted tokens only. The
   * mean acceptance length and the rates by position are then unknown too, never 0.
   */
  readonly verifySteps: number | null;
  /** D: draft tokens proposed. */
  readonly draftTokens: number;
  /** A: draft tokens accepted, bonus token excluded. */
  readonly acceptedTokens: number;
  /** A_i by draft position (0-based); null when the source does not tell. */
  readonly acceptedPerPosition: readonly number[] | null;
}

/** Acceptance with the source it was read from. Ratios are null when their denominator is 0 or unknown. */
export interface Acceptance extends SpecDecodeCounts {
  /** A / D, 0 to 1. */
  readonly rate: number | null;
  /** 1 + A / V: tokens per verify step, bonus included, 1 to K + 1. */
  readonly meanAcceptanceLength: number | null;
  /** A_i / V, non-increasing in i. */
  readonly perPositionRate: readonly number[] | null;
  /** Where the counts come from: `metrics-delta`, `engine-counters` or `per-request`. */
  readonly source: AcceptanceSource;
}

/** A metrics page before and after, the counters of an engine in this process, or what single answers say of themselves. */
export type AcceptanceSource = "metrics-delta" | "engine-counters" | "per-request";

/**
 * The ratios of speculative decoding from its counts: rate A / D, mean acceptance length 1 + A / V (the bonus token
 * included, as engines print it), rate by position A_i / V. A run without drafts has no acceptance: null, not 0 or 1.
 */
export function acceptanceFrom(counts: SpecDecodeCounts, source: AcceptanceSource): Acceptance {
  const { verifySteps, draftTokens, acceptedTokens, acceptedPerPosition } = counts;
  const hasSteps = verifySteps !== null && verifySteps > 0;
  return {
    verifySteps,
    draftTokens,
    acceptedTokens,
    acceptedPerPosition,
    rate: draftTokens > 0 ? acceptedTokens / draftTokens : null,
    meanAcceptanceLength: hasSteps ? 1 + acceptedTokens / verifySteps : null,
    perPositionRate:
      hasSteps && acceptedPerPosition !== null
        ? acceptedPerPosition.map((accepted) => accepted / verifySteps)
        : null,
    source,
  };
}

/**
 * Adds counts of several requests, engines or workers, so that ratios are ratios of sums. V and A_i are null when one of
 * the summands does not know them; null for an empty list.
 */
export function sumSpecDecodeCounts(counts: readonly SpecDecodeCounts[]): SpecDecodeCounts | null {
  if (counts.length === 0) return null;
  let verifySteps: number | null = 0;
  let draftTokens = 0;
  let acceptedTokens = 0;
  let acceptedPerPosition: number[] | null = [];
  for (const one of counts) {
    verifySteps = verifySteps === null || one.verifySteps === null ? null : verifySteps + one.verifySteps;
    draftTokens += one.draftTokens;
    acceptedTokens += one.acceptedTokens;
    if (acceptedPerPosition === null || one.acceptedPerPosition === null) {
      acceptedPerPosition = null;
      continue;
    }
    for (const [position, accepted] of one.acceptedPerPosition.entries()) {
      acceptedPerPosition[position] = (acceptedPerPosition[position] ?? 0) + accepted;
    }
  }
  return { verifySteps, draftTokens, acceptedTokens, acceptedPerPosition };
}

/** The plain counts of a reading; null when it does not tell both drafted and accepted tokens. */
export function specDecodeCountsOf(reading: AcceptanceReading): SpecDecodeCounts | null {
  const { draftTokens, acceptedTokens, verifySteps, acceptedPerPosition } = reading;
  if (draftTokens === null || acceptedTokens === null) return null;
  return {
    verifySteps: verifySteps?.value ?? null,
    draftTokens: draftTokens.value,
    acceptedTokens: acceptedTokens.value,
    acceptedPerPosition,
  };
}
