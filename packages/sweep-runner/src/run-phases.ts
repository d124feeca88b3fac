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
import { runClosedLoop } from "./load/closed-loop.ts";
import { messageOf, type RunError } from "./errors.ts";
import { auditEventLoop, watchEventLoop } from "./checks/event-loop.ts";
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

export interface RunParts {
  readonly config: BenchConfig;
  readonly session: Session;
  readonly plan: RunPlan;
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

  /** Requests of the measured phase that did not come to their own end. */
  get unfinished(): number {
    const ended = this.#records.filter((record) => record.phase === "measure" && record.state !== "aborted");
    return this.#parts.plan.measure.length - ended.length;
  }

  /** The journal could not be written to its end. */
  recordsLost(error: unknown): void {
    const { length } = this.#records.filter((record) => record.phase === "measure");
    const message = `${messageOf(error)}; the run ended early, after ${length} of ${this.#parts.plan.measure.length} requests`;
    this.#findings.push({ severity: "breach", code: "records-lost", message });
  }

  async warmUp(): Promise<void> {
    const { session, plan } = this.#parts;
    const first = (await session.counters?.read()) ?? null;
    await this.#phase("warmup", plan.warmup);
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
    const { session, plan } = this.#parts;
    const before = session.engine?.counters().speculation ?? null;
    const watch = session.engine === null ? watchEventLoop() : null;
    await this.#phase("measure", plan.measure);
    if (watch !== null) this.#findings.push(...auditEventLoop(watch.stop()));
    const after = session.engine?.counters().speculation ?? null;
    const answered = this.#records.filter(
      (record) => record.phase === "measure" && record.state === "ok",
    ).length;
    this.#pageAfter = (await session.counters?.settle(this.#pageBefore, answered)) ?? null;
    this.#metrics = deltaOf(this.#pageBefore, this.#pageAfter);
    this.#reading = readAcceptance({
      engine: speculationDelta(before, after),
      isEngine: session.engine !== null,
      metrics: this.#metrics,
      metricsProblem: session.counters?.problem ?? null,
      records: this.#records.filter((record) => record.phase === "measure"),
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
      asked: plan.measure.length,
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

  async #phase(phase: "warmup" | "measure", requests: readonly PreparedRequest[]): Promise<void> {
    const { config, session, journal, observer, timeline, stop } = this.#parts;
    if (requests.length === 0 || stop.signal.aborted) return;
    const total = requests.length;
    let done = 0;
    observer.onEvent({ type: "phase-started", phase, total });
    await runClosedLoop({
      target: session.target,
      requests,
      concurrency: config.concurrency,
      phase,
      timeline,
      signal: stop.signal,
      onFinished: ({ record }) => {
        this.#records.push(record);
        journal?.append(record);
        this.#stopIfRefused(record);
        observer.onEvent({ type: "request-finished", record, done: ++done, total });
      },
    });
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
