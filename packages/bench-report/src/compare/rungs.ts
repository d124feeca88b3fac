import type { Coordinates, Point, Result } from "../result/schema.ts";
import { onePerBoot } from "./one-per-boot.ts";

/** One of the two sides: a result, or several of the same thing, which are boots of its server. */
export interface Side {
  readonly name: string;
  readonly results: readonly [Result, ...Result[]];
}

/** Points of a side that stand at the same place, one per boot. */
export interface Rung {
  readonly at: Coordinates;
  /** First result of the points, whose protocol they have. */
  readonly result: Result;
  readonly points: readonly Point[];
}

/** Two rungs that belong together. */
export interface RungPair {
  readonly label: string;
  readonly a: Rung;
  readonly b: Rung;
}

export interface PairedRungs {
  readonly pairs: readonly RungPair[];
  /** Labels of the rungs that the other side does not have. */
  readonly onlyA: readonly string[];
  readonly onlyB: readonly string[];
}

type Axis = Exclude<keyof Coordinates, "boot">;

const AXES: readonly Axis[] = ["profile", "contextTokens", "concurrency", "ratePerS", "temperature"];
const NAMES: Readonly<Record<Axis, string>> = {
  profile: "",
  contextTokens: "context ",
  concurrency: "in flight ",
  ratePerS: "req/s ",
  temperature: "temperature ",
};

/** Context lengths this close are the same rung: within 8 tokens or 1 %, as ladders are calibrated. */
const TOLERANCE = { tokens: 8, share: 0.01 };

/**
 * Rungs of both sides that stand at the same place. A place is told by what varies on a side; what no point of the other side
 * states does not tell rungs apart. Two sides with one rung each belong together, whatever their places: that those differ
 * is for the protocol to say.
 */
export function pairRungs(a: Side, b: Side): PairedRungs {
  const [left, right] = [rungsOf(a), rungsOf(b)];
  const [one, other] = [left[0], right[0]];
  if (left.length === 1 && right.length === 1 && one !== undefined && other !== undefined) {
    return { pairs: [{ label: labelOf(one, AXES), a: one, b: other }], onlyA: [], onlyB: [] };
  }
  const axes = AXES.filter(
    (axis) =>
      (varies(left, axis) || varies(right, axis)) &&
      [left, right].every((side) => side.some(({ at }) => at[axis] !== null)),
  );
  const told = AXES.filter((axis) => varies(left, axis) || varies(right, axis));
  const pairs: RungPair[] = [];
  const used = new Set<Rung>();
  for (const rung of left) {
    const beside = right.filter((candidate) =>
      axes.every((axis) => axis === "contextTokens" || rung.at[axis] === candidate.at[axis]),
    );
    for (const candidate of axes.includes("contextTokens") ? sameContext(rung, beside) : beside) {
      pairs.push({ label: labelOf(rung, told), a: rung, b: candidate });
      used.add(rung).add(candidate);
    }
  }
  const unused = (side: readonly Rung[]) =>
    side.filter((rung) => !used.has(rung)).map((rung) => labelOf(rung, told));
  return { pairs, onlyA: unused(left), onlyB: unused(right) };
}

/** Rungs of a side in the order in which they first occur. */
export function rungsOf({ results }: Side): Rung[] {
  const rungs = new Map<
    string,
    { at: Coordinates; result: Result; points: { file: number; point: Point }[] }
  >();
  for (const [file, result] of results.entries()) {
    for (const point of result.points) {
      const key = JSON.stringify(AXES.map((axis) => point.at[axis]));
      const rung = rungs.get(key);
      if (rung === undefined)
        rungs.set(key, { at: { ...point.at, boot: null }, result, points: [{ file, point }] });
      else rung.points.push({ file, point });
    }
  }
  return [...rungs.values()].map(({ at, result, points }) => ({ at, result, points: onePerBoot(points) }));
}

function varies(rungs: readonly Rung[], axis: Axis): boolean {
  return new Set(rungs.map(({ at }) => at[axis])).size > 1;
}

/**
 * Rungs whose prompts were as long as those of this one, which is what both sides sent; where there is none, those that aimed at the
 * same length.
 */
function sameContext(rung: Rung, candidates: readonly Rung[]): Rung[] {
  const sent = candidates.filter((candidate) =>
    isSameLength(promptTokensOf(rung), promptTokensOf(candidate)),
  );
  return sent.length > 0
    ? sent
    : candidates.filter(({ at }) => isSameLength(rung.at.contextTokens, at.contextTokens));
}

function promptTokensOf({ points: [point] }: Rung): number | null {
  return point?.promptTokens?.value ?? null;
}

function isSameLength(one: number | null, other: number | null): boolean {
  if (one === null || other === null) return false;
  return Math.abs(one - other) <= Math.max(TOLERANCE.tokens, TOLERANCE.share * Math.max(one, other));
}

function labelOf({ at }: Rung, axes: readonly Axis[]): string {
  const parts = axes.flatMap((axis) => (at[axis] === null ? [] : [`${NAMES[axis]}${at[axis]}`]));
  return parts.length === 0 ? "the run" : parts.join(", ");
}
