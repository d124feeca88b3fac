import type { Distribution, SteadyWindow } from "../result.ts";
import { inFlight } from "./concurrency.ts";
import { distributionOfSorted } from "./percentiles.ts";
import { ratePerS } from "./request-figures.ts";
import { ROW_FIGURES, type RowFigure } from "./row-figures.ts";
import type { RunFigures } from "./run-figures.ts";
import { steadyWindow } from "./steady-window.ts";
import { sumKnown, valuesOf } from "./rows.ts";

/** Buckets that the peak is looked for in, ms. */
const PEAK_BUCKET_MS = 1000;

/** The figures of one repetition that rates and spread are made of. */
export interface PhaseFigures {
  readonly durationS: number;
  readonly outputTokensPerS: number | null;
  readonly totalTokensPerS: number | null;
  readonly requestsPerS: number | null;
  readonly peakOutputTokensPerS: number | null;
  readonly meanConcurrency: number | null;
  readonly steady: SteadyWindow | null;
  readonly ttftMs: Distribution | null;
  readonly tpotMs: Distribution | null;
  readonly e2elMs: Distribution | null;
  readonly decodeCtxsweep: Distribution | null;
}

/** @param concurrency requests that a closed loop keeps in flight; null for an open load */
export function phaseFigures(
  figures: RunFigures,
  repetition: number,
  concurrency: number | null,
): PhaseFigures {
  const { table } = figures;
  const order = figures.sentOrder(repetition);
  const ok = figures.rows((row) => table.ok.at(row) === 1, repetition);
  const sent = Float64Array.from(order, (row) => table.sentNs.at(row));
  const ended = Float64Array.from(order, (row) => table.endNs.at(row)).sort();
  const startNs = sent[0] ?? 0;
  const durationMs = Math.max(0, ((ended.at(-1) ?? 0) - startNs) / 1e6);
  const output = sumKnown(ok, (row) => table.outputTokens.get(row));
  const prompt = sumKnown(ok, (row) => table.promptTokens.get(row));
  const timeline = figures.timelines.get(repetition);
  const of = (figure: RowFigure): Distribution | null =>
    distributionOfSorted(valuesOf(ok, (row) => figure(table, row)));
  const flight = inFlight(sent, ended);
  return {
    durationS: durationMs / 1000,
    outputTokensPerS: ratePerS(output, durationMs),
    totalTokensPerS: output === null || prompt === null ? null : ratePerS(output + prompt, durationMs),
    requestsPerS: ratePerS(ok.length, durationMs),
    peakOutputTokensPerS: figures.chunksTellTokens ? (timeline?.peak(startNs, PEAK_BUCKET_MS) ?? null) : null,
    meanConcurrency: durationMs <= 0 ? null : flight.busyNs / 1e6 / durationMs,
    steady:
      timeline === undefined || concurrency === null
        ? null
        : steadyWindow({
            table,
            sentOrder: order,
            target: concurrency,
            timeline,
            outputKnown: output !== null,
            promptKnown: prompt !== null,
          }),
    // Only repetitions that are held against each other need them, and sorting a million values takes a while.
    get ttftMs() {
      return of(ROW_FIGURES.ttft);
    },
    get tpotMs() {
      return of(ROW_FIGURES.tpot);
    },
    get e2elMs() {
      return of(ROW_FIGURES.e2el);
    },
    get decodeCtxsweep() {
      return of(ROW_FIGURES.decodeCtxsweep);
    },
  };
}
