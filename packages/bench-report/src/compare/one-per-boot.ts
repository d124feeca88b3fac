import { figure } from "../result/make.ts";
import { FIGURE_NAMES } from "../result/figures.ts";
import type { Figure, Point } from "../result/schema.ts";
import { median } from "./resample.ts";

/**
 * One point per boot: points of one place that were measured in the same boot are its repetitions. Points that do not tell their
 * boot and stand in one file are taken for one boot, so that nothing is made of a restart that nobody saw.
 */
export function onePerBoot(points: readonly { readonly file: number; readonly point: Point }[]): Point[] {
  const boots = new Map<string, Point[]>();
  for (const { file, point } of points) {
    const key = `${file}/${point.at.boot ?? "unknown"}`;
    const known = boots.get(key);
    if (known === undefined) boots.set(key, [point]);
    else known.push(point);
  }
  return [...boots.values()].map(merged);
}

function merged(points: readonly Point[]): Point {
  const [first] = points;
  if (first === undefined) throw new RangeError("a boot has a point");
  if (points.length === 1) return first;
  const figures = FIGURE_NAMES.flatMap((name) => {
    const all = points.map((point) => point.figures[name] ?? null);
    const values = all.map((one) => one?.value ?? null);
    return values.every((value) => value === null) ? [] : [[name, repeated(all, values)] as const];
  });
  return {
    ...first,
    figures: Object.fromEntries(figures),
    outputTokens: widest(points.map(({ outputTokens }) => outputTokens)),
    requestIds: null,
    requestRepetitions: null,
  };
}

/** The median over repetitions, with those as its values. */
function repeated(all: readonly (Figure | null)[], values: readonly (number | null)[]): Figure {
  const known = values.filter((value) => value !== null);
  const value = median(known);
  const ns = all.map((one) => one?.n ?? null);
  return figure({
    value,
    statistic: "p50",
    p50: value,
    n: ns.includes(null) ? null : ns.reduce<number>((sum, n) => sum + (n ?? 0), 0),
    min: Math.min(...known),
    max: Math.max(...known),
    multimodal: all.some((one) => one?.multimodal === true) ? true : null,
    repetitions: [...values],
  });
}

/** From the shortest output of any repetition to the longest. */
function widest(all: readonly (Figure | null)[]): Figure | null {
  const known = all.filter((one) => one !== null && one.value !== null);
  const [first] = known;
  if (first === undefined) return null;
  const of = (name: "min" | "value" | "max"): number[] => known.flatMap((one) => one?.[name] ?? []);
  const [mins, maxes] = [of("min"), of("max")];
  const value = median(of("value"));
  return figure({
    value,
    statistic: "p50",
    p50: value,
    min: mins.length === known.length ? Math.min(...mins) : null,
    max: maxes.length === known.length ? Math.max(...maxes) : null,
  });
}
