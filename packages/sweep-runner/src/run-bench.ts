import { setMaxListeners } from "node:events";
import { stoppingRule, type BenchConfig } from "@onpar/bench-config";
import type { Engine } from "@onpar/engine-binding";
import { draftBudgetOf, readAcceptance, speculationDelta } from "./acceptance-source.ts";
import { audit } from "./audit.ts";
import { monotonicClock, startTimeline, type Clock } from "./clock.ts";
import { runClosedLoop } from "./closed-loop.ts";
import { contextFit } from "./context-fit.ts";
import { messageOf, RunError } from "./errors.ts";
import { auditEventLoop, watchEventLoop } from "./event-loop.ts";
import { guardObserver, type RunObserver } from "./events.ts";
import { hostFacts, openJournal, type Journal } from "./journal.ts";
import { RECORDS_SCHEMA } from "./journal-format.ts";
import type { RequestRecord } from "./record.ts";
import { refusalOf } from "./refusal.ts";
import { resolveProtocol } from "./resolved-protocol.ts";
import type { Finding, RunResult } from "./result.ts";
import { deltaOf } from "./server-counters.ts";
import { openSession, type Session } from "./session.ts";
import { summarize } from "./summarize.ts";
import type { PreparedRequest } from "./target.ts";
import { buildWorkload, type Workload } from "./workload.ts";
import type { WorkloadPrompt } from "./prompt.ts";

export interface RunBenchOptions {
  readonly config: BenchConfig;
  /** Sent as `Authorization: Bearer …`; null sends no header. Never stored. */
  readonly apiKey: string | null;
  /** The engine for the endpoint `engine`; null for a server. Stays the caller's. */
  readonly engine: Engine | null;
  /** Version of the tool, for the result. */
  readonly toolVersion: string;
  readonly observer?: RunObserver | undefined;
  /** Ends the run: requests in flight are recorded as aborted, what was measured is summarised. */
  readonly signal?: AbortSignal | undefined;
  /** Default: `process.hrtime.bigint()`. An engine stamps its tokens with that clock, so keep it there. */
  readonly clock?: Clock | undefined;
}

/**
 * Takes one run: checks the system, makes the prompts, warms up, sends the load, records, reads the acceptance and
 * computes figures and findings.
 *
 * @throws {RunError} when nothing can be measured: no server, wrong key or model, broken dataset, no template, a file that
 * cannot be written, or when the first requests come back refused
 */
export async function runBench(options: RunBenchOptions): Promise<RunResult> {
  const { config, signal } = options;
  throwIfInterrupted(signal);
  const startedAt = new Date().toISOString();
  const timeline = startTimeline(options.clock ?? monotonicClock);
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const onAbort = (): void => stop.abort();
  signal?.addEventListener("abort", onAbort, { once: true });

  let journal: Journal | null = null;
  let session: Session | null = null;
  try {
    journal = config.output === null ? null : await openJournal(config.output, () => stop.abort());
    session = await openSession({ ...options, timeline, connections: config.concurrency });
    const plan = await planRun(config, session, signal);
    await journal?.begin({
      schema: RECORDS_SCHEMA,
      startedAt,
      tool: { name: "onpar", version: options.toolVersion },
      config,
      host: hostFacts(),
      asked: plan.measure.length,
    });
    const observer = guardObserver(options.observer);
    observer.onEvent({ type: "run-started", total: plan.measure.length, warmup: plan.warmup.length });
    const run = new Run({ config, session, plan, journal, observer, timeline, stop });
    await run.warmUp();
    await run.measure();
    const interrupted = stop.signal.aborted && run.unfinished > 0;
    await journal?.finish(interrupted || run.refusal !== null);
    if (run.refusal !== null) throw run.refusal;
    observer.onEvent({ type: "run-ended", interrupted });
    return run.result({ startedAt, interrupted, toolVersion: options.toolVersion });
  } catch (error) {
    if (error instanceof RunError || signal?.aborted !== true) throw error;
    throw new RunError("INTERRUPTED", "interrupted before the first request was sent", { cause: error });
  } finally {
    signal?.removeEventListener("abort", onAbort);
    await session?.close();
    await journal?.release();
  }
}

/** What a run is going to send: every request is built before the first one starts. */
interface RunPlan {
  readonly workload: Workload;
  readonly template: Session["renderer"]["template"];
  readonly measure: readonly PreparedRequest[];
  readonly warmup: readonly PreparedRequest[];
}

async function planRun(
  config: BenchConfig,
  session: Session,
  signal: AbortSignal | undefined,
): Promise<RunPlan> {
  const counter = config.datasetPath === null ? await session.tokenCounter() : null;
  const workload = await buildWorkload(config, counter, signal);
  const cap = stoppingRule(config).cap;
  const prepare = (prompt: WorkloadPrompt): PreparedRequest => {
    const request = session.target.prepare(session.renderer.render(prompt));
    const tokens = request.promptTokens ?? (prompt.kind === "text" ? prompt.tokens : null);
    const limit = session.contextLimit;
    const fit = tokens === null || limit === null ? null : contextFit(tokens, cap, limit);
    if (fit !== null && !fit.fits) {
      throw new RunError(
        "PROMPT_TOO_LONG",
        `prompt ${prompt.id} has ${tokens} tokens, and with ${cap} output tokens it is over the context limit of ${limit}: ` +
          `at most ${fit.longestPrompt} fit; shorten the prompts or lower --output-len`,
      );
    }
    return request;
  };
  return {
    workload,
    template: session.renderer.template,
    measure: workload.measured.map(prepare),
    warmup: workload.warmup.map(prepare),
  };
}

interface RunParts {
  readonly config: BenchConfig;
  readonly session: Session;
  readonly plan: RunPlan;
  readonly journal: Journal | null;
  readonly observer: RunObserver;
  readonly timeline: ReturnType<typeof startTimeline>;
  readonly stop: AbortController;
}

/** One run under way. */
class Run {
  /** Set when the first requests came back refused: the run ends with this error. */
  refusal: RunError | null = null;
  readonly #parts: RunParts;
  readonly #records: RequestRecord[] = [];
  readonly #findings: Finding[] = [];
  #anyOk = false;
  #evidence: Pick<Parameters<typeof readAcceptance>[0], "engine" | "metrics"> = {
    engine: null,
    metrics: null,
  };
  #pageBefore: Awaited<ReturnType<NonNullable<Session["counters"]>["read"]>> = null;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /** Requests of the measured phase that did not come to their own end. */
  get unfinished(): number {
    const ended = this.#records.filter((record) => record.phase === "measure" && record.state !== "aborted");
    return this.#parts.plan.measure.length - ended.length;
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
    const pageAfter = (await session.counters?.settle(this.#pageBefore, answered)) ?? null;
    this.#evidence = {
      engine: speculationDelta(before, after),
      metrics: deltaOf(this.#pageBefore, pageAfter),
    };
  }

  result(about: { startedAt: string; interrupted: boolean; toolVersion: string }): RunResult {
    const { config, session, plan, journal } = this.#parts;
    const { acceptance, missing, drafting } = readAcceptance({
      ...this.#evidence,
      isEngine: session.engine !== null,
      metricsProblem: session.counters?.problem ?? null,
      records: this.#records.filter((record) => record.phase === "measure"),
    });
    const draftBudget = draftBudgetOf(session.engine, acceptance);
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
      metrics: this.#evidence.metrics,
      promptTextTokens: textTokens(plan.workload.measured),
    });
    return {
      schema: "onpar.run/1",
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
    try {
      this.refusal = refusalOf(record, this.#parts.session.refusal);
    } catch (error) {
      this.refusal = new RunError("REQUEST_REFUSED", messageOf(error), { cause: error });
    }
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

function throwIfInterrupted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new RunError("INTERRUPTED", "interrupted before the first request was sent");
}
