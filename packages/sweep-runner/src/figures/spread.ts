import type { SpreadFigure } from "../result.ts";
import { nestedMedianInterval, type BootstrapOptions } from "./bootstrap.ts";
import { quantileType7 } from "./percentiles.ts";

/**
 * One figure over repetitions and boots: its median with the bootstrap over boots and the repetitions inside them. The
 * median and the range, not the mean: one repetition that went wrong must not move the figure.
 *
 * @param boots values per boot, in order of repetition; null where a repetition does not tell
 */
export function spreadFigure(
  boots: readonly (readonly (number | null)[])[],
  options: BootstrapOptions,
): SpreadFigure {
  const known = boots.map((values) => values.filter((value) => value !== null));
  const sorted = known.flat().sort((a, b) => a - b);
  return {
    values: boots.flat(),
    median: quantileType7(sorted, 0.5),
    min: sorted[0] ?? null,
    max: sorted.at(-1) ?? null,
    cv: coefficientOfVariation(sorted),
    ci: nestedMedianInterval(known, options),
  };
}

/** Sample standard deviation / mean; null for fewer than two values and for a mean of 0. */
function coefficientOfVariation(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return mean === 0 ? null : Math.sqrt(squares / (values.length - 1)) / mean;
}
