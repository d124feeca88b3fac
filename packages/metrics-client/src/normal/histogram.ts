import type { HistogramSource } from "../dialects/sources.ts";
import type { MetricSample } from "../exposition/sample.ts";
import type { PageIndex } from "./page-index.ts";

/** A histogram with its buckets added up, as Prometheus publishes it. */
export interface Histogram {
  /** Upper bounds, ascending; the last one is infinite. */
  readonly bounds: readonly number[];
  /** Observations at or below each bound. */
  readonly cumulative: readonly number[];
  readonly count: number;
  readonly sum: number | null;
}

/** A quantile that lies somewhere in a bucket. */
export interface QuantileEstimate {
  /** Interpolated within the bucket; its lower bound where the bucket has no upper one. */
  readonly value: number;
  /** The bucket: the quantile lies between these for certain. */
  readonly low: number;
  readonly high: number;
}

/** Labels that tell series of one histogram apart and are not those of a request. */
function groupOf({ labels }: MetricSample): string {
  const rest = Object.entries(labels).filter(([name]) => name !== "le" && name !== "quantile");
  return JSON.stringify(rest.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))));
}

/**
 * The histogram of a page, its series (engines, ranks) added. Series with other buckets than the first are left out, for
 * they cannot be added: `skipped` counts them. Null when the page has none.
 */
export function histogramOf(
  page: PageIndex,
  source: Pick<HistogramSource, "names">,
): { readonly histogram: Histogram; readonly skipped: number } | null {
  for (const name of source.names) {
    const all = seriesOf(page, name);
    if (all.length === 0) continue;
    const [first] = all;
    if (first === undefined) continue;
    const alike = all.filter((one) => hasSameBounds(one, first));
    return { histogram: alike.slice(1).reduce(addHistograms, first), skipped: all.length - alike.length };
  }
  return null;
}

function seriesOf(page: PageIndex, name: string): Histogram[] {
  const groups = new Map<string, { buckets: [number, number][]; count: number | null; sum: number | null }>();
  const group = (sample: MetricSample) => {
    const key = groupOf(sample);
    const known = groups.get(key) ?? { buckets: [], count: null, sum: null };
    groups.set(key, known);
    return known;
  };
  const selected = (part: string) => page.samples(`${name}_${part}`);
  for (const sample of selected("bucket")) {
    const bound = boundOf(sample.labels["le"]);
    if (bound !== null) group(sample).buckets.push([bound, sample.value]);
  }
  for (const sample of selected("count")) group(sample).count = sample.value;
  for (const sample of selected("sum")) group(sample).sum = sample.value;
  const found: Histogram[] = [];
  for (const { buckets, count, sum } of groups.values()) {
    const one = build(buckets, count, sum);
    if (one !== null) found.push(one);
  }
  return found;
}

/** A summary without buckets becomes a histogram of one infinite bucket: count and mean are all that it tells. */
function build(buckets: [number, number][], count: number | null, sum: number | null): Histogram | null {
  const sorted = buckets.toSorted(([a], [b]) => a - b);
  const total = count ?? sorted.at(-1)?.[1] ?? null;
  if (total === null) return null;
  if (sorted.at(-1)?.[0] !== Number.POSITIVE_INFINITY) sorted.push([Number.POSITIVE_INFINITY, total]);
  return {
    bounds: sorted.map(([bound]) => bound),
    cumulative: sorted.map(([, value]) => value),
    count: total,
    sum,
  };
}

function boundOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (/^\+?Inf$/i.test(text)) return Number.POSITIVE_INFINITY;
  const bound = Number(text);
  return text.trim() === "" || Number.isNaN(bound) ? null : bound;
}

function hasSameBounds(a: Histogram, b: Histogram): boolean {
  return a.bounds.length === b.bounds.length && a.bounds.every((bound, index) => bound === b.bounds[index]);
}

function addHistograms(a: Histogram, b: Histogram): Histogram {
  return {
    bounds: a.bounds,
    cumulative: a.cumulative.map((value, index) => value + (b.cumulative[index] ?? 0)),
    count: a.count + b.count,
    sum: a.sum === null || b.sum === null ? null : a.sum + b.sum,
  };
}

/**
 * What was observed between two readings. Null when the buckets differ or an observation was lost, which a restart does.
 */
export function subtractHistograms(after: Histogram, before: Histogram | null): Histogram | null {
  if (before === null) return after;
  if (!hasSameBounds(after, before)) return null;
  const cumulative = after.cumulative.map((value, index) => value - (before.cumulative[index] ?? 0));
  const count = after.count - before.count;
  if (count < 0 || cumulative.some((value) => value < 0)) return null;
  const sum = after.sum === null || before.sum === null ? null : after.sum - before.sum;
  return { bounds: after.bounds, cumulative, count, sum };
}

/** Mean of the observations; null when there are none or the sum is not told. */
export function meanOf({ count, sum }: Histogram): number | null {
  return count > 0 && sum !== null ? sum / count : null;
}

/**
 * The q-quantile by linear interpolation within its bucket, as Prometheus does it. Null without observations, and where
 * there are no finite buckets.
 *
 * @param q 0 to 1
 */
export function quantileOf(histogram: Histogram, q: number): QuantileEstimate | null {
  const { bounds, cumulative, count } = histogram;
  if (!(count > 0) || bounds.length < 2 || !(q >= 0 && q <= 1)) return null;
  const rank = q * count;
  const index = cumulative.findIndex((value) => value >= rank && value > 0);
  const high = bounds[index];
  if (high === undefined) return null;
  const low = index === 0 ? Math.min(0, high) : (bounds[index - 1] ?? 0);
  if (high === Number.POSITIVE_INFINITY) return { value: low, low, high };
  const below = index === 0 ? 0 : (cumulative[index - 1] ?? 0);
  const inside = (cumulative[index] ?? 0) - below;
  const share = inside > 0 ? (rank - below) / inside : 1;
  return { value: low + (high - low) * share, low, high };
}
