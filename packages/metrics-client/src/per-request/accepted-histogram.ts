import { countAt } from "../json.ts";
import { MAX_POSITIONS } from "./request-acceptance.ts";

/** What follows from H[j], the number of verify steps that accepted exactly j draft tokens. */
export interface AcceptedHistogram {
  readonly verifySteps: number;
  readonly acceptedTokens: number;
  /** A_i is the number of steps that accepted more than i. */
  readonly acceptedPerPosition: readonly number[];
}

/** Null when it is no list of counts. */
export function readAcceptedHistogram(histogram: unknown): AcceptedHistogram | null {
  if (!Array.isArray(histogram) || histogram.length === 0 || histogram.length > MAX_POSITIONS) return null;
  const steps: number[] = [];
  for (const value of histogram) {
    const count = typeof value === "number" ? countAt(value) : null;
    if (count === null) return null;
    steps.push(count);
  }
  const acceptedPerPosition: number[] = [];
  let atLeast = 0;
  for (let accepted = steps.length - 1; accepted >= 1; accepted--) {
    atLeast += steps[accepted] ?? 0;
    acceptedPerPosition[accepted - 1] = atLeast;
  }
  return {
    verifySteps: atLeast + (steps[0] ?? 0),
    acceptedTokens: steps.reduce((sum, count, accepted) => sum + count * accepted, 0),
    acceptedPerPosition,
  };
}
