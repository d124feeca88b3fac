import type { StepCosts } from "./step-costs.ts";

/** How much a decided draft token counts against what was seen of the same request before. */
const WEIGHT = 0.08;
/** How much one counts against what was seen of all requests before. */
const WEIGHT_OF_ALL = 0.02;
/** What is assumed before the first step. It is hopeful, so that the first steps are drafted wherever drafting can pay. */
const HOPE = 0.95;
/** Draft tokens that an assumption counts as much as. */
const ASSUMED = 2;

/** How likely the next draft token is to hold, from what was seen so far: of one request, or of all of an engine. */
export class AcceptanceEstimate {
  #accepted: number;
  #rejected: number;
  readonly #weight: number;

  /**
   * @param assumed what is assumed before the first step, 0 to 1
   * @param weight how much a decided draft token counts against those before it, 0 to 1
   */
  constructor(assumed: number = HOPE, weight: number = WEIGHT) {
    this.#accepted = ASSUMED * assumed;
    this.#rejected = ASSUMED * (1 - assumed);
    this.#weight = weight;
  }

  /** The share of draft tokens that is expected to hold, given that those before them did; 0 to 1. */
  get value(): number {
    return this.#accepted / (this.#accepted + this.#rejected);
  }

  /** Takes in a verify step: of `drafted` tokens the first `accepted` held, and the next one, if any, did not. */
  add(drafted: number, accepted: number): void {
    if (drafted === 0) return;
    const decided = accepted + (accepted < drafted ? 1 : 0);
    const keep = (1 - this.#weight) ** decided;
    this.#accepted = this.#accepted * keep + accepted;
    this.#rejected = this.#rejected * keep + (decided - accepted);
  }
}

/** What one request brings to a step. */
export interface DraftProspect {
  /** The share of draft tokens that is expected to hold. */
  readonly acceptance: number;
  /** Tokens that may be drafted for it. */
  readonly most: number;
}

/** Drafts must promise this much more than none: what they cost beside the evaluations was not measured. */
const WORTHWHILE = 1.05;

/**
 * The number of draft tokens for every request of a step, 0 to `budget`, with the highest expected rate. With acceptance
 * `a` per token, `k` drafts bring (1 - a^(k+1)) / (1 - a) tokens, the target's own token included. Requests share one
 * length because they share the evaluations: those with equally many tokens are evaluated together, others apart.
 */
export function bestDraftLength(
  costs: StepCosts,
  prospects: readonly DraftProspect[],
  budget: number,
): number {
  const longest = prospects.reduce((most, prospect) => Math.max(most, prospect.most), 0);
  let best = 0;
  let bestRate = 0;
  let tokens = 0;
  let drafting = 0;
  for (let length = 0; length <= Math.min(budget, longest); length++) {
    /** Requests by their drafts in this step. */
    const groups = new Map<number, number>();
    let reaching = 0;
    for (const { acceptance, most } of prospects) {
      const drafts = Math.min(most, length);
      groups.set(drafts, (groups.get(drafts) ?? 0) + 1);
      if (drafts < length) continue;
      reaching++;
      tokens += acceptance ** length;
    }
    if (length > 0) drafting += costs.draft?.at(reaching) ?? 0;
    let verifying = 0;
    for (const [drafts, requests] of groups) verifying += costs.verify.at(requests * (drafts + 1));
    const rate = tokens / (verifying + drafting);
    if (length === 0 || rate > bestRate) {
      best = length;
      bestRate = length === 0 ? rate * WORTHWHILE : rate;
    }
  }
  return best;
}

/** Steps without drafts before drafting is tried again; each try that does not pay doubles them, up to the most. */
const FIRST_PAUSE = 32;
const LONGEST_PAUSE = 256;

/**
 * Chooses how many tokens to draft in each step of an engine, from the costs of a step and the acceptance of the requests
 * in it. A request begins with what was seen of those before it: their outputs are mostly of one kind. Where nothing pays
 * it drafts the full length now and then, so that an output which begins to copy is noticed.
 */
export class AdaptiveDraftLength {
  readonly #costs: StepCosts;
  readonly #budget: number;
  #pause = FIRST_PAUSE;
  #idleSteps = 0;
  #ofAll = new AcceptanceEstimate(HOPE, WEIGHT_OF_ALL);

  /** @param budget K */
  constructor(costs: StepCosts, budget: number) {
    this.#costs = costs;
    this.#budget = budget;
  }

  /** What is assumed of a request that begins now. */
  begin(): AcceptanceEstimate {
    return new AcceptanceEstimate(this.#ofAll.value);
  }

  /** Takes in a verify step of any request. */
  add(drafted: number, accepted: number): void {
    this.#ofAll.add(drafted, accepted);
  }

  /** Whether drafting would pay for a request by itself: otherwise its draft model need not read its prompt yet. */
  pays(prospect: DraftProspect): boolean {
    return bestDraftLength(this.#costs, [prospect], this.#budget) > 0;
  }

  /** @param prospects of the requests that decode in this step, those that draft nothing included */
  choose(prospects: readonly DraftProspect[]): number {
    const length = bestDraftLength(this.#costs, prospects, this.#budget);
    if (length > 0) {
      this.#pause = FIRST_PAUSE;
      this.#idleSteps = 0;
      return length;
    }
    if (prospects.every(({ most }) => most === 0)) return 0;
    if (++this.#idleSteps < this.#pause) return 0;
    this.#idleSteps = 0;
    this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2);
    return this.#budget;
  }

  /** Begins anew: what ran before is forgotten. */
  reset(): void {
    this.#ofAll = new AcceptanceEstimate(HOPE, WEIGHT_OF_ALL);
    this.#pause = FIRST_PAUSE;
    this.#idleSteps = 0;
  }
}
