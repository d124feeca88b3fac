import type { SpeculationCounters } from "@onpar/engine-binding";
import { readServerLoad, type MetricsDelta, type MetricsSnapshot } from "@onpar/metrics-client";
import {
  countedPositions,
  readAcceptance,
  speculationDelta,
  type AcceptanceReading,
  type OwnAcceptance,
} from "./acceptance-source.ts";
import { deltaOf } from "./server-counters.ts";
import type { Session } from "./session.ts";

/**
 * Reads what a system counts at the edges of the measured phase: acceptance, and whatever else its metrics page tells. Counters of a
 * run that was cut short before are not known from its beginning, and say nothing.
 */
export class RunAcceptance {
  /** Of the measured requests, when they have ended. */
  reading: AcceptanceReading = { acceptance: null, missing: "nothing was measured", drafting: null };
  /** K, by what was counted or as the system says. */
  draftBudget: number | null = null;
  /** Counters of the server over the measured phase. */
  metrics: MetricsDelta | null = null;
  readonly #session: Session;
  readonly #own: OwnAcceptance;
  /** Whether the counters belong to all of the run. */
  readonly #isWhole: boolean;
  #hasBegun = false;
  #engineBefore: SpeculationCounters | null = null;
  #pageAtFirst: MetricsSnapshot | null = null;
  #pageBefore: MetricsSnapshot | null = null;
  #pageAfter: MetricsSnapshot | null = null;

  constructor(session: Session, own: OwnAcceptance, isWhole: boolean) {
    this.#session = session;
    this.#own = own;
    this.#isWhole = isWhole;
  }

  /** Requests that ran on the server when all own ones had ended; null when it does not tell. */
  get runningAfter(): number | null {
    return this.#pageAfter === null ? null : readServerLoad(this.#pageAfter.samples).requestsRunning;
  }

  async beforeWarmUp(): Promise<void> {
    this.#pageAtFirst = (await this.#session.counters?.read()) ?? null;
  }

  /** @param answered requests of the warm-up that the server counts */
  async afterWarmUp(answered: number): Promise<void> {
    this.#pageBefore = (await this.#session.counters?.settle(this.#pageAtFirst, answered)) ?? null;
  }

  begin(): void {
    this.#hasBegun = true;
    this.#engineBefore = this.#engineNow();
  }

  /** @param answered measured requests that the server counts */
  async end(answered: number): Promise<void> {
    const engine = this.#engineNow();
    const { counters } = this.#session;
    this.#pageAfter = (await counters?.settle(this.#pageBefore, answered)) ?? null;
    this.metrics = this.#isWhole ? deltaOf(this.#pageBefore, this.#pageAfter) : null;
    this.reading = this.#read(engine, this.metrics);
    const { acceptance } = this.reading;
    const asks = this.#session.engine !== null || acceptance !== null;
    this.draftBudget = countedPositions(acceptance) ?? (asks ? await this.#session.draftBudget() : null);
  }

  /** What is known while the run goes on. */
  async soFar(): Promise<AcceptanceReading> {
    if (!this.#hasBegun) return this.reading;
    const engine = this.#engineNow();
    const page = this.#pageBefore === null ? null : ((await this.#session.counters?.peek()) ?? null);
    return this.#read(engine, deltaOf(this.#pageBefore, page));
  }

  #engineNow(): SpeculationCounters | null {
    return this.#session.engine?.counters().speculation ?? null;
  }

  #read(engine: SpeculationCounters | null, metrics: MetricsDelta | null): AcceptanceReading {
    const session = this.#session;
    return readAcceptance({
      engine: this.#isWhole ? speculationDelta(this.#engineBefore, engine) : null,
      isEngine: session.engine !== null,
      speculates: session.engine !== null && session.engine.info.speculation !== null,
      metrics: this.#isWhole ? metrics : null,
      metricsProblem: this.#isWhole
        ? (session.counters?.problem ?? null)
        : "the run was cut short and went on, and counters of its first part are not known",
      own: this.#own,
    });
  }
}
