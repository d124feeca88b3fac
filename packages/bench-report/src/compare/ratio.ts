import type { Figure, Point } from "../result/schema.ts";
import { pairGrids } from "./prompt-grid.ts";
import {
  gridMedian,
  gridRatioInterval,
  median,
  nestedMedianInterval,
  nestedRatioInterval,
  pairedRatioInterval,
  type Interval,
  type Nested,
  type ResampleOptions,
} from "./resample.ts";

/** What an interval of a ratio was computed from. */
export type RatioMethod =
  | "paired prompts"
  | "prompts and repetitions"
  | "boots and repetitions"
  | "repetitions"
  | "requests"
  | "intervals of both medians"
  | "mean, deviation and n"
  | "none";

/** One side of a figure: its value and how far it spreads. */
export interface SideFigure {
  readonly value: number | null;
  readonly statistic: Figure["statistic"] | "median over boots";
  /** Values behind it. */
  readonly n: number | null;
  readonly boots: number;
  /** 95 % interval of the value, where there is one. */
  readonly ci: Interval | null;
  readonly multimodal: boolean;
}

/** B against A for one figure. */
export interface Ratio {
  readonly a: SideFigure;
  readonly b: SideFigure;
  /** b / a. */
  readonly ratio: number | null;
  readonly ci: Interval | null;
  readonly method: RatioMethod;
  /** Largest of the boots / smallest - 1, of the side where it is larger; null where each side has one boot. */
  readonly bootSpread: number | null;
}

/** A point of one boot with its figure. */
interface Held {
  readonly figure: Figure;
  readonly point: Point;
}

/** Fewest pairs, or values of a side, that an interval over requests is given for. */
const MINIMUM_REQUESTS = 8;
/** Resampling more values says no more; they are thinned to evenly spaced ones. */
const MOST_RESAMPLED = 2000;

/** Compares one figure of two sides; each side is one point per boot. Null when neither knows it. */
export function compareFigure(
  a: readonly Point[],
  b: readonly Point[],
  name: keyof Point["figures"],
  options: ResampleOptions,
): Ratio | null {
  const [left, right] = [held(a, name), held(b, name)];
  if (left.length === 0 && right.length === 0) return null;
  const sides = { a: sideOf(left, options), b: sideOf(right, options) };
  const bootSpread = largest([spreadOfBoots(left), spreadOfBoots(right)]);
  if (sides.a.value === null || sides.b.value === null || sides.a.value <= 0) {
    return { ...sides, ratio: null, ci: null, method: "none", bootSpread };
  }
  return { ...sides, ...ratioOf(left, right, sides, options), bootSpread };
}

function held(points: readonly Point[], name: keyof Point["figures"]): Held[] {
  return points.flatMap((point) => {
    const figure = point.figures[name];
    return figure === undefined || figure.value === null ? [] : [{ figure, point }];
  });
}

function ratioOf(
  left: readonly Held[],
  right: readonly Held[],
  sides: { readonly a: SideFigure; readonly b: SideFigure },
  options: ResampleOptions,
): Pick<Ratio, "ratio" | "ci" | "method"> {
  const plain = (sides.b.value ?? Number.NaN) / (sides.a.value ?? Number.NaN);
  const grids = gridsOf(left, right);
  if (grids !== null) {
    const ratio = gridMedian(grids.b) / gridMedian(grids.a);
    return { ratio, ci: gridRatioInterval(grids.a, grids.b, options), method: "prompts and repetitions" };
  }
  const pairs = pairsOf(left, right);
  if (pairs !== null) {
    const ratio = median(pairs.map(([, b]) => b)) / median(pairs.map(([a]) => a));
    return { ratio, ci: pairedRatioInterval(pairs, options), method: "paired prompts" };
  }
  const manyBoots = left.length > 1 && right.length > 1;
  const nested = { a: nestedOf(left), b: nestedOf(right) };
  if (nested.a !== null && nested.b !== null) {
    const method = manyBoots
      ? "boots and repetitions"
      : nested.a.of === "requests" || nested.b.of === "requests"
        ? "requests"
        : "repetitions";
    return { ratio: plain, ci: nestedRatioInterval(nested.a.values, nested.b.values, options), method };
  }
  const [one, other] = [left[0]?.figure, right[0]?.figure];
  if (left.length > 1 || right.length > 1 || one === undefined || other === undefined)
    return { ratio: plain, ci: null, method: "none" };
  return (
    fromIntervals(one, other, plain) ?? fromMoments(one, other) ?? { ratio: plain, ci: null, method: "none" }
  );
}

/** Prompts that both sides sent in several repetitions of one boot. */
function gridsOf(left: readonly Held[], right: readonly Held[]) {
  const [one, other] = [left[0], right[0]];
  if (left.length !== 1 || right.length !== 1 || one === undefined || other === undefined) return null;
  return pairGrids(valuesOf(one), valuesOf(other), { least: MINIMUM_REQUESTS, most: MOST_RESAMPLED });
}

function valuesOf({ figure: { values }, point: { requestIds, requestRepetitions } }: Held) {
  return { values, prompts: requestIds, repetitions: requestRepetitions };
}

/** Prompts that both sides sent, in one boot. */
function pairsOf(left: readonly Held[], right: readonly Held[]): (readonly [number, number])[] | null {
  const [one, other] = [left[0], right[0]];
  if (left.length !== 1 || right.length !== 1 || one === undefined || other === undefined) return null;
  const [a, b] = [byPrompt(one), byPrompt(other)];
  if (a === null || b === null) return null;
  const pairs: [number, number][] = [];
  for (const [prompt, value] of a) {
    const paired = b.get(prompt);
    if (paired !== undefined) pairs.push([value, paired]);
  }
  return pairs.length >= MINIMUM_REQUESTS ? thinned(pairs) : null;
}

/** Median of each prompt; null where values do not tell their prompt. */
function byPrompt({ figure: { values }, point: { requestIds } }: Held): ReadonlyMap<string, number> | null {
  if (values === null || requestIds === null || requestIds.length !== values.length) return null;
  const all = new Map<string, number[]>();
  for (const [index, value] of values.entries()) {
    const prompt = requestIds[index];
    if (value === null || prompt === undefined) continue;
    const known = all.get(prompt);
    if (known === undefined) all.set(prompt, [value]);
    else known.push(value);
  }
  return new Map([...all].map(([prompt, own]) => [prompt, median(own)]));
}

/** Repetitions of each boot where there are several, else values of requests, else one value for each of several boots. */
function nestedOf(
  side: readonly Held[],
): { readonly values: Nested; readonly of: "repetitions" | "requests" } | null {
  const repetitions = side.map(({ figure }) => known(figure.repetitions));
  if (repetitions.length > 0 && repetitions.every((values) => values.length > 1))
    return { values: repetitions, of: "repetitions" };
  const requests = side.map(({ figure }) => known(figure.values));
  if (requests.length > 0 && requests.every((values) => values.length >= MINIMUM_REQUESTS))
    return { values: requests.map(thinned), of: "requests" };
  if (side.length > 1) return { values: side.map(({ figure }) => known([figure.value])), of: "repetitions" };
  return null;
}

function sideOf(side: readonly Held[], options: ResampleOptions): SideFigure {
  const [first] = side;
  if (first === undefined) {
    return { value: null, statistic: "single value", n: null, boots: 0, ci: null, multimodal: false };
  }
  const { figure } = first;
  const multimodal = side.some((one) => one.figure.multimodal === true);
  const ns = side.map((one) => one.figure.n);
  const n = ns.includes(null) ? null : ns.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  if (side.length > 1) {
    const values = known(side.map((one) => one.figure.value));
    const ci = nestedMedianInterval(nestedOf(side)?.values ?? [values], options);
    return { value: median(values), statistic: "median over boots", n, boots: side.length, ci, multimodal };
  }
  const nested = nestedOf(side);
  const ci = figure.ci ?? (nested === null ? null : nestedMedianInterval(nested.values, options));
  const { value, statistic } = figure;
  return { value, statistic, n, boots: 1, ci, multimodal };
}

/** Of two medians with an interval each: their logarithms are taken as normal. */
function fromIntervals(a: Figure, b: Figure, ratio: number): Pick<Ratio, "ratio" | "ci" | "method"> | null {
  if (a.ci === null || b.ci === null || a.ci[0] <= 0 || b.ci[0] <= 0) return null;
  const error = Math.hypot(...[a.ci, b.ci].map(([low, high]) => Math.log(high / low) / (2 * Z95)));
  return { ratio, ci: aroundLog(ratio, error), method: "intervals of both medians" };
}

/** Of two means with deviation and n (delta method on the logarithm). */
function fromMoments(a: Figure, b: Figure): Pick<Ratio, "ratio" | "ci" | "method"> | null {
  const errors = [a, b].map(({ mean, std, n }) =>
    mean === null || std === null || n === null || n < 2 || mean <= 0 ? null : std / mean / Math.sqrt(n),
  );
  const [one, other] = errors;
  if (one == null || other == null || a.mean === null || b.mean === null) return null;
  const ratio = b.mean / a.mean;
  return { ratio, ci: aroundLog(ratio, Math.hypot(one, other)), method: "mean, deviation and n" };
}

/** Of the normal distribution, for 95 %. */
const Z95 = 1.959964;

function aroundLog(ratio: number, error: number): Interval {
  return [ratio * Math.exp(-Z95 * error), ratio * Math.exp(Z95 * error)];
}

function spreadOfBoots(side: readonly Held[]): number | null {
  const values = known(side.map(({ figure }) => figure.value));
  if (values.length < 2) return null;
  const least = Math.min(...values);
  return least > 0 ? Math.max(...values) / least - 1 : null;
}

function largest(values: readonly (number | null)[]): number | null {
  const some = known(values);
  return some.length === 0 ? null : Math.max(...some);
}

function known(values: readonly (number | null)[] | null): number[] {
  return values === null ? [] : values.filter((value) => value !== null);
}

function thinned<T>(values: readonly T[]): T[] {
  if (values.length <= MOST_RESAMPLED) return [...values];
  const step = values.length / MOST_RESAMPLED;
  return Array.from({ length: MOST_RESAMPLED }, (_, index) => values[Math.floor(index * step)]).filter(
    (value) => value !== undefined,
  );
}
