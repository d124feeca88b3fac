import type { BenchConfig } from "@onpar/bench-config";
import type { Acceptance } from "@onpar/metrics-client";
import {
  decodeRateCtxsweep,
  e2elMs,
  tpotVllm,
  ttftMs,
  type AcceptanceReading,
  type Finding,
  type RequestRecord,
  type RunEvent,
  type RunResult,
  type RunView,
} from "@onpar/sweep-runner";

import { LogHistogram, type HistogramBin } from "../digest/log-histogram.ts";
import { addOutput } from "../digest/output-walk.ts";
import { Timeline, type TimelineBin } from "../digest/timeline.ts";

/** How a run came to its end, and where what it left is. */
export interface LiveEnd {
  /** Null when nothing could be measured. */
  readonly result: RunResult | null;
  /** Why nothing could be measured, in one line; null when it could. */
  readonly error: string | null;
  /** Flag and file of everything that was written. */
  readonly files: readonly (readonly [flag: string, file: string])[];
}

/** Values of one figure so far; percentiles are read from bins and off by 5 % at most. */
export interface LiveFigure {
  readonly n: number;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p99: number | null;
  readonly bins: readonly HistogramBin[];
}

/** What is known of a run at one moment. */
export interface LiveState {
  readonly phase: "preparing" | "warm-up" | "measuring" | "over";
  /** Requests, or steps of the preparation, that are done in this phase, and how many there are. */
  readonly done: number;
  readonly total: number;
  /** 0 to 1 of the phase; null where it cannot be told. */
  readonly share: number | null;
  readonly elapsedS: number;
  /** Null as long as nothing has ended. */
  readonly leftS: number | null;
  readonly counts: Readonly<Record<RequestRecord["state"], number>>;
  /** Of the first measured request that failed. */
  readonly firstError: string | null;
  /** Tokens of the outputs that ended well; null before the first and where they are unknown. */
  readonly lengths: {
    readonly n: number;
    readonly min: number;
    readonly mean: number;
    readonly max: number;
  } | null;
  readonly rule: string;
  readonly outputTokensPerS: number | null;
  readonly requestsPerS: number | null;
  readonly figures: Readonly<Record<LiveFigureName, LiveFigure>>;
  readonly timeline: readonly TimelineBin[];
  readonly acceptance: Acceptance | null;
  readonly acceptanceMissing: string | null;
  readonly findings: readonly Finding[];
  readonly end: LiveEnd | null;
}

export const LIVE_FIGURES = ["ttftMs", "tpotMs", "e2elMs", "decode"] as const;
export type LiveFigureName = (typeof LIVE_FIGURES)[number];

const NS_PER_S = 1e9;

/**
 * Follows a run by its events, in bounded memory: counts, histograms and a timeline, however many requests there are. An event
 * costs one walk over the chunks of its record; everything else is computed when somebody looks.
 */
export class LiveRun {
  readonly #rule: string;
  /** s that the load lasts by its own setting; null where the prompts decide. */
  readonly #plannedS: number | null;
  readonly #repetitions: number;
  readonly #histograms = {
    ttftMs: new LogHistogram(),
    tpotMs: new LogHistogram(),
    e2elMs: new LogHistogram(),
    decode: new LogHistogram(),
  };
  readonly #timeline = new Timeline();
  readonly #counts = { ok: 0, failed: 0, dropped: 0, aborted: 0 };
  readonly #lengths = { n: 0, min: Infinity, sum: 0, max: 0 };
  readonly #span = new SpanOfRepetitions();
  #phase: LiveState["phase"] = "preparing";
  #phaseDone = 0;
  #phaseTotal = 0;
  #phaseAtMs: number;
  #measureAtMs: number | null = null;
  #measured = 0;
  #runTotal = 0;
  #unknownTokens = false;
  #firstError: string | null = null;
  #reading: AcceptanceReading | null = null;
  #view: RunView | null = null;
  #end: { readonly end: LiveEnd; readonly atMs: number } | null = null;

  constructor(config: BenchConfig, nowMs: number) {
    const { durationS } = config.load;
    const { reps, cooldownS } = config.repetition;
    this.#rule = config.ignoreEos ? "ignore-eos" : "eos";
    this.#repetitions = reps;
    this.#plannedS = durationS === null ? null : reps * durationS + (reps - 1) * cooldownS;
    this.#phaseAtMs = nowMs;
  }

  /** Whether there are measured requests whose acceptance could be asked for. */
  get isMeasuring(): boolean {
    return this.#phase === "measuring";
  }

  /** What can be asked of the run while it goes on; null before it has started. */
  get view(): RunView | null {
    return this.#view;
  }

  onEvent(event: RunEvent, nowMs: number): void {
    switch (event.type) {
      case "preparing":
        this.#phaseDone = event.done;
        this.#phaseTotal = event.total;
        break;
      case "run-started":
        this.#view = event.view;
        this.#runTotal = event.total;
        break;
      case "phase-started":
        this.#begin(event.phase, event.total, nowMs);
        break;
      case "request-finished":
        this.#phaseDone = event.done;
        if (event.record.phase === "measure") this.#add(event.record);
        break;
      case "run-ended":
        break;
    }
  }

  /** The latest reading of the acceptance. */
  note(reading: AcceptanceReading): void {
    this.#reading = reading;
  }

  end(end: LiveEnd, nowMs: number): void {
    this.#phase = "over";
    this.#view = null;
    this.#end = { end, atMs: nowMs };
  }

  state(nowMs: number): LiveState {
    const spanS = this.#span.seconds;
    const end = this.#end?.end ?? null;
    const summary = end?.result?.summary;
    const { n, min, sum, max } = this.#lengths;
    const perS = (count: number): number | null => (spanS > 0 ? count / spanS : null);
    return {
      phase: this.#phase,
      ...this.#progress(nowMs),
      counts: { ...this.#counts },
      firstError: this.#firstError,
      lengths: n === 0 ? null : { n, min, mean: sum / n, max },
      rule: this.#rule,
      outputTokensPerS: this.#unknownTokens || n === 0 ? null : perS(sum),
      requestsPerS: this.#counts.ok === 0 ? null : perS(this.#counts.ok),
      figures: {
        ttftMs: figureOf(this.#histograms.ttftMs),
        tpotMs: figureOf(this.#histograms.tpotMs),
        e2elMs: figureOf(this.#histograms.e2elMs),
        decode: figureOf(this.#histograms.decode),
      },
      timeline: this.#timeline.bins(),
      acceptance: summary === undefined ? (this.#reading?.acceptance ?? null) : summary.acceptance,
      acceptanceMissing: summary === undefined ? (this.#reading?.missing ?? null) : summary.acceptanceMissing,
      findings: end?.result?.findings ?? this.#view?.findings() ?? [],
      end,
    };
  }

  #begin(phase: "warmup" | "measure", total: number, nowMs: number): void {
    this.#phase = phase === "warmup" ? "warm-up" : "measuring";
    this.#phaseDone = 0;
    this.#phaseTotal = total;
    this.#phaseAtMs = nowMs;
    if (phase === "measure") this.#measureAtMs ??= nowMs;
  }

  #add(record: RequestRecord): void {
    const { state, outputTokens } = record;
    this.#measured++;
    this.#counts[state]++;
    if (state === "failed") this.#firstError ??= record.error?.message ?? "no reason was recorded";
    this.#span.add(record);
    if (record.sentNs !== null) {
      this.#timeline.add("sent", record.sentNs / NS_PER_S);
      this.#timeline.add("ended", record.endNs / NS_PER_S);
    }
    if (state !== "ok") return;
    this.#timeline.add("ok", record.endNs / NS_PER_S);
    const [ttft, e2el] = [ttftMs(record), e2elMs(record)];
    this.#histograms.ttftMs.add(ttft);
    this.#histograms.e2elMs.add(e2el);
    this.#histograms.tpotMs.add(tpotVllm(ttft, e2el, outputTokens));
    this.#histograms.decode.add(decodeRateCtxsweep(record));
    addOutput(record, this.#timeline, null);
    if (outputTokens === null) {
      this.#unknownTokens = true;
      return;
    }
    this.#lengths.n++;
    this.#lengths.sum += outputTokens;
    this.#lengths.min = Math.min(this.#lengths.min, outputTokens);
    this.#lengths.max = Math.max(this.#lengths.max, outputTokens);
  }

  #progress(nowMs: number): Pick<LiveState, "done" | "total" | "share" | "elapsedS" | "leftS"> {
    const isWhole = this.#measureAtMs !== null;
    // A run that goes on with an earlier one has less left in its phase than it has in all.
    const total = isWhole && this.#repetitions > 1 ? this.#runTotal : this.#phaseTotal;
    const done = isWhole ? this.#measured : this.#phaseDone;
    const elapsedS = ((this.#end?.atMs ?? nowMs) - (this.#measureAtMs ?? this.#phaseAtMs)) / 1000;
    if (this.#end !== null) return { done, total, share: 1, elapsedS, leftS: 0 };
    const byCount = total > 0 ? Math.min(1, done / total) : null;
    if (isWhole && this.#plannedS !== null) {
      // Prompts may be used up before the time is.
      const share = Math.max(Math.min(1, elapsedS / this.#plannedS), byCount ?? 0);
      return { done, total, share, elapsedS, leftS: Math.max(0, this.#plannedS - elapsedS) };
    }
    const leftS = done > 0 ? ((total - done) * elapsedS) / done : null;
    return { done, total, share: byCount, elapsedS, leftS: leftS === null ? null : Math.max(0, leftS) };
  }
}

/** First send to last end, summed over repetitions: the pauses between them belong to no rate. */
class SpanOfRepetitions {
  #beforeS = 0;
  #repetition = 0;
  #firstNs = Infinity;
  #lastNs = -Infinity;

  add({ repetition, sentNs, endNs }: RequestRecord): void {
    if (sentNs === null) return;
    if (repetition !== this.#repetition) {
      this.#beforeS = this.seconds;
      this.#repetition = repetition;
      [this.#firstNs, this.#lastNs] = [Infinity, -Infinity];
    }
    this.#firstNs = Math.min(this.#firstNs, sentNs);
    this.#lastNs = Math.max(this.#lastNs, endNs);
  }

  get seconds(): number {
    return this.#beforeS + Math.max(0, this.#lastNs - this.#firstNs) / NS_PER_S;
  }
}

function figureOf(histogram: LogHistogram): LiveFigure {
  return {
    n: histogram.n,
    p50: histogram.quantile(0.5),
    p90: histogram.quantile(0.9),
    p99: histogram.quantile(0.99),
    bins: histogram.bins(),
  };
}
