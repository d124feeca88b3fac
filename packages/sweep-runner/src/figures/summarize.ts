import type { Slo } from "@onpar/bench-config";
import { checkSpecDecodeInvariants, type Acceptance } from "@onpar/metrics-client";
import type { RequestRecord } from "../record.ts";
import type {
  AcceptanceSummary,
  ClientCheck,
  Distribution,
  OutputSummary,
  RequestCounts,
  RunSummary,
  SpreadSummary,
} from "../result.ts";
import { bootstrapIntervals } from "./bootstrap.ts";
import { goodput } from "./goodput.ts";
import { modality } from "./modality.ts";
import { distributionOfSorted } from "./percentiles.ts";
import { phaseFigures, type PhaseFigures } from "./phase-figures.ts";
import { prefillRate } from "./request-figures.ts";
import { ROW_FIGURES, type RowFigure } from "./row-figures.ts";
import { sumKnown, valuesOf } from "./rows.ts";
import { RunFigures } from "./run-figures.ts";
import { spreadFigure } from "./spread.ts";
import { joinWindows } from "./steady-window.ts";

/** What a summary needs beside the records. */
export interface SummaryContext {
  /** Requests that the run was to measure. */
  readonly asked: number;
  /** Output cap in tokens. */
  readonly cap: number;
  readonly acceptance: Acceptance | null;
  /** Why there is no acceptance, in words. */
  readonly acceptanceMissing: string | null;
  /** Requests that a closed loop keeps in flight; null or left out where the load is open. */
  readonly concurrency?: number | null | undefined;
  readonly slos?: readonly Slo[] | undefined;
  /** Of the bootstrap; default 0. */
  readonly seed?: number | undefined;
  readonly client?: ClientCheck | null | undefined;
}

/** The figures of a run, from its records and nothing else but the acceptance, which joins from the side. Pure. */
export function summarize(records: Iterable<RequestRecord>, context: SummaryContext): RunSummary {
  const figures = new RunFigures();
  for (const record of records) figures.add(record);
  return summarizeFigures(figures, context);
}

/** {@link summarize} of records that were taken one by one. */
export function summarizeFigures(figures: RunFigures, context: SummaryContext): RunSummary {
  const { table } = figures;
  const counts = figures.counts(context.asked);
  const ended = counts.ok + counts.failed + counts.dropped;
  const ok = figures.rows((row) => table.ok.at(row) === 1);
  const concurrency = context.concurrency ?? null;
  const repetitions = figures.repetitions();
  const phases = repetitions.map((repetition) => phaseFigures(figures, repetition, concurrency));
  const durationS = sum(phases.map((phase) => phase.durationS));
  const seed = context.seed ?? 0;
  const of = (figure: RowFigure, rows = ok): Distribution | null =>
    describe(
      valuesOf(rows, (row) => figure(table, row)),
      seed,
    );
  const alone = figures.aloneOk();
  const gaps = figures.chunkGaps.distribution();
  const promptTokens = sumKnown(ok, (row) => table.promptTokens.get(row));
  const cachedTokens = sumKnown(ok, (row) => table.cachedTokens.get(row));
  const windows = phases.flatMap(({ steady }) => steady ?? []);
  const summary: Omit<RunSummary, "goodput"> = {
    counts,
    errorRate: ended === 0 ? null : (counts.failed + counts.dropped) / ended,
    errors: Object.fromEntries(figures.errors),
    statuses: Object.fromEntries(figures.statuses),
    resent: figures.resent,
    durationS,
    outputs: summarizeOutputs(figures, ok, context.cap),
    promptTokens: of(ROW_FIGURES.promptTokens),
    cachedPromptTokens: cachedTokens,
    cacheHitRate:
      promptTokens === null || cachedTokens === null || promptTokens === 0
        ? null
        : cachedTokens / promptTokens,
    latency: {
      ttftMs: of(ROW_FIGURES.ttft),
      firstAnswerMs: of(ROW_FIGURES.firstAnswer),
      tpotMs: of(ROW_FIGURES.tpot),
      itlChunkMs: gaps,
      itlTokenMs: figures.tokenGaps(),
      e2elMs: of(ROW_FIGURES.e2el),
      ttftFromScheduleMs: of(ROW_FIGURES.ttftFromSchedule),
      e2elFromScheduleMs: of(ROW_FIGURES.e2elFromSchedule),
      queueMs: of(ROW_FIGURES.queue),
      connectMs: of(ROW_FIGURES.connect),
    },
    rates: {
      decodeCtxsweep: of(ROW_FIGURES.decodeCtxsweep),
      decodeVllm: of(ROW_FIGURES.decodeVllm),
      outputTokensPerS: overDurations(phases, (phase) => phase.outputTokensPerS),
      totalTokensPerS: overDurations(phases, (phase) => phase.totalTokensPerS),
      requestsPerS: ended === 0 ? null : overDurations(phases, (phase) => phase.requestsPerS),
      peakOutputTokensPerS: largest(phases.map((phase) => phase.peakOutputTokensPerS)),
      prefill: of((_, row) => prefillRate(table.ttft.get(row), table.promptTokens.get(row)), alone),
      prefillUncached: of(
        (_, row) =>
          prefillRate(table.ttft.get(row), table.promptTokens.get(row), table.cachedTokens.get(row)),
        alone,
      ),
    },
    meanConcurrency: overDurations(phases, (phase) => phase.meanConcurrency),
    steady: joinWindows(windows),
    steadyMissing: windows.length > 0 ? null : whyNotSteady(concurrency, counts),
    spread: spreadOf(phases, seed),
    client: context.client ?? null,
    acceptance: summarizeAcceptance(figures, ok, counts, context.acceptance),
    acceptanceMissing:
      context.acceptance === null ? (context.acceptanceMissing ?? "no source was read") : null,
  };
  const slos = context.slos ?? [];
  return {
    ...summary,
    goodput: goodput({ table, okRows: ok, slos, gaps: figures.chunkGaps, summary }),
  };
}

/** asked = ok + failed + dropped + aborted + unsent. */
export function countRequests(records: Iterable<RequestRecord>, asked: number): RequestCounts {
  const figures = new RunFigures();
  for (const record of records) figures.add(record);
  return figures.counts(asked);
}

/**
 * Tokens per decode step as the client got them: (G - R) / S. S = G - R - A where steps are not exposed, and at least V,
 * since every verify step is a decode step: engines count tokens accepted past the end in A, which makes S too small.
 */
export function effectiveTokensPerStep(
  outputTokens: number,
  requests: number,
  counts: Pick<Acceptance, "acceptedTokens" | "verifySteps">,
): number | null {
  const afterFirst = outputTokens - requests;
  const steps = Math.max(afterFirst - counts.acceptedTokens, counts.verifySteps ?? 0);
  return afterFirst <= 0 || steps <= 0 ? null : afterFirst / steps;
}

function summarizeAcceptance(
  figures: RunFigures,
  ok: Uint32Array,
  counts: RequestCounts,
  acceptance: Acceptance | null,
): AcceptanceSummary | null {
  if (acceptance === null) return null;
  // Counters hold what failed requests drafted too, while their output is not known: then the two do not belong together.
  const comparable =
    counts.failed + counts.aborted === 0 && checkSpecDecodeInvariants(acceptance).length === 0;
  const tokens = comparable ? sumKnown(ok, (row) => figures.table.outputTokens.get(row)) : null;
  return {
    ...acceptance,
    effectiveTokensPerStep:
      tokens === null ? null : effectiveTokensPerStep(tokens, figures.producers, acceptance),
  };
}

function summarizeOutputs(figures: RunFigures, ok: Uint32Array, cap: number): OutputSummary {
  const { table } = figures;
  const sources = [...figures.tokenSources].sort();
  return {
    lengths: distributionOfSorted(valuesOf(ok, (row) => table.outputTokens.get(row))),
    reachedCap: ok.filter((row) => table.outputTokens.at(row) === (table.cap.get(row) ?? cap)).length,
    finishReasons: Object.fromEntries(figures.finishReasons),
    tokenSource: sources.length === 0 ? "unknown" : sources.join(", "),
    reasoningTokens: ok.length === 0 ? null : figures.reasoningTokens,
  };
}

/** Figures that repetitions are compared by. */
const SPREAD_OF: Readonly<Record<string, (phase: PhaseFigures) => number | null>> = {
  "ttftMs.p50": (phase) => phase.ttftMs?.p50 ?? null,
  "ttftMs.p99": (phase) => phase.ttftMs?.p99 ?? null,
  "tpotMs.p50": (phase) => phase.tpotMs?.p50 ?? null,
  "e2elMs.p50": (phase) => phase.e2elMs?.p50 ?? null,
  "decodeCtxsweep.p50": (phase) => phase.decodeCtxsweep?.p50 ?? null,
  outputTokensPerS: (phase) => phase.outputTokensPerS,
  requestsPerS: (phase) => phase.requestsPerS,
};

function spreadOf(phases: readonly PhaseFigures[], seed: number): SpreadSummary | null {
  if (phases.length < 2) return null;
  const figures = Object.entries(SPREAD_OF).map(([name, of]) => [
    name,
    spreadFigure([phases.map(of)], { seed }),
  ]);
  return { repetitions: phases.length, boots: 1, figures: Object.fromEntries(figures) };
}

function whyNotSteady(concurrency: number | null, { ok, failed }: RequestCounts): string {
  if (concurrency === null) return "an open load has no concurrency that it keeps";
  if (ok + failed === 0) return "nothing ended";
  return `${concurrency} requests were never in flight at once`;
}

function describe(sorted: Float64Array, seed: number): Distribution | null {
  const plain = distributionOfSorted(sorted);
  if (plain === null) return null;
  const ci = bootstrapIntervals(sorted, { seed });
  const modes = modality(sorted);
  return { ...plain, ...(ci === null ? {} : { ci }), ...(modes === null ? {} : { modality: modes }) };
}

/** The rate over all repetitions: each weighs as long as it took. */
function overDurations(
  phases: readonly PhaseFigures[],
  rate: (phase: PhaseFigures) => number | null,
): number | null {
  let total = 0;
  let durationS = 0;
  for (const phase of phases) {
    const value = rate(phase);
    if (value === null) return null;
    total += value * phase.durationS;
    durationS += phase.durationS;
  }
  return durationS > 0 ? total / durationS : null;
}

function largest(values: readonly (number | null)[]): number | null {
  let most: number | null = null;
  for (const value of values) if (value !== null) most = Math.max(most ?? value, value);
  return most;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
