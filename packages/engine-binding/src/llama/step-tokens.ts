/** Counted apart: steps of at most 1, 2, 4, … 16,384 tokens, and larger ones. */
export const STEP_TOKEN_COUNTS = 16;

/** Steps that brought output, by the tokens they brought. */
export class StepTokens {
  readonly #counts = Array.from({ length: STEP_TOKEN_COUNTS }, () => 0);

  /** Entry i counts steps of more than 2^(i-1) and at most 2^i tokens. */
  get counts(): readonly number[] {
    return this.#counts;
  }

  /** @param tokens nothing is counted when there are none: such a step only read a piece of a prompt */
  add(tokens: number): void {
    if (tokens === 0) return;
    const at = Math.min(Math.ceil(Math.log2(tokens)), STEP_TOKEN_COUNTS - 1);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }
}
