import { createRng } from "../rng.ts";
import { quantileType7 } from "../figures/percentiles.ts";

/** What a ratio is made of, per prompt: the ratio of a sample is the ratio of the sums. */
export interface RatioParts {
  readonly numerator: number;
  readonly denominator: number;
}

/** A figure with what resampling of the prompts makes of it. */
export interface EstimatedFigure {
  readonly value: number;
  /** 95 % interval; null for fewer than 5 prompts. */
  readonly ci: readonly [low: number, high: number] | null;
}

/** Fewest prompts that an interval is given for. */
const INTERVAL_MINIMUM = 5;
const RESAMPLES = 2000;

/** sum of numerators / sum of denominators; null where the denominators come to nothing. */
export function ratioOfSums(parts: readonly RatioParts[]): number | null {
  let numerator = 0;
  let denominator = 0;
  for (const part of parts) {
    numerator += part.numerator;
    denominator += part.denominator;
  }
  return denominator > 0 ? numerator / denominator : null;
}

/** A ratio of sums over prompts, with a percentile bootstrap over the prompts. */
export function estimateRatio(parts: readonly RatioParts[], seed: number): EstimatedFigure | null {
  return estimate(parts.length, (pick) => ratioOfSums(pick(parts)), seed);
}

/**
 * The difference of two ratios of the same prompts, `a - b`: each resample takes both ratios of the prompts it drew, so that what
 * is common to a prompt cancels.
 */
export function estimateDifference(
  a: readonly RatioParts[],
  b: readonly RatioParts[],
  seed: number,
): EstimatedFigure | null {
  if (a.length !== b.length)
    throw new RangeError(`paired prompts are as many on both sides, got ${a.length} and ${b.length}`);
  return estimate(
    a.length,
    (pick) => {
      const [left, right] = [ratioOfSums(pick(a)), ratioOfSums(pick(b))];
      return left === null || right === null ? null : left - right;
    },
    seed,
  );
}

type Pick = (parts: readonly RatioParts[]) => readonly RatioParts[];

function estimate(
  prompts: number,
  figure: (pick: Pick) => number | null,
  seed: number,
): EstimatedFigure | null {
  const value = figure((parts) => parts);
  if (value === null) return null;
  if (prompts < INTERVAL_MINIMUM) return { value, ci: null };
  const rng = createRng(seed, 11);
  const draws: number[] = [];
  for (let resample = 0; resample < RESAMPLES; resample++) {
    const indexes = Array.from({ length: prompts }, () => rng.int(prompts));
    const drawn = figure((parts) => indexes.flatMap((index) => parts[index] ?? []));
    if (drawn !== null) draws.push(drawn);
  }
  draws.sort((a, b) => a - b);
  const low = quantileType7(draws, 0.025);
  const high = quantileType7(draws, 0.975);
  return { value, ci: low === null || high === null ? null : [low, high] };
}
