import type { MetricSample, MetricsPage } from "../exposition/sample.ts";
import { type SpecDecodeCounts, specDecodeCountsOf } from "../normal/acceptance.ts";
import { hasLabels, type SeriesSelection } from "../normal/page-index.ts";
import type { ServerCounters } from "../normal/readings.ts";
import type { MetricsSnapshot } from "../scrape/snapshot.ts";
import { compareSeries, type ResetSign } from "./compare.ts";
import { measureWindow } from "./window.ts";

/** What happened on a server between two snapshots. A counter that neither page carries is null, never 0. */
export interface MetricsDelta extends ServerCounters {
  /** `takenAt` of the two snapshots. */
  readonly from: string;
  readonly to: string;
  /** Null when the server does not count speculative decoding on this page. */
  readonly spec: SpecDecodeCounts | null;
  /**
   * The server's counters started again in between. All figures then count from that restart on, so they are at least, not
   * exactly, what happened: what was counted before the restart is lost.
   */
  readonly reset: boolean;
  readonly resetSigns: readonly ResetSign[];
}

/**
 * The plain counts of the difference of two snapshots of one server; {@link measureWindow} gives the whole of it, with the
 * formula and uncertainty of every figure.
 */
export function deltaSnapshots(
  before: MetricsSnapshot,
  after: MetricsSnapshot,
  selection: SeriesSelection = {},
): MetricsDelta {
  const { counts, acceptance, from, to, reset, resetSigns } = measureWindow(before, after, selection);
  return {
    from,
    to,
    spec: acceptance.reading === null ? null : specDecodeCountsOf(acceptance.reading),
    promptTokens: counts.promptTokens?.value ?? null,
    generationTokens: counts.generationTokens?.value ?? null,
    requestsFinished: counts.requestsFinished?.value ?? null,
    requestsByReason: counts.requestsByReason,
    prefixCacheQueries: counts.prefixCacheQueries?.value ?? null,
    prefixCacheHits: counts.prefixCacheHits?.value ?? null,
    firstTokens: counts.firstTokens?.value ?? null,
    reset,
    resetSigns,
  };
}

/**
 * Increase of the counter with exactly this sample name, summed over its series. Null when neither page knows the name; 0
 * when it is announced (a TYPE line) and has no series yet. After a reset the increase counts from 0.
 */
export function counterIncrease(
  before: MetricsPage,
  after: MetricsPage,
  name: string,
  labels?: Readonly<Record<string, string>>,
): { readonly increase: number | null; readonly reset: boolean } {
  const wanted = (page: MetricsPage): MetricSample[] =>
    page.samples.filter(
      (sample) => sample.name === name && !Number.isNaN(sample.value) && hasLabels(sample, labels),
    );
  const compared = compareSeries(wanted(before), wanted(after));
  const reset = compared.signs.length > 0;
  if (compared.series.length === 0 && !after.families.has(name)) return { increase: null, reset };
  const increase = compared.series.reduce(
    (sum, { value, valueBefore }) => sum + (reset ? value : value - valueBefore),
    0,
  );
  return { increase, reset };
}
