import { codePointCount, unitIndex } from "../code-points.ts";
import { typeError, valueError } from "../errors.ts";
import { badSliceIndex } from "../refusals.ts";
import { str } from "../repr.ts";
import { splitLines } from "../methods/str-split.ts";
import { strip } from "../methods/str-search.ts";
import { pretty } from "../pretty.ts";
import { like } from "../markup.ts";
import { truth } from "../truth.ts";
import { undefinedError } from "../undefined.ts";
import {
  isFloat,
  isInt,
  isStr,
  PyFloat,
  textOf,
  typeName,
  type PyContext,
  type PyFilter,
  type PyValue,
  isUndefined,
} from "../value.ts";
import { filter } from "./filter.ts";
import { noAttribute } from "./text-filters.ts";

const space = "[\\t\\n\\x0b\\f\\r ]";
const inWord = "[\\p{L}\\p{N}_]";
const letter = "(?:(?!\\p{Nd})[\\p{L}\\p{N}_])";
const punctuation = "[\\p{L}\\p{N}_!\"'&.,?]";
/** White space, dashes between words, and words with the hyphens that they may be broken at. */
const chunkPattern = new RegExp(
  `(${space}+|(?<=${punctuation})-{2,}(?=${inWord})|[^\\t\\n\\x0b\\f\\r ]+?` +
    `(?:-(?:(?<=${letter}{2}-)|(?<=${letter}-${letter}-))(?=${letter}-?${letter})|(?=${space}|$)` +
    `|(?<=${punctuation})(?=-{2,}${inWord})))`,
  "u",
);
const spacePattern = new RegExp(`(${space}+)`);

interface WrapOptions {
  readonly width: number;
  /** Whether the width is a float, at which Python cannot cut. */
  readonly isFloat: boolean;
  /** As Python prints it. */
  readonly shownWidth: string;
  readonly breakWords: boolean;
  /** Whether long words are broken after their hyphens. */
  readonly breakHyphens: boolean;
  /** Whether hyphens part words; Python asks for True itself. */
  readonly splitHyphens: boolean;
}

/** A chunk that is not on a line yet, from `at` on, with its length in code points. */
interface Chunk {
  readonly text: string;
  at: number;
  size: number;
}

/** Where a word that is too long is cut: after `room` code points, or after its last hyphen before that. */
function cutAt({ text, at }: Chunk, room: number, breakHyphens: boolean): number {
  // Only what can be reached is looked at: the word may be as long as a text may be.
  const end = at + unitIndex(text.slice(at, at + room * 2), room);
  if (breakHyphens) {
    const part = text.slice(at, end);
    const hyphen = part.lastIndexOf("-");
    if (hyphen > 0 && /[^-]/.test(part.slice(0, hyphen))) {
      return at + hyphen + 1;
    }
  }
  return end;
}

function isBlank(text: string): boolean {
  return strip(text, null, "both") === "";
}

/** `textwrap.wrap` of one paragraph, without changing its white space. */
function wrapLine(ctx: PyContext, text: string, options: WrapOptions): string[] {
  const { width } = options;
  if (width <= 0) {
    throw valueError(`invalid width ${options.shownWidth} (must be > 0)`);
  }
  const chunks = text
    .split(options.splitHyphens ? chunkPattern : spacePattern)
    .filter((chunk) => chunk !== undefined && chunk !== "")
    .map((chunk): Chunk => ({ text: chunk, at: 0, size: codePointCount(chunk) }))
    .reverse();
  ctx.budget.step(chunks.length * 4);
  const lines: string[] = [];
  while (chunks.length > 0) {
    ctx.budget.step(6);
    const line: string[] = [];
    let room = width;
    const first = chunks.at(-1);
    if (lines.length > 0 && first !== undefined && isBlank(first.text.slice(first.at))) {
      chunks.pop();
    }
    let next = chunks.at(-1);
    while (next !== undefined && next.size <= room) {
      line.push(next.text.slice(next.at));
      room -= next.size;
      chunks.pop();
      next = chunks.at(-1);
    }
    if (next !== undefined && next.size > width) {
      if (options.breakWords) {
        if (options.isFloat && width >= 1) {
          throw badSliceIndex();
        }
        const end = cutAt(next, width < 1 ? 1 : room, options.breakHyphens);
        ctx.budget.grow(width);
        const part = next.text.slice(next.at, end);
        line.push(part);
        next.size -= codePointCount(part);
        next.at = end;
      } else if (line.length === 0) {
        line.push(next.text);
        chunks.pop();
      }
    }
    if (line.length > 0 && isBlank(line.at(-1) ?? "")) {
      line.pop();
    }
    if (line.length > 0) {
      lines.push(line.join(""));
    }
  }
  return lines;
}

/** Python compares the width before it uses it as a length. */
function lineWidth(ctx: PyContext, width: PyValue): number {
  if (isUndefined(width)) {
    throw undefinedError(ctx, width);
  }
  if (isFloat(width)) {
    return width instanceof PyFloat ? width.value : width;
  }
  if (!isInt(width) && typeof width !== "boolean") {
    throw typeError(`'<=' not supported between instances of '${typeName(width)}' and 'int'`);
  }
  return Number(width);
}

function wordWrap(
  ctx: PyContext,
  [value = null, width = 79, breakLong = true, wrapString = null, breakHyphens = true]: readonly (
    | PyValue
    | undefined
  )[],
): PyValue {
  if (wrapString !== null && !isStr(wrapString)) {
    throw noAttribute(ctx, wrapString, "join");
  }
  if (!isStr(value)) {
    throw noAttribute(ctx, value, "splitlines");
  }
  const text = textOf(value) ?? "";
  const separator = textOf(wrapString) ?? "\n";
  const paragraphs = splitLines(text);
  if (paragraphs.length === 0) {
    return like(wrapString, "");
  }
  const options: WrapOptions = {
    width: lineWidth(ctx, width),
    isFloat: isFloat(width),
    shownWidth: str(ctx, width),
    breakWords: truth(breakLong),
    breakHyphens: truth(breakHyphens),
    splitHyphens: breakHyphens === true,
  };
  ctx.budget.step(text.length);
  const lines = paragraphs.map((line) => wrapLine(ctx, line, options).join(separator));
  const size = lines.reduce((total, line) => total + line.length + separator.length, 0);
  ctx.budget.grow(size);
  return like(wrapString, lines.join(separator));
}

export const wrapFilters: Readonly<Record<string, PyFilter>> = {
  pprint: filter("do_pprint(value)", (ctx, [value = null]) => pretty(ctx, value)),
  wordwrap: filter("*do_wordwrap(s, width=, break_long_words=, wrapstring=, break_on_hyphens=)", wordWrap),
};
