/** What one evaluation of so many tokens took. */
export interface CostPoint {
  readonly tokens: number;
  readonly seconds: number;
}

/**
 * What an evaluation takes by the number of its tokens: straight lines between what was measured, and on beyond it.
 * More tokens never cost less: what looks so is noise.
 */
export class CostCurve {
  readonly #points: readonly CostPoint[];

  /** @param points at least one, for different numbers of tokens */
  constructor(points: readonly CostPoint[]) {
    let highest = 0;
    this.#points = points
      .toSorted((a, b) => a.tokens - b.tokens)
      .map(({ tokens, seconds }) => ({ tokens, seconds: (highest = Math.max(highest, seconds)) }));
  }

  /** @returns seconds; 0 for no tokens */
  at(tokens: number): number {
    if (tokens <= 0) return 0;
    const above = this.#points.findIndex((point) => point.tokens >= tokens);
    const upper = this.#points[above < 0 ? this.#points.length - 1 : above];
    if (upper === undefined) return Infinity;
    // few tokens cost as much as the fewest that were measured
    const lower = this.#points[(above < 0 ? this.#points.length - 1 : above) - 1];
    if (lower === undefined) return Math.max(upper.seconds, (upper.seconds * tokens) / upper.tokens);
    const slope = (upper.seconds - lower.seconds) / (upper.tokens - lower.tokens);
    return lower.seconds + slope * (tokens - lower.tokens);
  }
}

/** What the parts of a step cost, measured when the engine is loaded. */
export interface StepCosts {
  /** Evaluations of the target that choose a token after every position. */
  readonly verify: CostCurve;
  /** Evaluations of the draft model with one token of each request; null when drafting takes no model. */
  readonly draft: CostCurve | null;
}

/**
 * Numbers of tokens to time so that a step of up to `slots` requests with up to `draftBudget` drafts each can be
 * estimated: all of one request, where the costs bend, and powers of two of requests beyond.
 */
export function verifyTokenCounts(slots: number, draftBudget: number): number[] {
  const most = slots * (draftBudget + 1);
  const counts = new Set<number>();
  for (let count = 1; count <= Math.min(most, 8); count++) counts.add(count);
  for (let count = 16; count < most; count *= 2) counts.add(count);
  return [...counts.add(most)];
}
