import { monotonicClock, startTimeline, type Timeline } from "../clock.ts";
import { quantileType7 } from "../figures/percentiles.ts";
import { planClosedLoop } from "../load/load-plan.ts";
import { createWorkerRunner } from "../load/load-runner.ts";
import type { RequestRecord } from "../record.ts";
import { carriesTokens, chunkMarks } from "../records/chunk-series.ts";
import { createHttpTarget } from "../targets/http-target.ts";
import { workersFor } from "../workers/worker-pool.ts";
import type { Timetable } from "./timetable.ts";
import { startTimetableServer, type TimetableProcess } from "./timetable-process.ts";

export interface SelftestOptions {
  /** Streams at the same time, one level after the other. */
  readonly streams: readonly number[];
  /** Token events per second that all streams of a level get together; null takes 10 ms per token, and 10,000 at most. */
  readonly eventsPerS: number | null;
  /** From sending to the first token, ms. */
  readonly firstMs: number;
  /** About how long each level lasts, s. */
  readonly durationS: number;
  readonly workers: number | "auto";
  readonly workerKind: "thread" | "process";
  readonly signal?: AbortSignal | undefined;
  readonly onLevel?: ((level: SelftestLevel) => void) | undefined;
}

/** How far the times of this client are off, by streams at the same time. */
export interface SelftestResult {
  readonly schema: "onpar.selftest/1";
  readonly levels: readonly SelftestLevel[];
}

/** Errors are receive stamp minus true send stamp, by one clock: what the client and the kernel add. */
export interface SelftestLevel {
  readonly streams: number;
  readonly firstMs: number;
  readonly everyMs: number;
  readonly requests: number;
  readonly failed: number;
  readonly events: number;
  /** Of the first token of each request. */
  readonly ttftErrorMs: ErrorFigures;
  /** Of each gap between two tokens, without its sign. */
  readonly itlErrorMs: ErrorFigures;
  /** How late the server was at its own timetable. It is in none of the errors. */
  readonly serverLatenessMs: ErrorFigures;
  readonly eventsPerS: number;
  /** CPU time of this process for the level, s. */
  readonly cpuS: number;
  readonly eventsPerCpuS: number;
  /** Resident memory of this process at most, MiB. */
  readonly memoryMiB: number;
  /** Delay of the event loop that stamps, p99, ms; of its slowest worker. */
  readonly loopDelayMs: number;
  readonly workers: number;
}

export interface ErrorFigures {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const EVENTS_PER_S = 10_000;
const LEAST_EVERY_MS = 10;
/** Requests of each stream: the first one opens the connection. */
const ROUNDS = 2;
const MEMORY_SAMPLE_MS = 50;
/** Neither the code nor the server's is warm on its first requests. */
const WARMUP: Timetable = { firstMs: 5, everyMs: 1, tokens: 200, eventsPerWrite: 1 };

/** Timetable of a level. */
export function timetableOf(
  streams: number,
  { eventsPerS, firstMs, durationS }: Pick<SelftestOptions, "eventsPerS" | "firstMs" | "durationS">,
): Timetable {
  const everyMs =
    eventsPerS === null
      ? Math.max(LEAST_EVERY_MS, (streams * 1000) / EVENTS_PER_S)
      : (streams * 1000) / eventsPerS;
  const tokens = Math.max(8, Math.round((durationS * 1000) / ROUNDS / everyMs));
  return { firstMs, everyMs, tokens, eventsPerWrite: 1 };
}

/**
 * Measures this client against a server with a known timetable, which runs in a process of its own and writes into each
 * token when it was sent.
 *
 * @throws {RunError} `SELFTEST_FAILED`, `WORKER_FAILED`
 */
export async function selftest(options: SelftestOptions): Promise<SelftestResult> {
  const timeline = startTimeline(monotonicClock);
  const server = await startTimetableServer(WARMUP, timeline.startNs);
  try {
    const levels: SelftestLevel[] = [];
    for (const streams of options.streams) {
      if (options.signal?.aborted === true) break;
      const level = await measureLevel(streams, options, server, timeline);
      levels.push(level);
      options.onLevel?.(level);
    }
    return { schema: "onpar.selftest/1", levels };
  } finally {
    await server.close();
  }
}

async function measureLevel(
  streams: number,
  options: SelftestOptions,
  server: TimetableProcess,
  timeline: Timeline,
): Promise<SelftestLevel> {
  const target = createHttpTarget({
    root: server.url,
    endpoint: "completions",
    apiKey: null,
    model: "timetable",
    fields: {},
    templateKwargs: {},
    timeoutMs: 60_000 + options.durationS * 1000,
    timeline,
  });
  const count = streams * ROUNDS;
  const requests = Array.from({ length: count }, (_, index) =>
    target.prepare({ id: `selftest-${index}`, kind: "text", text: `${index}`, addSpecialTokens: true }),
  );
  const plan = planClosedLoop(count, streams);
  const workers = options.workers === "auto" ? workersFor(plan) : options.workers;
  const { remote } = target;
  if (remote === null) throw new TypeError("requests over HTTP can be sent from anywhere");
  const runner = createWorkerRunner(remote, { workers, kind: options.workerKind, timeline });
  const common = { repetition: 0, signal: options.signal ?? new AbortController().signal, keepText: true };
  const records: RequestRecord[] = [];
  let memory = 0;
  const sample = (): void => {
    memory = Math.max(memory, process.memoryUsage.rss());
  };
  const sampler = setInterval(sample, MEMORY_SAMPLE_MS);
  try {
    server.follow(WARMUP, timeline.startNs);
    const few = requests.slice(0, Math.min(count, 8));
    const warmup = planClosedLoop(few.length, few.length);
    await runner.run({ ...common, phase: "warmup", plan: warmup, requests: few, onFinished: () => {} });

    const timetable = timetableOf(streams, options);
    server.follow(timetable, timeline.startNs);
    const cpu = process.cpuUsage();
    const startNs = timeline.now();
    const loops = await runner.run({
      ...common,
      phase: "measure",
      plan,
      requests,
      onFinished: (record) => records.push(record),
    });
    const wallS = (timeline.now() - startNs) / 1e9;
    const used = process.cpuUsage(cpu);
    sample();
    const lateness = (await server.report()).latenessMs;
    return {
      streams,
      firstMs: timetable.firstMs,
      everyMs: timetable.everyMs,
      ...errorsOf(records, { wallS, cpuS: (used.user + used.system) / 1e6 }),
      serverLatenessMs: lateness,
      memoryMiB: memory / 2 ** 20,
      loopDelayMs: Math.max(...loops.map((loop) => loop.p99Ms)),
      workers,
    };
  } finally {
    clearInterval(sampler);
    await runner.close();
    await target.close();
  }
}

type Errors = Pick<
  SelftestLevel,
  "requests" | "failed" | "events" | "ttftErrorMs" | "itlErrorMs" | "eventsPerS" | "cpuS" | "eventsPerCpuS"
>;

/** Holds what was stamped against what the server wrote into its tokens. */
export function errorsOf(
  records: readonly RequestRecord[],
  { wallS, cpuS }: { readonly wallS: number; readonly cpuS: number },
): Errors {
  const ttft: number[] = [];
  const itl: number[] = [];
  let events = 0;
  let failed = 0;
  for (const record of records) {
    if (record.state !== "ok") failed++;
    const received = chunkMarks(record.chunks).filter(carriesTokens);
    const sent = (record.text ?? "").trimEnd().split(" ").map(Number);
    events += record.chunks.kinds.length;
    let before: number | null = null;
    for (const [index, mark] of received.entries()) {
      const error = (mark[0] - (sent[index] ?? NaN)) / 1e6;
      if (Number.isNaN(error)) break;
      if (before === null) ttft.push(error);
      else itl.push(Math.abs(error - before));
      before = error;
    }
  }
  return {
    requests: records.length,
    failed,
    events,
    ttftErrorMs: figuresOf(ttft),
    itlErrorMs: figuresOf(itl),
    eventsPerS: events / wallS,
    cpuS,
    eventsPerCpuS: events / cpuS,
  };
}

function figuresOf(values: number[]): ErrorFigures {
  if (values.length === 0) return { p50: NaN, p99: NaN, max: NaN };
  const sorted = values.sort((a, b) => a - b);
  const at = (share: number): number => quantileType7(sorted, share) ?? NaN;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
}
