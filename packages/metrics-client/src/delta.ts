import type { SpecDecodeCounts } from "./acceptance.ts";
import { byReason, type ServerCounters } from "./readings.ts";
import type { MetricSample, MetricsPage } from "./sample.ts";
import {
  announcesCounter,
  byPosition,
  COUNTER_IDS,
  COUNTERS,
  type CounterId,
  type CounterName,
  findCounter,
  hasLabels,
  type SeriesSelection,
  seriesKey,
} from "./series.ts";
import type { MetricsSnapshot } from "./snapshot.ts";

/** Why a delta is no plain difference. */
export interface ResetSign {
  /** A counter went down, a counter that had counted is gone, or the server says that it started at another time. */
  readonly kind: "decreased" | "vanished" | "restarted";
  /** The series, with its labels, or where the start time stands. */
  readonly series: string;
}

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
 * The difference of two snapshots of one server.
 *
 * A series that appears for the first time counts from 0 (servers create labelled series when they first use them). When
 * a counter went down, when one that had counted is gone, or when `process_start_time_seconds` or the start token changed,
 * the server restarted: `reset` is true and every counter counts from 0.
 */
export function deltaSnapshots(
  before: MetricsSnapshot,
  after: MetricsSnapshot,
  selection: SeriesSelection = {},
): MetricsDelta {
  const compared = new Map<CounterId, ComparedSeries>();
  const resetSigns = startTimeSigns(before, after);
  for (const id of COUNTER_IDS) {
    const one = compareCounter(before, after, COUNTERS[id], selection);
    if (one === null) continue;
    resetSigns.push(...one.signs);
    compared.set(id, one);
  }
  const reset = resetSigns.length > 0;
  const entries = (id: CounterId): [MetricSample, number][] | null => {
    const found = compared.get(id);
    return found === undefined
      ? null
      : found.series.map((one) => [one.sample, reset ? one.value : one.increase]);
  };
  const total = (id: CounterId): number | null =>
    entries(id)?.reduce((sum, [, value]) => sum + value, 0) ?? null;
  const draftTokens = total("draftTokens");
  const acceptedTokens = total("acceptedTokens");
  const finished = entries("requestsFinished");
  return {
    from: before.takenAt,
    to: after.takenAt,
    spec:
      draftTokens === null || acceptedTokens === null
        ? null
        : {
            verifySteps: total("verifySteps"),
            draftTokens,
            acceptedTokens,
            acceptedPerPosition: byPosition(entries("acceptedPerPosition") ?? []),
          },
    promptTokens: total("promptTokens"),
    generationTokens: total("generationTokens"),
    requestsFinished: total("requestsFinished"),
    requestsByReason: finished === null ? null : byReason(finished),
    prefixCacheQueries: total("prefixCacheQueries"),
    prefixCacheHits: total("prefixCacheHits"),
    firstTokens: total("firstTokens"),
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
  const increase = compared.series.reduce((sum, one) => sum + (reset ? one.value : one.increase), 0);
  return { increase, reset };
}

interface SeriesIncrease {
  readonly sample: MetricSample;
  /** Value after. */
  readonly value: number;
  readonly increase: number;
}

interface ComparedSeries {
  readonly series: readonly SeriesIncrease[];
  readonly signs: readonly ResetSign[];
}

/** Null when the later page neither carries nor announces the counter: then it cannot be read, not even from 0. */
function compareCounter(
  before: MetricsPage,
  after: MetricsPage,
  counter: CounterName,
  selection: SeriesSelection,
): ComparedSeries | null {
  const earlier = findCounter(before.samples, counter, selection)?.samples ?? [];
  const later = findCounter(after.samples, counter, selection)?.samples ?? [];
  const compared = compareSeries(earlier, later);
  if (later.length > 0 || compared.signs.length > 0) return compared;
  return announcesCounter(after.families.keys(), counter, selection) ? compared : null;
}

function compareSeries(earlier: readonly MetricSample[], later: readonly MetricSample[]): ComparedSeries {
  const valuesBefore = new Map(earlier.map((sample) => [seriesKey(sample), sample.value]));
  const signs: ResetSign[] = [];
  const series: SeriesIncrease[] = [];
  for (const sample of later) {
    const key = seriesKey(sample);
    const valueBefore = valuesBefore.get(key) ?? 0;
    valuesBefore.delete(key);
    if (sample.value < valueBefore) signs.push({ kind: "decreased", series: key });
    series.push({ sample, value: sample.value, increase: sample.value - valueBefore });
  }
  for (const [key, value] of valuesBefore) {
    if (value > 0) signs.push({ kind: "vanished", series: key });
  }
  return { series, signs };
}

const START_TIME = "process_start_time_seconds";

function startTimeSigns(before: MetricsSnapshot, after: MetricsSnapshot): ResetSign[] {
  const signs: ResetSign[] = [];
  if (before.startToken !== null && after.startToken !== null && before.startToken !== after.startToken) {
    signs.push({ kind: "restarted", series: "start token" });
  }
  const earlier = new Map<string, number>();
  for (const sample of before.samples) {
    if (sample.name === START_TIME) earlier.set(seriesKey(sample), sample.value);
  }
  for (const sample of after.samples) {
    if (sample.name !== START_TIME) continue;
    const valueBefore = earlier.get(seriesKey(sample));
    if (valueBefore !== undefined && valueBefore !== sample.value) {
      signs.push({ kind: "restarted", series: seriesKey(sample) });
    }
  }
  return signs;
}
