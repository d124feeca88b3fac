import { codePointCount, hasSurrogates, unitIndex } from "../code-points.ts";
import { typeError, valueError } from "../errors.ts";
import { badSliceIndex } from "../refusals.ts";
import { intOf } from "../numbers.ts";
import { isSpaceUnit } from "../unicode.ts";
import { textOf, typeName, type PyContext, type PyValue, isTuple } from "../value.ts";
import { sizeArgument, textArgument, type Arity, type MethodBody } from "./method.ts";

type Specs = Record<string, readonly [Arity, MethodBody<string>]>;
const parsed: Arity = [1, 3, "parsed"];

/** A bound that may be None, as a number that may be clamped. */
function bound(value: PyValue | undefined, missing: number): number {
  if (value === undefined || value === null) {
    return missing;
  }
  const int = intOf(value);
  if (int === undefined) {
    throw badSliceIndex();
  }
  return typeof int === "bigint" ? (int < 0n ? -Number.MAX_SAFE_INTEGER : Number.MAX_SAFE_INTEGER) : int;
}

interface Window {
  /** The part of the text between the bounds. */
  readonly text: string;
  /** Code points before it. */
  readonly start: number;
}

/** The part that arguments 1 and 2 choose; null where the start lies behind the end. */
function window(ctx: PyContext, text: string, args: readonly (PyValue | undefined)[]): Window | null {
  ctx.budget.grow(text.length);
  if (args[1] === undefined && args[2] === undefined) {
    return { text, start: 0 };
  }
  const length = codePointCount(text);
  const clamp = (value: number): number => Math.max(value < 0 ? value + length : value, 0);
  const start = clamp(bound(args[1], 0));
  const stop = Math.min(clamp(bound(args[2], length)), length);
  if (start > stop) {
    return null;
  }
  if (!hasSurrogates(text)) {
    return { text: text.slice(start, stop), start };
  }
  const from = unitIndex(text, start);
  return { text: text.slice(from, unitIndex(text, stop - start, from)), start };
}

function find(last: boolean): MethodBody<string> {
  return (ctx, text, args) => {
    // Python reads the bounds before it looks at what is searched for.
    const inside = window(ctx, text, args);
    const part = textArgument(args[0], "");
    const at = inside === null ? -1 : last ? inside.text.lastIndexOf(part) : inside.text.indexOf(part);
    return inside === null || at < 0 ? -1 : inside.start + codePointCount(inside.text.slice(0, at));
  };
}

function index(last: boolean): MethodBody<string> {
  const search = find(last);
  return (ctx, text, args) => {
    const at = search(ctx, text, args);
    if (at === -1) {
      throw valueError("substring not found");
    }
    return at;
  };
}

function edge(name: "startswith" | "endswith"): MethodBody<string> {
  const test = (text: string, part: string): boolean =>
    name === "startswith" ? text.startsWith(part) : text.endsWith(part);
  return (ctx, text, args) => {
    const inside = window(ctx, text, args);
    const wanted = args[0] ?? null;
    const part = textOf(wanted);
    if (part === undefined && !isTuple(wanted)) {
      throw typeError(`${name} first arg must be str or a tuple of str, not ${typeName(wanted)}`);
    }
    if (part !== undefined) {
      return inside !== null && test(inside.text, part);
    }
    for (const item of isTuple(wanted) ? wanted.items : []) {
      const one = textOf(item);
      if (one === undefined) {
        throw typeError(`tuple for ${name} must only contain str, not ${typeName(item)}`);
      }
      ctx.budget.step();
      if (inside !== null && test(inside.text, one)) {
        return true;
      }
    }
    return false;
  };
}

/** Characters to be stripped above which they are looked up and not searched for. */
const MANY_CHARS = 32;

/** The text without `chars` (white space where null) at its ends. */
export function strip(text: string, chars: string | null, sides: "both" | "left" | "right"): string {
  // Only a pair can be mistaken for parts of another.
  if (chars !== null && hasSurrogates(chars)) {
    const set = new Set(chars);
    const characters = Array.from(text);
    const [start, end] = strippedRange(characters.length, sides, (at) => set.has(characters[at] ?? ""));
    return characters.slice(start, end).join("");
  }
  const many = chars !== null && chars.length > MANY_CHARS ? new Set(chars) : null;
  const [start, end] = strippedRange(text.length, sides, (at) =>
    chars === null
      ? isSpaceUnit(text.charCodeAt(at))
      : (many?.has(text.charAt(at)) ?? chars.includes(text.charAt(at))),
  );
  return text.slice(start, end);
}

/** What is left of `length` places when those that are `dropped` at the ends are gone. */
function strippedRange(
  length: number,
  sides: "both" | "left" | "right",
  dropped: (at: number) => boolean,
): readonly [start: number, end: number] {
  let start = 0;
  let end = length;
  if (sides !== "right") {
    while (start < end && dropped(start)) {
      start += 1;
    }
  }
  if (sides !== "left") {
    while (end > start && dropped(end - 1)) {
      end -= 1;
    }
  }
  return [start, end];
}

function stripMethod(name: string, sides: "both" | "left" | "right"): readonly [Arity, MethodBody<string>] {
  return [
    [0, 1],
    (ctx, text, args) => {
      const chars = args[0] ?? null;
      const set = textOf(chars);
      if (set === undefined && chars !== null) {
        throw typeError(`${name} arg must be None or str`);
      }
      if (set !== undefined && set.length > MANY_CHARS) {
        ctx.budget.step(set.length);
      }
      const stripped = strip(text, set ?? null, sides);
      ctx.budget.step((text.length >> 8) + ((text.length - stripped.length) >> 3));
      return stripped;
    },
  ];
}

/** Occurrences of `part`, which overlap nowhere. */
export function countParts(text: string, part: string): number {
  if (part === "") {
    return codePointCount(text) + 1;
  }
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) {
    count += 1;
  }
  return count;
}

/** `text.replace(old, replacement, count)`; all where `count` is negative. */
export function replaceText(
  ctx: PyContext,
  text: string,
  old: string,
  replacement: string,
  count: number,
): string {
  ctx.budget.grow(text.length);
  ctx.budget.step(Math.ceil(text.length / Math.max(old.length * 8, 1)));
  if (count === 0 || (old === replacement && old !== "")) {
    return text;
  }
  const found = countParts(text, old);
  const times = count < 0 ? found : Math.min(count, found);
  ctx.budget.grow(text.length + times * Math.max(replacement.length - old.length, 0));
  ctx.budget.step(times);
  if (old === "") {
    const characters = Array.from(text);
    const parts = characters.map((character, at) => (at < times ? replacement + character : character));
    return parts.join("") + (times > characters.length ? replacement : "");
  }
  if (times === found) {
    return found === 0 ? text : text.split(old).join(replacement);
  }
  let result = "";
  let from = 0;
  for (let left = times; left > 0; left -= 1) {
    const at = text.indexOf(old, from);
    result += text.slice(from, at) + replacement;
    from = at + old.length;
  }
  return result + text.slice(from);
}

export const searchSpecs: Specs = {
  count: [
    parsed,
    (ctx, text, args) => {
      const inside = window(ctx, text, args);
      const part = textArgument(args[0], "");
      return inside === null ? 0 : countParts(inside.text, part);
    },
  ],
  endswith: [parsed, edge("endswith")],
  find: [parsed, find(false)],
  index: [parsed, index(false)],
  lstrip: stripMethod("lstrip", "left"),
  replace: [
    [2, 3],
    (ctx, text, args) => {
      const old = textArgument(args[0], "replace() argument 1 ");
      const replacement = textArgument(args[1], "replace() argument 2 ");
      return replaceText(ctx, text, old, replacement, sizeArgument(args[2], -1));
    },
  ],
  rfind: [parsed, find(true)],
  rindex: [parsed, index(true)],
  rstrip: stripMethod("rstrip", "right"),
  startswith: [parsed, edge("startswith")],
  strip: stripMethod("strip", "both"),
};
