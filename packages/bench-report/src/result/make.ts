import { modality } from "@onpar/sweep-runner";

import type { Coordinates, Figure, Point } from "./schema.ts";
import { MOST_VALUES } from "./schema.ts";

const EMPTY_FIGURE: Figure = {
  value: null,
  statistic: "single value",
  n: null,
  mean: null,
  std: null,
  min: null,
  p50: null,
  p90: null,
  p95: null,
  p99: null,
  max: null,
  ci: null,
  multimodal: null,
  values: null,
  repetitions: null,
};

/** A figure of which some is known. */
export function figure(known: Partial<Figure>): Figure {
  return { ...EMPTY_FIGURE, ...known };
}

/** A figure of statistics, told by its median where that is known, else by its mean; null when neither is. */
export function statistics(known: Omit<Partial<Figure>, "value" | "statistic">): Figure | null {
  const { p50 = null, mean = null } = known;
  if (p50 === null && mean === null) return null;
  return figure({ ...known, value: p50 ?? mean, statistic: p50 === null ? "mean" : "p50" });
}

/** One number without a spread; null when it is not known. */
export function single(value: number | null, statistic: Figure["statistic"] = "single value"): Figure | null {
  return value === null ? null : figure({ value, statistic });
}

/** The statistics of values, by linear interpolation; null when none is known. Many values are not kept. */
export function ofValues(values: readonly (number | null)[]): Figure | null {
  const sorted = Float64Array.from(values.filter((value) => value !== null)).sort();
  if (sorted.length === 0) return null;
  const mean = sorted.reduce((sum, value) => sum + value, 0) / sorted.length;
  const squares = sorted.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return statistics({
    n: sorted.length,
    mean,
    std: sorted.length < 2 ? null : Math.sqrt(squares / sorted.length),
    min: sorted[0] ?? null,
    p50: quantile(sorted, 0.5),
    p90: quantile(sorted, 0.9),
    p95: quantile(sorted, 0.95),
    p99: quantile(sorted, 0.99),
    max: sorted.at(-1) ?? null,
    values: values.length > MOST_VALUES ? null : [...values],
  });
}

/** Quantile by linear interpolation (type 7) of values in ascending order that are not none. */
export function quantile(sorted: ArrayLike<number>, q: number): number {
  const position = (sorted.length - 1) * q;
  const lower = Math.floor(position);
  const low = sorted[lower] ?? Number.NaN;
  const high = sorted[Math.min(lower + 1, sorted.length - 1)] ?? Number.NaN;
  return low + (high - low) * (position - lower);
}

/** Figures by name, without those that are not known. Values that nobody looked at are looked at. */
export function figures(
  known: Readonly<Partial<Record<keyof Point["figures"], Figure | null>>>,
): Point["figures"] {
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, value]) => (value === null ? [] : [[name, lookedAt(value)]])),
  );
}

/** Whether the values gather around more than one place, where they are told and enough. */
function lookedAt(given: Figure): Figure {
  if (given.multimodal !== null || given.values === null) return given;
  const sorted = Float64Array.from(given.values.filter((value) => value !== null)).sort();
  return { ...given, multimodal: modality(sorted)?.multimodal ?? null };
}

const NOWHERE: Coordinates = {
  contextTokens: null,
  concurrency: null,
  ratePerS: null,
  temperature: null,
  profile: null,
  boot: null,
};

const UNCOUNTED: Point["counts"] = {
  asked: null,
  ok: null,
  failed: null,
  dropped: null,
  aborted: null,
  unsent: null,
  warmup: null,
};

type PointParts = Partial<Omit<Point, "at" | "counts">> & {
  readonly at?: Partial<Coordinates>;
  readonly counts?: Partial<Point["counts"]>;
};

/** A point of which some is known. */
export function point({ at, counts, ...known }: PointParts): Point {
  return {
    label: null,
    date: null,
    protocol: null,
    server: null,
    errors: null,
    durationS: null,
    reps: null,
    promptTokens: null,
    outputTokens: null,
    totalPromptTokens: null,
    totalOutputTokens: null,
    cachedPromptTokens: null,
    reachedCap: null,
    finishReasons: null,
    acceptance: null,
    clientBound: null,
    figures: {},
    requestIds: null,
    requestRepetitions: null,
    ...known,
    at: { ...NOWHERE, ...at },
    counts: { ...UNCOUNTED, ...counts },
  };
}

/** Share of requests that failed of those that ended, 0 to 1; null when that is not known. */
export function errorRateOf({ counts }: Pick<Point, "counts">): number | null {
  const { ok, failed, dropped } = counts;
  if (ok === null || failed === null) return null;
  const ended = ok + failed + (dropped ?? 0);
  return ended === 0 ? null : (failed + (dropped ?? 0)) / ended;
}
