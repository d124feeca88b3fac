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
