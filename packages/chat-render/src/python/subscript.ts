import { codePointCount, hasSurrogates, unitIndex, unitsAt } from "./code-points.ts";
import { PyError } from "./errors.ts";
import { like } from "./markup.ts";
import { intOf } from "./numbers.ts";
import { PySlice, sliceSequence } from "./slices.ts";
import { undefinedError } from "./undefined.ts";
import {
  isList,
  textOf,
  type PyContext,
  type PyValue,
  isDict,
  isUndefined,
  isObject,
  isTuple,
} from "./value.ts";

function characterAt(ctx: PyContext, text: string, index: number): string | undefined {
  if (!hasSurrogates(text)) {
    return text.charAt(index < 0 ? index + text.length : index) || undefined;
  }
  ctx.budget.grow(text.length);
  ctx.budget.step(text.length >> 4);
  const position = index < 0 ? index + codePointCount(text) : index;
  const at = unitIndex(text, position);
  return position < 0 || at >= text.length ? undefined : text.slice(at, at + unitsAt(text, at));
}

function orMissing<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof PyError && error.pythonClass === "TypeError") {
      return undefined;
    }
    throw error;
  }
}

/** `value[key]`; undefined where Python raises TypeError or LookupError, which Jinja takes for "not there". */
export function subscript(ctx: PyContext, value: PyValue, key: PyValue): PyValue | undefined {
  if (isDict(value)) {
    return typeof key === "string" ? value.getNormal(key) : orMissing(() => value.get(key));
  }
  if (isUndefined(value)) {
    throw undefinedError(ctx, value);
  }
  if (isObject(value)) {
    return value.getItem?.(key, ctx);
  }
  if (key instanceof PySlice) {
    return orMissing(() => sliceSequence(ctx, value, key));
  }
  const index = intOf(key);
  if (typeof index !== "number") {
    return undefined;
  }
  const text = textOf(value);
  if (text !== undefined) {
    const character = characterAt(ctx, text, index);
    return character === undefined ? undefined : like(value, character);
  }
  const items = isTuple(value) ? value.items : value;
  return isList(items) ? items[index < 0 ? index + items.length : index] : undefined;
}
