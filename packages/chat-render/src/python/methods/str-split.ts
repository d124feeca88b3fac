import { typeError, valueError } from "../errors.ts";
import { isIterable, listOf } from "../iterate.ts";
import { isSpaceUnit } from "../unicode.ts";
import { PyTuple, textOf, typeName, type PyContext, type PyValue } from "../value.ts";
import { truth } from "../truth.ts";
import { cInt, sizeArgument, textArgument, type Arity, type MethodBody } from "./method.ts";

const splitNames: Arity = ["sep", "maxsplit"];

function splitSpaces(text: string, limit: number): string[] {
  const words: string[] = [];
  let at = 0;
  for (;;) {
    while (at < text.length && isSpaceUnit(text.charCodeAt(at))) {
      at += 1;
    }
    if (at === text.length) {
      return words;
    }
    const start = at;
    if (words.length === limit) {
      words.push(text.slice(start));
      return words;
    }
    while (at < text.length && !isSpaceUnit(text.charCodeAt(at))) {
      at += 1;
    }
    words.push(text.slice(start, at));
  }
}

function splitSpacesRight(text: string, limit: number): string[] {
  const words: string[] = [];
  let at = text.length;
  for (;;) {
    while (at > 0 && isSpaceUnit(text.charCodeAt(at - 1))) {
      at -= 1;
    }
    if (at === 0) {
      return words.reverse();
    }
    const end = at;
    if (words.length === limit) {
      words.push(text.slice(0, end));
      return words.reverse();
    }
    while (at > 0 && !isSpaceUnit(text.charCodeAt(at - 1))) {
      at -= 1;
    }
    words.push(text.slice(at, end));
  }
}

/** `text.split(separator, limit)`; null splits at white space, a negative limit everywhere. */
export function split(text: string, separator: string | null, limit: number, right = false): string[] {
  const most = limit < 0 ? Infinity : limit;
  if (separator === null) {
    return right ? splitSpacesRight(text, most) : splitSpaces(text, most);
  }
  if (separator === "") {
    throw valueError("empty separator");
  }
  if (most === Infinity) {
    return right ? splitFromRight(text, separator, most) : text.split(separator);
  }
  if (right) {
    return splitFromRight(text, separator, most);
  }
  const parts: string[] = [];
  let from = 0;
  for (let at = text.indexOf(separator); at >= 0 && parts.length < most; at = text.indexOf(separator, from)) {
    parts.push(text.slice(from, at));
    from = at + separator.length;
  }
  parts.push(text.slice(from));
  return parts;
}

function splitFromRight(text: string, separator: string, most: number): string[] {
  const parts: string[] = [];
  let end = text.length;
  while (parts.length < most && end >= separator.length) {
    const at = text.lastIndexOf(separator, end - separator.length);
    if (at < 0) {
      break;
    }
    parts.push(text.slice(at + separator.length, end));
    end = at;
  }
  parts.push(text.slice(0, end));
  return parts.reverse();
}

function splitMethod(right: boolean): MethodBody<string> {
  return (ctx, text, args) => {
    const given = args[0] ?? null;
    const separator = textOf(given) ?? null;
    const limit = sizeArgument(args[1], -1);
    if (separator === null && given !== null) {
      throw typeError(`must be str or None, not ${typeName(given)}`);
    }
    ctx.budget.grow(text.length);
    const parts = split(text, separator, limit, right);
    ctx.budget.collect(parts.length);
    return parts;
  };
}

// oxlint-disable-next-line no-control-regex
const otherEnd = /[\r\v\f\x1c-\x1e\x85\u2028\u2029]/;
// oxlint-disable-next-line no-control-regex
const lineEnd = /\r\n|[\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029]/g;

/** `text.splitlines(keepEnds)`. */
export function splitLines(text: string, keepEnds = false): string[] {
  if (!keepEnds && !otherEnd.test(text)) {
    const lines = text.split("\n");
    if (lines.at(-1) === "") {
      lines.pop();
    }
    return lines;
  }
  const lines: string[] = [];
  let from = 0;
  for (const match of text.matchAll(lineEnd)) {
    const end = match.index + match[0].length;
    lines.push(text.slice(from, keepEnds ? end : match.index));
    from = end;
  }
  if (from < text.length) {
    lines.push(text.slice(from));
  }
  return lines;
}

function partition(right: boolean): MethodBody<string> {
  return (ctx, text, args) => {
    const separator = textArgument(args[0], "");
    if (separator === "") {
      throw valueError("empty separator");
    }
    ctx.budget.grow(text.length);
    const at = right ? text.lastIndexOf(separator) : text.indexOf(separator);
    if (at < 0) {
      return new PyTuple(right ? ["", "", text] : [text, "", ""]);
    }
    return new PyTuple([text.slice(0, at), separator, text.slice(at + separator.length)]);
  };
}

/** `separator.join(items)` where every item must be a str. */
export function joinStrings(ctx: PyContext, separator: string, value: PyValue): string {
  if (!isIterable(value)) {
    throw typeError("can only join an iterable");
  }
  const items = listOf(ctx, value);
  let size = separator.length * Math.max(items.length - 1, 0);
  const texts = items.map((item, index) => {
    const text = textOf(item);
    if (text === undefined) {
      throw typeError(`sequence item ${index}: expected str instance, ${typeName(item)} found`);
    }
    size += text.length;
    return text;
  });
  ctx.budget.grow(size);
  ctx.budget.step(texts.length);
  return texts.join(separator);
}

export const splitSpecs: Record<string, readonly [Arity, MethodBody<string>]> = {
  join: [[1, 1], (ctx, text, args) => joinStrings(ctx, text, args[0] ?? null)],
  partition: [[1, 1], partition(false)],
  rpartition: [[1, 1], partition(true)],
  rsplit: [splitNames, splitMethod(true)],
  split: [splitNames, splitMethod(false)],
  splitlines: [
    ["keepends"],
    (ctx, text, args) => {
      ctx.budget.step(text.length >> 3);
      const keep = args[0];
      if (keep !== undefined && typeof keep !== "boolean") {
        return splitLines(text, truth(cInt(keep)));
      }
      return splitLines(text, keep ?? false);
    },
  ],
};
