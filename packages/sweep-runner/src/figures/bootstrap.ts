import { createRng, type Rng } from "../rng.ts";
import type { DistributionIntervals, Interval } from "../result.ts";
import { quantileType7 } from "./percentiles.ts";
import { beta, normal } from "./random-variates.ts";

export interface BootstrapOptions {
  readonly seed: number;
  /** Share of resamples inside the interval; default 0.95. */
  readonly level?: number;
  /** Default 2000. */
  readonly resamples?: number;
}

const LEVEL = 0.95;
const RESAMPLES = 2000;
/** Fewest values that an interval is given for: resampling a handful says more than they know. */
export const INTERVAL_MINIMUM = 8;
/** Above this, means of resamples are drawn from the normal distribution that they have in the limit. */
const MEAN_LIMIT = 1000;

/**
 * Percentile bootstrap of mean and percentiles of independent values in ascending order; null for fewer than
 * {@link INTERVAL_MINIMUM}. The same seed gives the same interval on every machine.
 *
 * A percentile of a resample lies between two of its order statistics, and those can be drawn without drawing the
 * resample: the j-th of n draws stands where the j-th of n uniform numbers does, which is beta distributed. So a million
 * values take no longer than a hundred, and the distribution is that of plain resampling.
 */
export function bootstrapIntervals(
  sorted: Float64Array,
  { seed, level = LEVEL, resamples = RESAMPLES }: BootstrapOptions,
): DistributionIntervals | null {
  if (sorted.length < INTERVAL_MINIMUM) return null;
  const rng = createRng(seed);
  const of = (draw: () => number): Interval => intervalOf(repeat(resamples, draw), level);
  return {
    level,
    mean: of(meanDraws(sorted, rng)),
    p50: of(() => resampledQuantile(sorted, 0.5, rng)),
    p90: of(() => resampledQuantile(sorted, 0.9, rng)),
    p95: of(() => resampledQuantile(sorted, 0.95, rng)),
    p99: of(() => resampledQuantile(sorted, 0.99, rng)),
  };
}

/** The quantile (type 7) of one resample. */
function resampledQuantile(sorted: Float64Array, q: number, rng: Rng): number {
  const n = sorted.length;
  const position = (n - 1) * q;
  const rank = Math.floor(position) + 1;
  const low = beta(rank, n - rank + 1, rng);
  const lower = valueAt(sorted, low);
  const share = position + 1 - rank;
  if (share === 0 || rank === n) return lower;
  // The next order statistic, given this one: the smallest of the n - rank draws that lie above it.
  const high = low + (1 - low) * (1 - (1 - rng.next()) ** (1 / (n - rank)));
  return lower + share * (valueAt(sorted, high) - lower);
}

/** The value that a uniform number stands for when each is drawn with the same chance. */
function valueAt(sorted: Float64Array, uniform: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(uniform * sorted.length))] ?? Number.NaN;
}

function meanDraws(sorted: Float64Array, rng: Rng): () => number {
  const n = sorted.length;
  let sum = 0;
  for (const value of sorted) sum += value;
  const mean = sum / n;
  if (n > MEAN_LIMIT) {
    let squares = 0;
    for (const value of sorted) squares += (value - mean) ** 2;
    const error = Math.sqrt(squares / n / n);
    return () => mean + error * normal(rng);
  }
  return () => {
    let drawn = 0;
    for (let index = 0; index < n; index++) drawn += sorted[rng.int(n)] ?? 0;
    return drawn / n;
  };
}

/**
 * Bootstrap of the median over repetitions inside boots: boots are drawn first, then repetitions inside each drawn boot,
 * because repetitions of one boot are more alike than those of two. Null for fewer than two values.
 */
export function nestedMedianInterval(
  boots: readonly (readonly number[])[],
  { seed, level = LEVEL, resamples = RESAMPLES }: BootstrapOptions,
): Interval | null {
  const filled = boots.filter((values) => values.length > 0);
  if (filled.reduce((sum, values) => sum + values.length, 0) < 2) return null;
  const rng = createRng(seed);
  return intervalOf(
    repeat(resamples, () => {
      const drawn: number[] = [];
      for (let boot = 0; boot < filled.length; boot++) {
        const values = filled[rng.int(filled.length)] ?? [];
        for (let rep = 0; rep < values.length; rep++) drawn.push(values[rng.int(values.length)] ?? 0);
      }
      return (
        quantileType7(
          drawn.sort((a, b) => a - b),
          0.5,
        ) ?? Number.NaN
      );
    }),
    level,
  );
}

function repeat(times: number, draw: () => number): Float64Array {
  return Float64Array.from({ length: times }, draw);
}

function intervalOf(draws: Float64Array, level: number): Interval {
  draws.sort();
  const tail = (1 - level) / 2;
  return [quantileType7(draws, tail) ?? Number.NaN, quantileType7(draws, 1 - tail) ?? Number.NaN];
}
