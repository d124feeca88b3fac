/** What the parts of a step cost, in one unit (seconds, say): measured when the engine is loaded. */
export interface StepCosts {
  /** Target evaluations of 1, 2, … tokens of one sequence; index 0 is one token. Its length is K + 1. */
  readonly verify: readonly number[];
  /** Drafting one token. */
  readonly draft: number;
}

/** How much a new verify step counts against what was seen before. */
const WEIGHT = 0.08;
/** Draft positions are counted as if this many had been accepted, and as many rejected, before the first step. */
const PRIOR = 1;

/**
 * Chooses how many tokens to draft for one request: the count that promises most tokens per time, from the costs of a
 * step and the share of drafts that this request has seen accepted. It depends on the costs and on the verify steps
 * alone, so that equal runs on one engine draft alike.
 *
 * A request for which drafting does not pay is tried again now and then with one token, so that it can recover.
 */
export class AdaptiveDraftLength {
  readonly #costs: StepCosts;
  #accepted = PRIOR * 2;
  #rejected = PRIOR;
  #idleSteps = 0;

  constructor(costs: StepCosts) {
    this.#costs = costs;
  }

  /** The share of draft tokens that is expected to hold, 0 to 1. */
  get acceptance(): number {
    return this.#accepted / (this.#accepted + this.#rejected);
  }

  /** @param most tokens that may be drafted in this step */
  choose(most: number): number {
    const length = bestDraftLength(this.#costs, this.acceptance, most);
    if (length > 0 || most === 0) {
      this.#idleSteps = 0;
      return length;
    }
    this.#idleSteps++;
    return this.#idleSteps % RETRY_STEPS === 0 ? 1 : 0;
  }

  /** Takes in a verify step: of `drafted` tokens the first `accepted` held, and the next one, if any, did not. */
  add(drafted: number, accepted: number): void {
    if (drafted === 0) return;
    const decided = accepted + (accepted < drafted ? 1 : 0);
    const keep = (1 - WEIGHT) ** decided;
    this.#accepted = this.#accepted * keep + accepted;
    this.#rejected = this.#rejected * keep + (decided - accepted);
  }
}

const RETRY_STEPS = 32;

/**
 * The number of draft tokens, 0 to `most`, with the highest expected rate. With acceptance `a` per token, `k` drafts
 * bring (1 - a^(k+1)) / (1 - a) tokens a step, the target's own token included.
 */
export function bestDraftLength(costs: StepCosts, acceptance: number, most: number): number {
  let best = 0;
  let bestRate = 0;
  let tokens = 0;
  for (let length = 0; length <= Math.min(most, costs.verify.length - 1); length++) {
    tokens += acceptance ** length;
    const rate = tokens / ((costs.verify[length] ?? Infinity) + length * costs.draft);
    if (rate > bestRate) {
      best = length;
      bestRate = rate;
    }
  }
  return best;
}
