import type { MetricSample } from "../exposition/sample.ts";
import { seriesKey } from "../exposition/series-key.ts";
import type { MetricsSnapshot } from "../scrape/snapshot.ts";

/** Why a delta is no plain difference. */
export interface ResetSign {
  /** A counter went down, a counter that had counted is gone, or the server says that it started at another time. */
  readonly kind: "decreased" | "vanished" | "restarted";
  /** The series, with its labels, or where the start time stands. */
  readonly series: string;
}

/** One series at the end of a window. */
export interface SeriesIncrease {
  readonly sample: MetricSample;
  /** Value after. */
  readonly value: number;
  /** Value before; 0 for a series that is new. */
  readonly valueBefore: number;
  /** True for a series that was not there before. */
  readonly isBorn: boolean;
}

export interface ComparedSeries {
  readonly series: readonly SeriesIncrease[];
  readonly signs: readonly ResetSign[];
}

/** Compares the series of one counter at both ends of a window, one by one. */
export function compareSeries(
  earlier: readonly MetricSample[],
  later: readonly MetricSample[],
): ComparedSeries {
  const valuesBefore = new Map(earlier.map((sample) => [seriesKey(sample), sample.value]));
  const signs: ResetSign[] = [];
  const series: SeriesIncrease[] = [];
  for (const sample of later) {
    const key = seriesKey(sample);
    const known = valuesBefore.get(key);
    const valueBefore = known ?? 0;
    valuesBefore.delete(key);
    if (sample.value < valueBefore) signs.push({ kind: "decreased", series: key });
    series.push({ sample, value: sample.value, valueBefore, isBorn: known === undefined });
  }
  for (const [key, value] of valuesBefore) {
    if (value > 0) signs.push({ kind: "vanished", series: key });
  }
  return { series, signs };
}

const START_TIME = "process_start_time_seconds";

/** Restarts that the server tells: its start token, its start time, or the time at which a series was created. */
export function restartSigns(before: MetricsSnapshot, after: MetricsSnapshot): ResetSign[] {
  const signs: ResetSign[] = [];
  if (before.startToken !== null && after.startToken !== null && before.startToken !== after.startToken) {
    signs.push({ kind: "restarted", series: "start token" });
  }
  const times = new Map<string, number>();
  for (const sample of before.samples) {
    if (tellsStart(sample)) times.set(seriesKey(sample), sample.value);
  }
  for (const sample of after.samples) {
    if (!tellsStart(sample)) continue;
    const key = seriesKey(sample);
    const earlier = times.get(key);
    if (earlier !== undefined && earlier !== sample.value) signs.push({ kind: "restarted", series: key });
  }
  return signs;
}

function tellsStart({ name, type }: MetricSample): boolean {
  return name === START_TIME || (name.endsWith("_created") && type !== "counter");
}
