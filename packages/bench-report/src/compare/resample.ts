import { quantile } from "../result/make.ts";

/** How ratios are resampled. */
export interface ResampleOptions {
  readonly seed: number;
  /** Share of resamples inside the interval. */
  readonly level: number;
  readonly resamples: number;
}

export const RESAMPLE_DEFAULTS: ResampleOptions = { seed: 0, level: 0.95, resamples: 2000 };

export type Interval = readonly [low: number, high: number];

/** Values of one side: boots of the server, and the values inside each. */
export type Nested = readonly (readonly number[])[];

/** A generator of whole numbers below a bound; the same seed gives the same series everywhere (splitmix32). */
export function randomIndex(seed: number): (bound: number) => number {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return Math.floor((((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32) * bound);
  };
}

/** The median; NaN of none. */
export function median(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : quantile(Float64Array.from(values).sort(), 0.5);
}

/**
 * Bootstrap interval of median(b) / median(a) of two independent sides: boots are drawn first, then values inside each drawn
 * boot, because values of one boot are more alike than those of two.
 */
export function nestedRatioInterval(a: Nested, b: Nested, options: ResampleOptions): Interval {
  const draw = randomIndex(options.seed);
  return interval(options, () => medianOfDraw(b, draw) / medianOfDraw(a, draw));
}

/** Bootstrap interval of the median of one side. */
export function nestedMedianInterval(side: Nested, options: ResampleOptions): Interval {
  const draw = randomIndex(options.seed);
  return interval(options, () => medianOfDraw(side, draw));
}

/** Bootstrap interval of median(b) / median(a) of pairs: both values of a pair are drawn together. */
export function pairedRatioInterval(
  pairs: readonly (readonly [a: number, b: number])[],
  options: ResampleOptions,
): Interval {
  const draw = randomIndex(options.seed);
  const a = new Float64Array(pairs.length);
  const b = new Float64Array(pairs.length);
  return interval(options, () => {
    for (let index = 0; index < pairs.length; index++) {
      const pair = pairs[draw(pairs.length)];
      a[index] = pair?.[0] ?? Number.NaN;
      b[index] = pair?.[1] ?? Number.NaN;
    }
    return quantile(b.sort(), 0.5) / quantile(a.sort(), 0.5);
  });
}

/** Values of one side: a row for each repetition, a column for each prompt; NaN where one is missing. */
export type Grid = readonly Float64Array[];

/**
 * Bootstrap interval of median(b) / median(a) where both sides sent the same prompts in several repetitions: repetitions are drawn
 * on each side by itself, because what the machine does meanwhile is shared by all requests of one, and prompts for both sides
 * together. One repetition fewer is drawn than there are, which makes up for how narrow a bootstrap over few of them is.
 */
export function gridRatioInterval(a: Grid, b: Grid, options: ResampleOptions): Interval {
  const draw = randomIndex(options.seed);
  const columns = a[0]?.length ?? 0;
  return interval(options, () => {
    const prompts = Array.from({ length: columns }, () => draw(columns));
    return medianOfRows(b, prompts, draw) / medianOfRows(a, prompts, draw);
  });
}

/** The median over all values of a grid. */
export function gridMedian(grid: Grid): number {
  return median(grid.flatMap((row) => [...row].filter((value) => !Number.isNaN(value))));
}

function medianOfRows(grid: Grid, prompts: readonly number[], draw: (bound: number) => number): number {
  const drawn = new Float64Array((grid.length - 1) * prompts.length);
  let length = 0;
  for (let row = 1; row < grid.length; row++) {
    const values = grid[draw(grid.length)];
    for (const prompt of prompts) {
      const value = values?.[prompt] ?? Number.NaN;
      if (!Number.isNaN(value)) drawn[length++] = value;
    }
  }
  return length === 0 ? Number.NaN : quantile(drawn.subarray(0, length).sort(), 0.5);
}

function medianOfDraw(side: Nested, draw: (bound: number) => number): number {
  const drawn: number[] = [];
  for (let boot = 0; boot < side.length; boot++) {
    const values = side[draw(side.length)] ?? [];
    for (let index = 0; index < values.length; index++) drawn.push(values[draw(values.length)] ?? Number.NaN);
  }
  return median(drawn);
}

function interval({ level, resamples }: ResampleOptions, draw: () => number): Interval {
  const draws = Float64Array.from({ length: resamples }, draw).filter(Number.isFinite).sort();
  const tail = (1 - level) / 2;
  return draws.length === 0 ? [Number.NaN, Number.NaN] : [quantile(draws, tail), quantile(draws, 1 - tail)];
}
