import { setTimeout as sleep } from "node:timers/promises";
import { slosOf, type BenchConfig, type JsonValue } from "@onpar/bench-config";
import type { Timeline } from "./clock.ts";
import { askedRequests, planClosedLoop, type LoadPlan } from "./load/load-plan.ts";
import { requestId, type LoadRunner } from "./load/load-runner.ts";
import { messageOf, type RunError } from "./errors.ts";
import { auditClient, checkClient } from "./checks/client-check.ts";
import type { RunObserver, RunView } from "./events.ts";
import type { RunFacts } from "./records/journal-format.ts";
import type { ResumeState } from "./records/resume.ts";
import type { Journal } from "./records/journal.ts";
import type { WorkloadPrompt } from "./prompt.ts";
import type { RequestRecord } from "./record.ts";
import { refusalOf } from "./refusal.ts";
import { resolveProtocol, resolveStoppingRule } from "./resolved-protocol.ts";
import { RUN_SCHEMA, type ClientCheck, type Finding, type RunResult } from "./result.ts";
import { RunAcceptance } from "./run-acceptance.ts";
import { planRest, type RunPlan } from "./run-plan.ts";
import { RunTally } from "./run-tally.ts";
import type { Session } from "./session.ts";
import { expectsDone, unsentFindings } from "./checks/unsent.ts";
import { summarizeFigures } from "./figures/summarize.ts";
import type { PreparedRequest } from "./targets/target.ts";
import type { ClientReport } from "./workers/messages.ts";

export interface RunParts {
  readonly config: BenchConfig;
  readonly session: Session;
  readonly plan: RunPlan;
  /** When the measured requests go out, in each repetition. */
  readonly loads: readonly LoadPlan[];
  readonly runner: LoadRunner;
  readonly journal: Journal | null;
  readonly observer: RunObserver;
  readonly timeline: Timeline;
  readonly stop: AbortController;
  /** The run that is gone on with; null for a new one. */
  readonly resumed: ResumeState | null;
}

/** Requests that go out by one plan. */
interface Phase {
  readonly phase: "warmup" | "measure";
  readonly requests: readonly PreparedRequest[];
  readonly plan: LoadPlan;
  readonly repetition: number;
  readonly numbers?: readonly number[] | undefined;
}

/** One run under way. */
export class Run {
  /** Set when the first requests came back refused: the run ends with this error. */
  refusal: RunError | null = null;
  readonly #parts: RunParts;
  readonly #tally: RunTally;
  readonly #acceptance: RunAcceptance;
  readonly #findings: Finding[] = [];
  #anyOk = false;
  /** Requests of an earlier part of this run that ended well. */
  #replayedOk = 0;
  #client: ClientCheck | null = null;

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#tally = new RunTally({
      rule: resolveStoppingRule(parts.config, this.#firstBody()),
      promptTextTokens: textTokens(parts.plan.workload.measured),
      plannedHitRate: parts.config.dataset.hitRate,
    });
    const isWhole = parts.resumed === null || parts.resumed.done.size === 0;
    this.#acceptance = new RunAcceptance(parts.session, this.#tally.acceptance, isWhole);
  }

  /** Requests that were to be measured; where time decides, those that went out in it. */
  get asked(): number {
    return askedOf(this.#parts.loads) ?? this.#tally.measured;
  }

  /** Requests of the measured phase that did not come to their own end. */
  get unfinished(): number {
    return this.asked - (this.#tally.measured - this.#tally.aborted);
  }

  /** Takes a record of the part of this run that was cut short. */
  replay(record: RequestRecord): void {
    this.#tally.add(record);
    if (record.state !== "ok") return;
    this.#anyOk = true;
    this.#replayedOk++;
  }

  /** The journal could not be written to its end. */
  recordsLost(error: unknown): void {
    const message = `${messageOf(error)}; the run ended early, after ${this.#tally.measured} of ${this.asked} requests`;
    this.#findings.push({ severity: "breach", code: "records-lost", message });
  }

  /** What figures need and the records do not hold. */
  facts(): RunFacts {
    const { config, loads } = this.#parts;
    const [load] = loads;
    const { acceptance, missing } = this.#acceptance.reading;
    return {
      asked: this.asked,
      cap: resolveStoppingRule(config, this.#firstBody()).cap,
      concurrency: load === undefined || load.dueNs !== null || load.gates !== null ? null : load.lanes,
      acceptance,
      acceptanceMissing: missing,
      client: this.#client,
    };
  }

  async warmUp(): Promise<void> {
    const { config, session, plan } = this.#parts;
    await this.#acceptance.beforeWarmUp();
    // Whoever cannot empty its cache says so before the first request.
    if (config.cache.policy === "reset") await session.resetCache(this.#parts.stop.signal);
    const load = planClosedLoop(plan.warmup.length, config.concurrency);
    const { resumed } = this.#parts;
    const numbers = plan.warmup.map((_, index) => (resumed?.warmups ?? 0) + index);
    await this.#phase({ phase: "warmup", requests: plan.warmup, plan: load, repetition: 0, numbers });
    const { warmupAnswered, warmupFailed, firstWarmupError: reason } = this.#tally;
    await this.#acceptance.afterWarmUp(warmupAnswered);
    if (reason !== null) {
      const message = `${warmupFailed} of ${plan.warmup.length} warm-up requests failed: ${reason}`;
      this.#findings.push({ severity: "warning", code: "warmup-failed", message });
    }
  }

  async measure(): Promise<void> {
    const { session } = this.#parts;
    this.#acceptance.begin();
    const reports = await this.#repetitions();
    // An engine of this process computes on other threads and yields its tokens on this one: it has no sockets to be late for.
    if (session.engine === null) this.#client = checkClient(reports);
    this.#findings.push(...auditClient(this.#client));
    const { resumed } = this.#parts;
    if (resumed !== null && resumed.done.size > 0) this.#noteResumed(resumed.done.size);
    await this.#acceptance.end(this.#tally.ok - this.#replayedOk);
  }

  /** The run as a display may look at it while it goes on. */
  view(): RunView {
    return {
      findings: () => this.#withOwnFindings(this.#tally.audit.findingsSoFar()),
      acceptance: () => this.#acceptance.soFar(),
    };
  }

  result(about: { startedAt: string; interrupted: boolean; toolVersion: string }): RunResult {
    const { config, session, plan, journal } = this.#parts;
    const { draftBudget, metrics, runningAfter } = this.#acceptance;
    const { drafting } = this.#acceptance.reading;
    const protocol = resolveProtocol({
      config,
      model: session.model,
      template: plan.template,
      workload: plan.workload,
      body: this.#firstBody(),
      draftBudget,
      drafting,
    });
    const summary = summarizeFigures(this.#tally.figures, {
      ...this.facts(),
      slos: slosOf(config),
      seed: config.seed,
    });
    const seen = this.#tally.audit.findings({
      summary,
      draftBudget,
      metrics,
      metricsProblem: session.counters?.problem ?? null,
      metricsNamed: config.target.metricsUrl !== null || config.target.metricsUrls.length > 0,
      runningAfter,
      cutShort: this.#parts.stop.signal.aborted,
    });
    return {
      schema: RUN_SCHEMA,
      tool: { name: "onpar", version: about.toolVersion },
      startedAt: about.startedAt,
      interrupted: about.interrupted,
      config,
      protocol,
      system: session.system,
      summary,
      findings: this.#withOwnFindings(seen),
      recordsPath: journal?.path ?? null,
    };
  }

  /** What the audit found, and what is known from the plan and the run itself. */
  #withOwnFindings(seen: readonly Finding[]): Finding[] {
    const { config, session, plan } = this.#parts;
    return [
      ...seen.filter(({ code }) => code !== "done-missing" || expectsDone(config)),
      ...unsentFindings(session.unsent, config),
      ...session.effects,
      ...plan.workload.findings,
      ...this.#findings,
    ];
  }

  /** The body of the first measured request that carries what holds for the run, read back from what goes out. */
  #firstBody(): Readonly<Record<string, JsonValue>> {
    const { measure } = this.#parts.plan;
    const first = measure.find(({ outputTokens }) => outputTokens == null) ?? measure[0];
    return first === undefined ? {} : this.#parts.session.target.describe(first);
  }

  /** One after the other, with the pause between them that was asked for. */
  async #repetitions(): Promise<ClientReport[]> {
    const { config, session, loads, timeline, stop } = this.#parts;
    const reports: ClientReport[] = [];
    for (const [repetition, load] of loads.entries()) {
      if (repetition > 0) await this.#cooldown(config.repetition.cooldownS);
      if (stop.signal.aborted) break;
      if (config.cache.policy === "reset") await session.resetCache(stop.signal);
      const before = this.#tally.measured;
      const startedNs = timeline.now();
      reports.push(...(await this.#phase(this.#left(load, repetition))));
      this.#noteExhausted(load, timeline.now() - startedNs, this.#tally.measured - before);
    }
    return reports;
  }

  /** The requests of a repetition that are not recorded yet, and when they go out. */
  #left(load: LoadPlan, repetition: number): Phase {
    const { plan, resumed } = this.#parts;
    const all = { phase: "measure" as const, requests: plan.measure, plan: load, repetition };
    if (resumed === null) return all;
    const numbers = [...plan.measure.keys()].filter(
      (number) => !resumed.done.has(requestId("measure", repetition, number)),
    );
    const requests = numbers.flatMap((number) => plan.measure[number] ?? []);
    return { ...all, requests, plan: planRest(load, numbers), numbers };
  }

  #noteResumed(done: number): void {
    const message = `the run was cut short after ${done} requests and went on: rates over the whole run hold the pause, and counters of its first part are not known`;
    this.#findings.push({ severity: "note", code: "run-resumed", message });
  }

  async #cooldown(seconds: number): Promise<void> {
    const { signal } = this.#parts.stop;
    if (seconds > 0) await sleep(seconds * 1000, undefined, { signal }).catch(() => {});
  }

  async #phase({ phase, requests, plan, repetition, numbers }: Phase): Promise<ClientReport[]> {
    const { config, runner, journal, observer, stop } = this.#parts;
    if (requests.length === 0 || stop.signal.aborted) return [];
    const total = requests.length;
    let done = 0;
    observer.onEvent({ type: "phase-started", phase, total });
    return runner.run({
      phase,
      repetition,
      plan,
      requests,
      numbers,
      signal: stop.signal,
      keepText: config.client.keepText,
      onFinished: (record) => {
        this.#tally.add(record);
        journal?.append(record);
        this.#stopIfRefused(record);
        observer.onEvent({ type: "request-finished", record, done: ++done, total });
      },
    });
  }

  /** A load that was to last so long had no more prompts to send. */
  #noteExhausted(load: LoadPlan, elapsedNs: number, sent: number): void {
    const { plan, stop } = this.#parts;
    if (load.untilNs === null || elapsedNs >= load.untilNs || stop.signal.aborted) return;
    if (sent < plan.measure.length) return;
    const message =
      `all ${sent} prompts were sent after ${(elapsedNs / 1e9).toFixed(1)} of ${load.untilNs / 1e9} s: ` +
      "the load ended early; raise --num-prompts";
    this.#findings.push({ severity: "warning", code: "prompts-exhausted", message });
  }

  /** As long as nothing was answered, a refusal means that every request would be refused. */
  #stopIfRefused(record: RequestRecord): void {
    if (record.state === "ok") this.#anyOk = true;
    if (this.#anyOk || this.refusal !== null) return;
    this.refusal = refusalOf(record, this.#parts.session.refusal);
    if (this.refusal !== null) this.#parts.stop.abort();
  }
}

/** Requests that all repetitions ask for; null when time decides it. */
export function askedOf(loads: readonly LoadPlan[]): number | null {
  let asked = 0;
  for (const load of loads) {
    const own = askedRequests(load);
    if (own === null) return null;
    asked += own;
  }
  return asked;
}

/** Tokens of prompts whose text was counted on this side, by prompt id. */
function textTokens(prompts: readonly WorkloadPrompt[]): ReadonlyMap<string, number> {
  const known = new Map<string, number>();
  for (const prompt of prompts) {
    if (prompt.kind === "text" && prompt.tokens !== null) known.set(prompt.id, prompt.tokens);
    if (prompt.kind === "ids") known.set(prompt.id, prompt.ids.length);
  }
  return known;
}
