import { setMaxListeners } from "node:events";
import type { BenchConfig } from "@onpar/bench-config";
import type { Engine } from "@onpar/engine-binding";
import { monotonicClock, startTimeline, type Clock } from "./clock.ts";
import { RunError } from "./errors.ts";
import { guardObserver, type RunObserver } from "./events.ts";
import { createLocalRunner, createWorkerRunner, type LoadRunner } from "./load/load-runner.ts";
import { readResumeState, replayRun } from "./records/resume.ts";
import type { GgufTokenizerLoader } from "./local-tokenizer.ts";
import { hostFacts } from "./records/host-facts.ts";
import { openJournal, type Journal } from "./records/journal.ts";
import { RECORDS_SCHEMA } from "./records/journal-format.ts";
import type { RunResult } from "./result.ts";
import { askedOf, Run } from "./run-phases.ts";
import { planRepetitions, planRun, refuseLiveResume } from "./run-plan.ts";
import { openSession, type Session } from "./session.ts";
import type { OnTokenIds } from "./targets/engine-target.ts";
import { workersFor } from "./workers/worker-pool.ts";

/** What {@link runBench} needs besides the configuration. */
export interface RunBenchOptions {
  readonly config: BenchConfig;
  /** Sent as `Authorization: Bearer …`; null sends no header. Never stored. */
  readonly apiKey: string | null;
  /** The engine for the endpoint `engine`; null for a server. Stays the caller's. */
  readonly engine: Engine | null;
  /** Version of the tool, for the result. */
  readonly toolVersion: string;
  readonly observer?: RunObserver | undefined;
  /** Told the token ids of every output of an engine that gives them, warm-up included. */
  readonly onTokenIds?: OnTokenIds | undefined;
  /**
   * Reads the GGUF file that `config.tokenizer` names, where the server counts no tokens: `loadGgufTokenizer` of
   * `@onpar/engine-binding`. A model folder needs nothing.
   */
  readonly loadGgufTokenizer?: GgufTokenizerLoader | undefined;
  /** Ends the run: requests in flight are recorded as aborted, what was measured is summarised. */
  readonly signal?: AbortSignal | undefined;
  /** Goes on with the run in `config.output` that was cut short; what it recorded is not sent again. Without a file, a new run. */
  readonly resume?: boolean | undefined;
  /**
   * Default: `process.hrtime.bigint()`. An engine stamps its tokens with that clock, so keep it there. Another clock cannot
   * be read from a worker: with one, requests are sent from this thread.
   */
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
  const resumed =
    options.resume === true && config.output !== null ? await readResumeState(config.output, config) : null;
  const clock = options.clock ?? monotonicClock;
  const timeline = startTimeline(clock, clock.now() - BigInt(resumed?.continueAtNs ?? 0));
  const stop = new AbortController();
  setMaxListeners(0, stop.signal);
  const onAbort = (): void => stop.abort();
  signal?.addEventListener("abort", onAbort, { once: true });

  let journal: Journal | null = null;
  let session: Session | null = null;
  let runner: LoadRunner | null = null;
  try {
    journal =
      config.output === null
        ? null
        : await openJournal(config.output, () => stop.abort(), { continues: resumed?.runId });
    session = await openSession({ ...options, timeline });
    const observer = guardObserver(options.observer);
    const plan = await planRun(config, session, signal, observer);
    if (resumed !== null) refuseLiveResume(plan);
    const loads = planRepetitions(config, plan.measure);
    const total = plan.measure.length * loads.length;
    const { workers, workerKind } = config.client;
    runner =
      session.target.remote === null || options.clock !== undefined
        ? createLocalRunner(session.target, timeline)
        : createWorkerRunner(session.target.remote, {
            workers: workers === "auto" ? Math.max(...loads.map(workersFor)) : workers,
            kind: workerKind,
            timeline,
          });
    await journal?.begin(
      {
        schema: RECORDS_SCHEMA,
        startedAt,
        tool: { name: "onpar", version: options.toolVersion },
        config,
        host: hostFacts(),
        asked: askedOf(loads) ?? total,
      },
      resumed?.continueAtNs,
    );
    const run = new Run({ config, session, plan, loads, runner, journal, observer, timeline, stop, resumed });
    observer.onEvent({ type: "run-started", total, warmup: plan.warmup.length, view: run.view() });
    if (resumed !== null && journal !== null)
      await replayRun(journal.path, resumed.runId, (record) => run.replay(record));
    await run.warmUp();
    await run.measure();
    const interrupted = signal?.aborted === true && run.unfinished > 0;
    const cutShort = stop.signal.aborted && run.unfinished > 0;
    // A full disk takes the records from here on; what was measured is told all the same.
    await journal?.finish(cutShort, run.facts()).catch((error: unknown) => run.recordsLost(error));
    if (run.refusal !== null) throw run.refusal;
    observer.onEvent({ type: "run-ended", interrupted });
    const result = run.result({ startedAt, interrupted, toolVersion: options.toolVersion });
    return { ...result, host: hostFacts() };
  } catch (error) {
    if (signal?.aborted !== true || !isAbort(error, signal)) throw error;
    throw new RunError("INTERRUPTED", "interrupted before the first request was sent", { cause: error });
  } finally {
    signal?.removeEventListener("abort", onAbort);
    try {
      await runner?.close();
      await session?.close();
    } finally {
      await journal?.release();
    }
  }
}

function isAbort(error: unknown, signal: AbortSignal): boolean {
  return error === signal.reason || (error instanceof Error && error.name === "AbortError");
}

function throwIfInterrupted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true)
    throw new RunError("INTERRUPTED", "interrupted before the first request was sent");
}
