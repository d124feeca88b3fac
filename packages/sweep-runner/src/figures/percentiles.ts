import type { Distribution } from "../result.ts";

/**
 * Quantile by linear interpolation (type 7 of Hyndman and Fan, numpy's default) of values in ascending order.
 *
 * @param q 0 to 1
 * @returns null for an empty list
 */
export function quantileType7(sorted: ArrayLike<number>, q: number): number | null {
  return sorted.length === 0 ? null : interpolate(sorted, q);
}

/** Summary of values; missing ones (null) are left out, never 0. Null when none is left. */
export function distribution(values: Iterable<number | null>): Distribution | null {
  const known: number[] = [];
  for (const value of values) if (value !== null && Number.isFinite(value)) known.push(value);
  return distributionOfSorted(Float64Array.from(known).sort());
}

/** Summary of values in ascending order; null for none. */
export function distributionOfSorted(sorted: Float64Array): Distribution | null {
  if (sorted.length === 0) return null;
  let sum = 0;
  for (const value of sorted) sum += value;
  const min = interpolate(sorted, 0);
  const max = interpolate(sorted, 1);
  return {
    n: sorted.length,
    min,
    // Rounding of the sum must not put the mean outside its range.
    mean: Math.min(max, Math.max(min, sum / sorted.length)),
    p50: interpolate(sorted, 0.5),
    p90: interpolate(sorted, 0.9),
    p95: interpolate(sorted, 0.95),
    p99: interpolate(sorted, 0.99),
    max,
  };
}

/** Of a list that is not empty. */
function interpolate(sorted: ArrayLike<number>, q: number): number {
  const position = (sorted.length - 1) * Math.min(1, Math.max(0, q));
  const lower = Math.floor(position);
  const low = sorted[lower] ?? Number.NaN;
  const high = sorted[Math.min(lower + 1, sorted.length - 1)] ?? Number.NaN;
  return low + (high - low) * (position - lower);
}
