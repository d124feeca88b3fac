import type { SpeculationCounters } from "@onpar/engine-binding";
import {
  acceptanceFrom,
  sumSpecDecodeCounts,
  type Acceptance,
  type MetricsDelta,
  type SpecDecodeCounts,
} from "@onpar/metrics-client";
import type { RequestRecord } from "./record.ts";

/** Everything that could tell the acceptance of a run. */
export interface AcceptanceSources {
  /** The in-process engine's counters over the measured phase; null when there is no engine or it does not draft. */
  readonly engine: SpecDecodeCounts | null;
  readonly isEngine: boolean;
  /** Whether the in-process engine was loaded to speculate. */
  readonly speculates: boolean;
  readonly metrics: MetricsDelta | null;
  /** Why the metrics page could not be read. */
  readonly metricsProblem: string | null;
  /** Of the records of the measured phase. */
  readonly own: OwnAcceptance;
}

/** What the answers of a run say about their own acceptance, summed as they come. */
export class OwnAcceptance {
  #sum: SpecDecodeCounts | null = null;
  #allTold = true;
  #anyTold = false;

  /** Whether any record carries counts, of a request that ended well or not. */
  get anyTold(): boolean {
    return this.#anyTold;
  }

  /** The sum over requests, only when every request that was answered tells its counts: some would be another sample. */
  get counts(): SpecDecodeCounts | null {
    return this.#allTold ? this.#sum : null;
  }

  /** Takes a record of the measured phase. */
  add({ state, acceptance }: Pick<RequestRecord, "state" | "acceptance">): void {
    if (acceptance !== null) this.#anyTold = true;
    if (state !== "ok") return;
    if (acceptance === null) this.#allTold = false;
    else this.#sum = sumSpecDecodeCounts(this.#sum === null ? [acceptance] : [this.#sum, acceptance]);
  }
}

export interface AcceptanceReading {
  readonly acceptance: Acceptance | null;
  /** Why there is none, in words; null when there is. */
  readonly missing: string | null;
  /** Whether the source shows drafting; null when nothing is known. */
  readonly drafting: boolean | null;
}

/** Takes the first source that tells: engine counters, then the metrics page's difference, then the requests' own counts. */
export function readAcceptance(sources: AcceptanceSources): AcceptanceReading {
  const { engine, isEngine, speculates, metrics } = sources;
  if (isEngine) {
    if (engine !== null) return reading(engine, "engine-counters");
    return speculates
      ? { acceptance: null, missing: "the engine does not count what it drafts", drafting: null }
      : { acceptance: null, missing: "the engine was loaded without speculation", drafting: false };
  }
  const spec = metrics === null || metrics.reset ? null : metrics.spec;
  // A page that counts no draft may be the wrong page (a router's): the requests themselves may know better.
  if (spec !== null && spec.draftTokens > 0) return reading(spec, "metrics-delta");
  const own = sources.own.counts;
  if (own !== null) return reading(own, "per-request");
  if (spec !== null) return reading(spec, "metrics-delta");
  return { acceptance: null, missing: whyMissing(sources), drafting: null };
}

/** The engine's counts between two readings of its counters. */
export function speculationDelta(
  before: SpeculationCounters | null,
  after: SpeculationCounters | null,
): SpecDecodeCounts | null {
  if (after === null) return null;
  const less = (now: number, then: number | undefined): number => now - (then ?? 0);
  return {
    verifySteps: less(after.verifySteps, before?.verifySteps),
    draftTokens: less(after.draftTokens, before?.draftTokens),
    acceptedTokens: less(after.acceptedTokens, before?.acceptedTokens),
    acceptedPerPosition:
      after.acceptedPerPosition?.map((now, position) => less(now, before?.acceptedPerPosition?.[position])) ??
      null,
  };
}

/** K by the number of draft positions that a source counts; null when it does not count by position. */
export function countedPositions(acceptance: Acceptance | null): number | null {
  const positions = acceptance?.acceptedPerPosition?.length ?? 0;
  return positions > 0 ? positions : null;
}

function reading(counts: SpecDecodeCounts, source: Acceptance["source"]): AcceptanceReading {
  if (counts.draftTokens === 0) {
    return { acceptance: null, missing: `no token was drafted during the run (${source})`, drafting: false };
  }
  return { acceptance: acceptanceFrom(counts, source), missing: null, drafting: true };
}

function whyMissing({ metrics, metricsProblem, own }: AcceptanceSources): string {
  if (metrics?.reset === true) return "the server's counters started again during the run";
  const page =
    metricsProblem ??
    (metrics === null
      ? "the metrics page was not read"
      : "the metrics page has no speculative-decoding counters");
  return `${page}; ${own.anyTold ? "only some answers carry" : "answers carry no"} counts of their own`;
}
