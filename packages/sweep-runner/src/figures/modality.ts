import type { Modality } from "../result.ts";
import { createRng } from "../rng.ts";
import { quantileType7 } from "./percentiles.ts";

/** Fewest values that are looked at. */
export const MODALITY_MINIMUM = 30;
/** More values than these are thinned to evenly spaced quantiles. */
const POINTS = 300;
const NULL_SAMPLES = 499;
/** Chance of calling values with one mode multimodal. */
const SIGNIFICANCE = 0.01;

/**
 * Whether values gather around more than one place: the dip test (J. A. Hartigan and P. M. Hartigan, The dip test of
 * unimodality, Annals of Statistics 13, 1985), with p from uniform samples of the same size, which is the least favourable
 * case. Null for fewer than {@link MODALITY_MINIMUM} values.
 *
 * @param sorted ascending
 */
export function modality(sorted: Float64Array): Modality | null {
  if (sorted.length < MODALITY_MINIMUM) return null;
  const points = thinned(sorted);
  const value = dip(points);
  const p = (1 + countAtLeast(nullDips(points.length), value)) / (NULL_SAMPLES + 1);
  return { dip: value, p, multimodal: p < SIGNIFICANCE };
}

/**
 * The dip: largest distance between the distribution of the values and the nearest one with a single mode. Between 1/(2n)
 * and 1/4. The modal interval is narrowed between the greatest convex minorant and the least concave majorant of the
 * distribution until they nowhere part by more than what was left behind. A single mode may be a jump.
 *
 * @param sorted ascending
 */
export function dip(sorted: Float64Array): number {
  const n = sorted.length;
  if (n === 0) return 0;
  const steps = stepsOf(sorted);
  let low = 0;
  let high = steps.length - 1;
  // Counts of values; divided by 2n at the end. One value is always left.
  let largest = 1;
  while (low < high) {
    const minorant = hull(steps, low, high, "under");
    const majorant = hull(steps, low, high, "over");
    const { distance, left, right } = widestGap(minorant, majorant);
    if (distance <= largest) break;
    if (left <= low && right >= high) {
      // The mode is one of the two ends, whichever leaves less.
      const atLow = overhang(steps, majorant, low + 1, high, "over");
      const atHigh = overhang(steps, minorant, low, high - 1, "under");
      largest = Math.max(largest, Math.min(atLow, atHigh));
      break;
    }
    largest = Math.max(
      largest,
      overhang(steps, minorant, low, left - 1, "under"),
      overhang(steps, majorant, right + 1, high, "over"),
    );
    low = left;
    high = right;
  }
  return largest / (2 * n);
}

/** A value with the number of values below it, and of those up to and with it. */
interface Step {
  readonly x: number;
  readonly below: number;
  readonly upTo: number;
}

function stepsOf(sorted: Float64Array): Step[] {
  const steps: Step[] = [];
  let below = 0;
  for (let index = 1; index <= sorted.length; index++) {
    const x = sorted[index - 1] ?? Number.NaN;
    if (index < sorted.length && sorted[index] === x) continue;
    steps.push({ x, below, upTo: index });
    below = index;
  }
  return steps;
}

/** A vertex of a hull: which step, and where the hull stands there. */
interface Vertex {
  readonly index: number;
  readonly x: number;
  readonly y: number;
}

/** The convex minorant (`under`) or the concave majorant (`over`) of the steps from `low` to `high`. */
function hull(steps: readonly Step[], low: number, high: number, side: "under" | "over"): Vertex[] {
  const sign = side === "under" ? 1 : -1;
  const vertices: Vertex[] = [];
  for (let index = low; index <= high; index++) {
    const step = steps[index];
    if (step === undefined) break;
    const next = { index, x: step.x, y: side === "under" ? step.below : step.upTo };
    for (;;) {
      const b = vertices.at(-1);
      const a = vertices.at(-2);
      if (a === undefined || b === undefined) break;
      const turn = (b.y - a.y) * (next.x - b.x) - (next.y - b.y) * (b.x - a.x);
      if (sign * turn < 0) break;
      // On one line, or on the wrong side of it.
      vertices.pop();
    }
    vertices.push(next);
  }
  return vertices;
}

/** Where the two hulls are farthest apart, and the modal interval that follows from it. */
function widestGap(minorant: readonly Vertex[], majorant: readonly Vertex[]) {
  let best = { distance: 0, left: minorant[0]?.index ?? 0, right: minorant.at(-1)?.index ?? 0 };
  const take = (vertex: Vertex, other: readonly Vertex[], segment: number): void => {
    const from = other[segment];
    const to = other[segment + 1];
    if (from === undefined || to === undefined) return;
    const distance = Math.abs(onLine(from, to, vertex.x) - vertex.y);
    if (distance <= best.distance) return;
    const isUnder = other === majorant;
    best = { distance, left: isUnder ? vertex.index : from.index, right: isUnder ? to.index : vertex.index };
  };
  let segment = 0;
  for (const vertex of minorant) {
    while (segment + 2 < majorant.length && (majorant[segment + 1]?.x ?? Infinity) <= vertex.x) segment++;
    take(vertex, majorant, segment);
  }
  segment = 0;
  for (const vertex of majorant) {
    while (segment + 2 < minorant.length && (minorant[segment + 1]?.x ?? Infinity) < vertex.x) segment++;
    take(vertex, minorant, segment);
  }
  return best.left <= best.right ? best : { ...best, left: best.right, right: best.left };
}

/** Largest distance between a hull and the far side of the steps from `low` to `high`. */
function overhang(
  steps: readonly Step[],
  vertices: readonly Vertex[],
  low: number,
  high: number,
  side: "under" | "over",
): number {
  let largest = 0;
  let segment = 0;
  for (let index = low; index <= high; index++) {
    const step = steps[index];
    while (segment + 2 < vertices.length && (vertices[segment + 1]?.index ?? Infinity) < index) segment++;
    const from = vertices[segment];
    const to = vertices[segment + 1];
    if (step === undefined || from === undefined || to === undefined) break;
    const y = onLine(from, to, step.x);
    largest = Math.max(largest, side === "under" ? step.upTo - y : y - step.below);
  }
  return largest;
}

function onLine(from: Vertex, to: Vertex, x: number): number {
  return from.y + ((to.y - from.y) * (x - from.x)) / (to.x - from.x);
}

function thinned(sorted: Float64Array): Float64Array {
  if (sorted.length <= POINTS) return sorted;
  return Float64Array.from(
    { length: POINTS },
    (_, index) => quantileType7(sorted, (index + 0.5) / POINTS) ?? Number.NaN,
  );
}

const known = new Map<number, Float64Array>();

/** Dips of uniform samples, ascending; made once for each size. */
function nullDips(size: number): Float64Array {
  const made = known.get(size);
  if (made !== undefined) return made;
  const rng = createRng(size, 1);
  const dips = Float64Array.from({ length: NULL_SAMPLES }, () =>
    dip(Float64Array.from({ length: size }, () => rng.next()).sort()),
  ).sort();
  known.set(size, dips);
  return dips;
}

function countAtLeast(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return sorted.length - low;
}
