/** Counts of speculative decoding; symbols as in the literature. */
export interface SpecDecodeCounts {
  /** V: verify steps, one per request and engine step that carried at least one draft token. */
  readonly verifySteps: number;
  /** D: draft tokens proposed. */
  readonly draftTokens: number;
  /** A: draft tokens accepted, bonus token excluded. */
  readonly acceptedTokens: number;
  /** A_i by draft position (0-based); null when the source does not tell. */
  readonly acceptedPerPosition: readonly number[] | null;
}

/** Acceptance with the source it was read from. Ratios are null when their denominator is 0. */
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

export type AcceptanceSource = "metrics-delta" | "engine-counters" | "per-request";
