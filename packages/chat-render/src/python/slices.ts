import { codePointCount, sliceCodePoints } from "./code-points.ts";
import { valueError } from "./errors.ts";
import { badSliceIndex } from "./refusals.ts";
import { like } from "./markup.ts";
import { intOf } from "./numbers.ts";
import { repr } from "./repr.ts";
import { isList, PyObject, PyTuple, textOf, type PyContext, type PyValue, isTuple } from "./value.ts";

/** `slice(start, stop, step)`: what Undefined names when something cannot be sliced. */
export class PySlice extends PyObject {
  override readonly typeName = "slice";
  readonly parts: readonly [PyValue, PyValue, PyValue];

  constructor(start: PyValue, stop: PyValue, step: PyValue) {
    super();
    this.parts = [start, stop, step];
  }

  override get unhashable(): boolean {
    return true;
  }

  override repr(ctx: PyContext): string {
    return `slice(${this.parts.map((part) => repr(ctx, part)).join(", ")})`;
  }
}

/** A bound as a number that may be clamped: beyond the safe range only its sign matters. */
function bound(value: PyValue): number | null {
  if (value === null) {
    return null;
  }
  const int = intOf(value);
  if (int === undefined) {
    throw badSliceIndex();
  }
  return typeof int === "bigint" ? (int < 0n ? -Number.MAX_SAFE_INTEGER : Number.MAX_SAFE_INTEGER) : int;
}

export interface SliceBounds {
  readonly start: number;
  readonly stop: number;
  /** Items taken. */
  readonly count: number;
  readonly step: number;
}

/** `slice.indices(length)`. */
export function sliceBounds(slice: PySlice, length: number): SliceBounds {
  const [first, second, third] = slice.parts;
  const step = bound(third) ?? 1;
  if (step === 0) {
    throw valueError("slice step cannot be zero");
  }
  const low = step < 0 ? -1 : 0;
  const high = step < 0 ? length - 1 : length;
  const clamp = (value: number | null, missing: number): number =>
    value === null ? missing : value < 0 ? Math.max(value + length, low) : Math.min(value, high);
  const start = clamp(bound(first), step < 0 ? high : low);
  const stop = clamp(bound(second), step < 0 ? low : high);
  const count = Math.max(Math.ceil((stop - start) / step), 0);
  return { start, stop, count, step };
}

/** The items that a slice takes. */
export function pick<T>(items: readonly T[], { start, count, step }: SliceBounds): T[] {
  if (step === 1) {
    return items.slice(start, start + count);
  }
  const picked: T[] = [];
  for (let taken = 0; taken < count; taken += 1) {
    const item = items[start + taken * step];
    if (item !== undefined) {
      picked.push(item);
    }
  }
  return picked;
}

/** The part of a str, list or tuple; undefined for everything else. */
export function sliceSequence(ctx: PyContext, value: PyValue, slice: PySlice): PyValue | undefined {
  const text = textOf(value);
  if (text !== undefined) {
    ctx.budget.grow(text.length);
    const bounds = sliceBounds(slice, codePointCount(text));
    if (bounds.step === 1) {
      return like(value, sliceCodePoints(text, bounds.start, bounds.start + bounds.count));
    }
    ctx.budget.collect(text.length);
    return like(value, pick(Array.from(text), bounds).join(""));
  }
  const items = isTuple(value) ? value.items : value;
  if (!isList(items)) {
    return undefined;
  }
  const bounds = sliceBounds(slice, items.length);
  ctx.budget.collect(bounds.count);
  const picked = pick(items, bounds);
  return isTuple(value) ? new PyTuple(picked) : picked;
}
