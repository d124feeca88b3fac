import type { Dialect } from "../dialects/dialect.ts";
import { HISTOGRAM_IDS, type HistogramId, type HistogramSource } from "../dialects/sources.ts";
import {
  type Histogram,
  histogramOf,
  meanOf,
  type QuantileEstimate,
  quantileOf,
  subtractHistograms,
} from "./histogram.ts";
import type { PageIndex } from "./page-index.ts";

/** A distribution that a server keeps, with what one observation of it is. */
export interface Distribution {
  readonly observation: HistogramSource["observation"];
  readonly unit: HistogramSource["unit"];
  readonly count: number;
  readonly mean: number | null;
  readonly p50: QuantileEstimate | null;
  readonly p90: QuantileEstimate | null;
  readonly p99: QuantileEstimate | null;
  readonly histogram: Histogram;
  /** Series that could not be added, because their buckets differ from the first one's. */
  readonly skippedSeries: number;
}

export type Distributions = Readonly<Partial<Record<HistogramId, Distribution>>>;

/**
 * The distributions of a page since the start; with `before`, those of what was observed in between. One whose buckets
 * changed or whose counts went down is left out.
 */
export function readDistributions(
  page: PageIndex,
  dialect: Dialect,
  before: PageIndex | null = null,
): Distributions {
  const found: Partial<Record<HistogramId, Distribution>> = {};
  for (const id of HISTOGRAM_IDS) {
    const source = dialect.histograms[id];
    if (source === undefined) continue;
    const now = histogramOf(page, source);
    if (now === null) continue;
    const then = before === null ? null : (histogramOf(before, source)?.histogram ?? null);
    const histogram = subtractHistograms(now.histogram, then);
    if (histogram === null) continue;
    found[id] = {
      observation: source.observation,
      unit: source.unit,
      count: histogram.count,
      mean: meanOf(histogram),
      p50: quantileOf(histogram, 0.5),
      p90: quantileOf(histogram, 0.9),
      p99: quantileOf(histogram, 0.99),
      histogram,
      skippedSeries: now.skipped,
    };
  }
  return found;
}
