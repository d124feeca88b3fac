import { codePointCount, sliceCodePoints } from "../code-points.ts";
import { valueError } from "../errors.ts";
import { sizeArgument } from "../methods/method.ts";
import { splitLines } from "../methods/str-split.ts";
import { strip } from "../methods/str-search.ts";
import { pretty } from "../pretty.ts";
import { like } from "../markup.ts";
import { textArgument } from "../methods/method.ts";
import { truth } from "../truth.ts";
import { isStr, textOf, type PyContext, type PyFilter, type PyValue } from "../value.ts";
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
  readonly breakWords: boolean;
  /** Whether long words are broken after their hyphens. */
  readonly breakHyphens: boolean;
  /** Whether hyphens part words; Python asks for True itself. */
  readonly splitHyphens: boolean;
}

/** How much of a word that is too long goes onto the line. */
function longWordEnd(chunk: string, room: number, { breakHyphens }: WrapOptions): number {
  if (breakHyphens && codePointCount(chunk) > room) {
    const start = sliceCodePoints(chunk, 0, room);
    const hyphen = start.lastIndexOf("-");
    if (hyphen > 0 && /[^-]/.test(start.slice(0, hyphen))) {
      return hyphen + 1;
    }
    return start.length;
  }
  return sliceCodePoints(chunk, 0, room).length;
}

/** `textwrap.wrap` of one paragraph, without changing its white space. */
function wrapLine(ctx: PyContext, text: string, options: WrapOptions): string[] {
  const { width } = options;
  if (width <= 0) {
    throw valueError(`invalid width ${width} (must be > 0)`);
  }
  const chunks = text
    .split(options.splitHyphens ? chunkPattern : spacePattern)
    .filter((chunk) => chunk !== undefined && chunk !== "")
    .reverse();
  const lines: string[] = [];
  while (chunks.length > 0) {
    const line: string[] = [];
    let used = 0;
    if (lines.length > 0 && strip(chunks.at(-1) ?? "", null, "both") === "") {
      chunks.pop();
    }
    let size = 0;
    while (chunks.length > 0) {
      const chunk = chunks.at(-1) ?? "";
      ctx.budget.step();
      ctx.budget.grow(chunk.length);
      size = codePointCount(chunk);
      if (used + size > width) {
        break;
      }
      line.push(chunk);
      used += size;
      chunks.pop();
    }
    const next = chunks.at(-1);
    if (next !== undefined && size > width) {
      if (options.breakWords) {
        const end = longWordEnd(next, width - used, options);
        line.push(next.slice(0, end));
        chunks[chunks.length - 1] = next.slice(end);
      } else if (line.length === 0) {
        line.push(next);
        chunks.pop();
      }
    }
    if (line.length > 0 && strip(line.at(-1) ?? "", null, "both") === "") {
      line.pop();
    }
    if (line.length > 0) {
      lines.push(line.join(""));
    }
  }
  return lines;
}

function wordWrap(
  ctx: PyContext,
  [value = null, width = 79, breakLong = true, wrapString = null, breakHyphens = true]: readonly (
    | PyValue
    | undefined
  )[],
): PyValue {
  if (!isStr(value)) {
    throw noAttribute(ctx, value, "splitlines");
  }
  const text = textOf(value) ?? "";
  const separator = wrapString === null ? "\n" : textArgument(wrapString, "");
  const options: WrapOptions = {
    width: sizeArgument(width),
    breakWords: truth(breakLong),
    breakHyphens: truth(breakHyphens),
    splitHyphens: breakHyphens === true,
  };
  ctx.budget.grow(text.length * 8);
  const lines = splitLines(text).map((line) => wrapLine(ctx, line, options).join(separator));
  const size = lines.reduce((total, line) => total + line.length + separator.length, 0);
  ctx.budget.grow(size);
  return like(wrapString, lines.join(separator));
}

export const wrapFilters: Readonly<Record<string, PyFilter>> = {
  pprint: filter("do_pprint(value)", (ctx, [value = null]) => pretty(ctx, value)),
  wordwrap: filter("*do_wordwrap(s, width=, break_long_words=, wrapstring=, break_on_hyphens=)", wordWrap),
};
