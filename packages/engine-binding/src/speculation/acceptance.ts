import type { SpeculationCounters } from "../engine.ts";

/**
 * How many draft tokens the target confirms: the longest beginning of `drafts` that equals the target's own tokens.
 *
 * @param targetTokens the target's token at each position, given that all drafts before it are right
 */
export function countAccepted(drafts: readonly number[], targetTokens: readonly number[]): number {
  let accepted = 0;
  while (accepted < drafts.length && drafts[accepted] === targetTokens[accepted]) accepted++;
  return accepted;
}

/**
 * How many tokens to draft: at most the budget, and none that could not be used. One token of what remains is the
 * target's own (the bonus token of the verify step).
 */
export function draftLength(budget: number, maxTokens: number, outputTokens: number): number {
  return Math.max(0, Math.min(budget, maxTokens - outputTokens - 1));
}

/**
 * Counts of draft-verify steps as vLLM counts them: what was verified, before the output is trimmed by EOS, a stop or the
 * end of the stream. A token accepted after an EOS in the same step counts as accepted, though the output does not show it.
 */
export class SpeculationTally {
  #verifySteps = 0;
  #draftTokens = 0;
  #acceptedTokens = 0;
  readonly #acceptedPerPosition: number[];

  /** @param budget K, the length of the counts by position */
  constructor(budget: number) {
    this.#acceptedPerPosition = Array.from({ length: budget }, () => 0);
  }

  /** Whether any step with draft tokens was counted. */
  get empty(): boolean {
    return this.#verifySteps === 0;
  }

  /** Counts one step of one request. A step without draft tokens is not a verify step and counts nothing. */
  add(drafted: number, accepted: number): void {
    if (drafted === 0) return;
    if (accepted > drafted || drafted > this.#acceptedPerPosition.length) {
      throw new RangeError(
        `accepted ${accepted} <= drafted ${drafted} <= ${this.#acceptedPerPosition.length} must hold`,
      );
    }
    this.#verifySteps++;
    this.#draftTokens += drafted;
    this.#acceptedTokens += accepted;
    for (let position = 0; position < accepted; position++) {
      this.#acceptedPerPosition[position] = (this.#acceptedPerPosition[position] ?? 0) + 1;
    }
  }

  snapshot(): SpeculationCounters & { readonly acceptedPerPosition: readonly number[] } {
    return {
      verifySteps: this.#verifySteps,
      draftTokens: this.#draftTokens,
      acceptedTokens: this.#acceptedTokens,
      acceptedPerPosition: [...this.#acceptedPerPosition],
    };
  }
}
