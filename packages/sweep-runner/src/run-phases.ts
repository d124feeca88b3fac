import type { BenchConfig } from "@onpar/bench-config";
import { readServerLoad, type MetricsDelta, type MetricsSnapshot } from "@onpar/metrics-client";
import {
  countedPositions,
  readAcceptance,
  speculationDelta,
  type AcceptanceReading,
} from "./acceptance-source.ts";
import { audit } from "./checks/audit.ts";
import type { Timeline } from "./clock.ts";
import { askedRequests, planClosedLoop, type LoadPlan } from "./load/load-plan.ts";
import type { LoadRunner } from "./load/load-runner.ts";
import { messageOf, type RunError } from "./errors.ts";
import { auditEventLoop } from "./checks/event-loop.ts";
import type { RunObserver } from "./events.ts";
import type { Journal } from "./records/journal.ts";
import type { WorkloadPrompt } from "./prompt.ts";
import type { RequestRecord } from "./record.ts";
import { refusalOf } from "./refusal.ts";
import { resolveProtocol } from "./resolved-protocol.ts";
import { RUN_SCHEMA, type Finding, type RunResult } from "./result.ts";
import type { RunPlan } from "./run-plan.ts";
import { deltaOf } from "./server-counters.ts";
import type { Session } from "./session.ts";
import { summarize } from "./figures/summarize.ts";
import type { PreparedRequest } from "./targets/target.ts";
import type { LoopReport } from "./workers/messages.ts";

export interface RunParts {
  readonly config: BenchConfig;
  readonly session: Session;
  readonly plan: RunPlan;
  /** When the measured requests go out. */
  readonly load: LoadPlan;
  readonly runner: LoadRunner;
  readonly journal: Journal | null;
  readonly observer: RunObserver;
  readonly timeline: Timeline;
  readonly stop: AbortController;
}

/** One run under way. */
export class Run {
  /** Set when the first requests came back refused: the run ends with this error. */
  refusal: RunError | null = null;
  readonly #parts: RunParts;
  readonly #records: RequestRecord[] = [];
  readonly #findings: Finding[] = [];
  #anyOk = false;
  #metrics: MetricsDelta | null = null;
  #reading: AcceptanceReading = { acceptance: null, missing: "nothing was measured", drafting: null };
  #draftBudget: number | null = null;
  #pageBefore: MetricsSnapshot | null = null;
  #pageAfter: MetricsSnapshot | null = null;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /** Requests that were to be measured; where time decides, those that went out in it. */
  get asked(): number {
    return askedRequests(this.#parts.load) ?? this.#measured().length;
  }

  /** Requests of the measured phase that did not come to their own end. */
  get unfinished(): number {
    return this.asked - this.#measured().filter((record) => record.state !== "aborted").length;
  }

  /** The journal could not be written to its end. */
  recordsLost(error: unknown): void {
    const { length } = this.#measured();
    const message = `${messageOf(error)}; the run ended early, after ${length} of ${this.#parts.plan.measure.length} requests`;
    this.#findings.push({ severity: "breach", code: "records-lost", message });
  }

  async warmUp(): Promise<void> {
    const { config, session, plan } = this.#parts;
    const first = (await session.counters?.read()) ?? null;
    await this.#phase("warmup", plan.warmup, planClosedLoop(plan.warmup.length, config.concurrency));
    const answered = this.#records.filter((record) => record.status === 200).length;
    this.#pageBefore = (await session.counters?.settle(first, answered)) ?? null;
    const failed = this.#records.filter((record) => record.state === "failed");
    const reason = failed[0]?.error?.message;
    if (reason !== undefined) {
      const message = `${failed.length} of ${plan.warmup.length} warm-up requests failed: ${reason}`;
      this.#findings.push({ severity: "warning", code: "warmup-failed", message });
    }
  }

  async measure(): Promise<void> {
    const { session, plan, load, timeline } = this.#parts;
    const before = session.engine?.counters().speculation ?? null;
    const startedNs = timeline.now();
    const loops = await this.#phase("measure", plan.measure, load);
    this.#noteExhausted(timeline.now() - startedNs);
    const busiest = loops.reduce<LoopReport | null>(
      (worst, loop) => (worst === null || loop.p99Ms > worst.p99Ms ? loop : worst),
      null,
    );
    // An engine of this process computes on other threads and yields its tokens on this one: it has no sockets to be late for.
    if (busiest !== null && session.engine === null) this.#findings.push(...auditEventLoop(busiest));
    const after = session.engine?.counters().speculation ?? null;
    const answered = this.#measured().filter((record) => record.state === "ok").length;
    this.#pageAfter = (await session.counters?.settle(this.#pageBefore, answered)) ?? null;
    this.#metrics = deltaOf(this.#pageBefore, this.#pageAfter);
    this.#reading = readAcceptance({
      engine: speculationDelta(before, after),
      isEngine: session.engine !== null,
      metrics: this.#metrics,
      metricsProblem: session.counters?.problem ?? null,
      records: this.#measured(),
    });
    const { acceptance } = this.#reading;
    const asks = session.engine !== null || acceptance !== null;
    this.#draftBudget = countedPositions(acceptance) ?? (asks ? await session.draftBudget() : null);
  }

  result(about: { startedAt: string; interrupted: boolean; toolVersion: string }): RunResult {
    const { config, session, plan, journal } = this.#parts;
    const { acceptance, missing, drafting } = this.#reading;
    const draftBudget = this.#draftBudget;
    const first = plan.measure[0];
    const body = first === undefined ? {} : session.target.describe(first);
    const protocol = resolveProtocol({
      config,
      model: session.model,
      template: plan.template,
      workload: plan.workload,
      body,
      draftBudget,
      drafting,
    });
    const rule = protocol.stoppingRule;
    const summary = summarize(this.#records, {
      asked: this.asked,
      cap: rule.cap,
      acceptance,
      acceptanceMissing: missing,
    });
    const seen = audit({
      records: this.#records,
      summary,
      rule,
      draftBudget,
      metrics: this.#metrics,
      metricsProblem: session.counters?.problem ?? null,
      metricsNamed: config.target.metricsUrl !== null,
      runningAfter: this.#pageAfter === null ? null : readServerLoad(this.#pageAfter.samples).requestsRunning,
      promptTextTokens: textTokens(plan.workload.measured),
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
      findings: [...seen, ...plan.workload.findings, ...this.#findings],
      recordsPath: journal?.path ?? null,
    };
  }

  #measured(): RequestRecord[] {
    return this.#records.filter((record) => record.phase === "measure");
  }

  async #phase(
    phase: "warmup" | "measure",
    requests: readonly PreparedRequest[],
    plan: LoadPlan,
  ): Promise<LoopReport[]> {
    const { config, runner, journal, observer, stop } = this.#parts;
    if (requests.length === 0 || stop.signal.aborted) return [];
    const total = requests.length;
    let done = 0;
    observer.onEvent({ type: "phase-started", phase, total });
    return runner.run({
      phase,
      repetition: 0,
      plan,
      requests,
      signal: stop.signal,
      keepText: config.client.keepText,
      onFinished: (record) => {
        this.#records.push(record);
        journal?.append(record);
        this.#stopIfRefused(record);
        observer.onEvent({ type: "request-finished", record, done: ++done, total });
      },
    });
  }

  /** A load that was to last so long had no more prompts to send. */
  #noteExhausted(elapsedNs: number): void {
    const { load, plan, stop } = this.#parts;
    const sent = this.#measured().length;
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

/** Tokens of prompts whose text was counted on this side, by prompt id. */
function textTokens(prompts: readonly WorkloadPrompt[]): ReadonlyMap<string, number> {
  const known = new Map<string, number>();
  for (const prompt of prompts) {
    if (prompt.kind === "text" && prompt.tokens !== null) known.set(prompt.id, prompt.tokens);
  }
  return known;
}
