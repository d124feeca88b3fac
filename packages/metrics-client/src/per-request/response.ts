import type { SpecDecodeCounts } from "../normal/acceptance.ts";

/** More positions than any engine drafts: a longer histogram is not taken. */
const MAX_POSITIONS = 1024;

/**
 * The counts of one request from the engine's own fields in its response (or in the last chunk of its stream):
 *
 * - vLLM, `metrics.speculative_decoding`: D, A, V, and A_i from the histogram of accepted tokens per step;
 * - llama.cpp, `timings.draft_n` and `timings.draft_n_accepted`: D and A; V is not told (null). ik_llama.cpp adds A_i
 *   (`draft_by_depth`), mlx-vlm adds V (`draft_rounds`).
 *
 * Null when the response carries none of them, or numbers that are no counts.
 */
export function acceptanceFromResponse(json: unknown): SpecDecodeCounts | null {
  if (!isRecord(json)) return null;
  return fromVllmMetrics(json["metrics"]) ?? fromLlamaCppTimings(json["timings"]);
}

function fromVllmMetrics(metrics: unknown): SpecDecodeCounts | null {
  if (!isRecord(metrics)) return null;
  const spec = metrics["speculative_decoding"];
  if (!isRecord(spec)) return null;
  const draftTokens = countOf(spec["num_draft_tokens"]);
  const acceptedTokens = countOf(spec["num_accepted_draft_tokens"]);
  if (draftTokens === null || acceptedTokens === null) return null;
  return {
    verifySteps: countOf(spec["num_spec_steps"]),
    draftTokens,
    acceptedTokens,
    acceptedPerPosition: positionsFromHistogram(spec["acceptance_histogram"]),
  };
}

/** H[j] steps accepted exactly j tokens, so A_i is the number of steps that accepted more than i. */
function positionsFromHistogram(histogram: unknown): number[] | null {
  if (!Array.isArray(histogram) || histogram.length === 0 || histogram.length > MAX_POSITIONS) return null;
  const steps: number[] = [];
  for (const value of histogram) {
    const count = countOf(value);
    if (count === null) return null;
    steps.push(count);
  }
  const positions: number[] = [];
  let atLeast = 0;
  for (let accepted = steps.length - 1; accepted >= 1; accepted--) {
    atLeast += steps[accepted] ?? 0;
    positions[accepted - 1] = atLeast;
  }
  return positions;
}

function fromLlamaCppTimings(timings: unknown): SpecDecodeCounts | null {
  if (!isRecord(timings)) return null;
  const draftTokens = countOf(timings["draft_n"]);
  const acceptedTokens = countOf(timings["draft_n_accepted"]);
  if (draftTokens === null || acceptedTokens === null) return null;
  return {
    verifySteps: countOf(timings["draft_rounds"]),
    draftTokens,
    acceptedTokens,
    acceptedPerPosition: positionsFromDepths(timings["draft_by_depth"]),
  };
}

/** `[{ depth, draft_n, draft_n_accepted }]` with depths from 1. */
function positionsFromDepths(depths: unknown): number[] | null {
  if (!Array.isArray(depths) || depths.length === 0 || depths.length > MAX_POSITIONS) return null;
  const positions: number[] = Array.from({ length: depths.length }, () => 0);
  const seen = new Set<number>();
  for (const entry of depths) {
    const depth = isRecord(entry) ? countOf(entry["depth"]) : null;
    const accepted = isRecord(entry) ? countOf(entry["draft_n_accepted"]) : null;
    if (depth === null || accepted === null || depth < 1 || depth > depths.length || seen.has(depth))
      return null;
    seen.add(depth);
    positions[depth - 1] = accepted;
  }
  return positions;
}

function countOf(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
