import { callMethod } from "../access.ts";
import { binary } from "../arithmetic.ts";
import { filterArgumentError, PyError, typeError } from "../errors.ts";
import { notSubscriptable } from "../refusals.ts";
import { order } from "../compare.ts";
import { length, listOf } from "../iterate.ts";
import { escape, escapeText, like } from "../markup.ts";
import { sizeArgument } from "../methods/method.ts";
import { replaceText } from "../methods/str-search.ts";
import { splitLines } from "../methods/str-split.ts";
import { stripTags } from "../entities.ts";
import { PyFunction } from "../objects.ts";
import { printf } from "../printf.ts";
import { str } from "../repr.ts";
import { PySlice, sliceSequence } from "../slices.ts";
import { truth } from "../truth.ts";
import { undefinedError } from "../undefined.ts";
import { spaceClass } from "../unicode.ts";
import {
  isList,
  isStr,
  PyDict,
  PyMarkup,
  PyTuple,
  textOf,
  typeName,
  type PyContext,
  type PyFilter,
  type PyValue,
  isUndefined,
  isTuple,
  isMarkup,
  isDict,
  isObject,
} from "../value.ts";
import { builtin, filter } from "./filter.ts";
import { attributeGetter } from "./attribute-getter.ts";

/** A str or a Markup as it is, everything else as `str` prints it. */
export function softText(ctx: PyContext, value: PyValue): string | PyMarkup {
  return isStr(value) ? value : str(ctx, value);
}

/** Raises what Python raises for a method that a value does not have. */
function ownerOf(value: PyValue): string {
  return value instanceof PyFunction && value.typeName === "type"
    ? `type object '${value.name.replace(/^.*\./u, "")}'`
    : `'${typeName(value)}' object`;
}

export function noAttribute(ctx: PyContext, value: PyValue, name: string): PyError {
  return isUndefined(value)
    ? undefinedError(ctx, value)
    : new PyError(
        "AttributeError",
        // A namespace raises it itself.
        typeName(value) === "Namespace" ? name : `${ownerOf(value)} has no attribute '${name}'`,
      );
}

function softMethod(name: string): PyFilter {
  return filter(`do_${name}(s)`, (ctx, [value = null]) =>
    callMethod(ctx, softText(ctx, value), name, [], null),
  );
}

const wordStart = new RegExp(`([-({\\[<${spaceClass}]+)`, "u");

function title(ctx: PyContext, value: PyValue): string {
  const text = str(ctx, value);
  ctx.budget.grow(text.length * 2);
  ctx.budget.step(text.length >> 1);
  return text
    .split(wordStart)
    .map((part) => {
      const [first = ""] = part;
      return first.toUpperCase() + part.slice(first.length).toLowerCase();
    })
    .join("");
}

function indent(
  ctx: PyContext,
  [value = null, width = 4, first = false, blank = false]: readonly (PyValue | undefined)[],
): PyValue {
  const inset = isStr(width) ? width : binary(ctx, "*", " ", width);
  const text = textOf(value);
  if (text === undefined) {
    if (isUndefined(value)) {
      throw undefinedError(ctx, value);
    }
    throw isList(value)
      ? noAttribute(ctx, value, "splitlines")
      : isTuple(value)
        ? typeError('can only concatenate tuple (not "str") to tuple')
        : typeError(`unsupported operand type(s) for +=: '${typeName(value)}' and 'str'`);
  }
  const indention = textOf(inset) ?? "";
  // A Markup takes the indention for safe; a Markup of an indention escapes plain lines.
  const asMarkup = isMarkup(value) || isMarkup(inset);
  const marked = (line: string): string => (asMarkup && !isMarkup(value) ? escapeText(line) : line);
  ctx.budget.step(text.length >> 3);
  const lines = splitLines(`${text}\n`);
  ctx.budget.grow(text.length + lines.length * indention.length);
  const whole = lines
    .map((line, index) =>
      (index === 0 ? truth(first) : line !== "" || truth(blank)) ? indention + marked(line) : marked(line),
    )
    .join("\n");
  return asMarkup ? new PyMarkup(whole) : whole;
}

/** `value[:stop]`, with the errors that Python raises for what cannot be sliced. */
export function firstPart(ctx: PyContext, value: PyValue, stop: PyValue): PyValue {
  if (isDict(value)) {
    throw typeError("unhashable type: 'slice'");
  }
  const slice = new PySlice(null, stop, null);
  const part = isObject(value) ? value.getItem?.(slice, ctx) : sliceSequence(ctx, value, slice);
  if (part === undefined) {
    throw notSubscriptable(value);
  }
  return part;
}

function truncate(
  ctx: PyContext,
  [value = null, size = 255, killWords = false, end = "...", leeway = null]: readonly (PyValue | undefined)[],
): PyValue {
  const slack = leeway ?? 5;
  const endLength = length(ctx, end);
  if (!order(ctx, ">=", size, endLength)) {
    throw new PyError("AssertionError", `expected length >= ${endLength}, got ${str(ctx, size)}`);
  }
  if (!order(ctx, ">=", slack, 0)) {
    throw new PyError("AssertionError", `expected leeway >= 0, got ${str(ctx, slack)}`);
  }
  if (order(ctx, "<=", length(ctx, value), binary(ctx, "+", size, slack))) {
    return value;
  }
  const cut = firstPart(ctx, value, binary(ctx, "-", size, endLength));
  if (truth(killWords)) {
    return binary(ctx, "+", cut, end);
  }
  const text = textOf(cut);
  if (text === undefined) {
    throw typeName(cut) === "bytes"
      ? typeError("a bytes-like object is required, not 'str'")
      : noAttribute(ctx, cut, "rsplit");
  }
  const space = text.lastIndexOf(" ");
  return binary(ctx, "+", like(value, space < 0 ? text : text.slice(0, space)), end);
}

function join(
  ctx: PyContext,
  [value = null, separator = "", attribute = null]: readonly (PyValue | undefined)[],
): string | PyMarkup {
  let items = listOf(ctx, value);
  if (attribute !== null) {
    const getter = attributeGetter(ctx, attribute);
    items = items.map((item) => getter(item));
  }
  const marked = ctx.autoescape === true && (isMarkup(separator) || items.some((item) => isMarkup(item)));
  const textOfItem = (item: PyValue): string => (marked ? escape(ctx, item).text : str(ctx, item));
  const between = textOfItem(separator);
  let size = between.length * items.length;
  const texts = items.map((item) => {
    const text = textOfItem(item);
    ctx.budget.step();
    size += text.length;
    return text;
  });
  ctx.budget.grow(size);
  const joined = texts.join(between);
  return marked ? new PyMarkup(joined) : joined;
}

function replace(
  ctx: PyContext,
  [value = null, old = null, replacement = null, count = null]: readonly (PyValue | undefined)[],
): PyValue {
  const times = count === null ? -1 : count;
  if (ctx.autoescape === true) {
    const isMarked = isMarkup(old) || isMarkup(replacement);
    const text = isMarked ? escape(ctx, value) : softText(ctx, value);
    return callMethod(ctx, text, "replace", [softText(ctx, old), softText(ctx, replacement), times], null);
  }
  return replaceText(ctx, str(ctx, value), str(ctx, old), str(ctx, replacement), sizeArgument(times));
}

function format(ctx: PyContext, value: PyValue, args: readonly PyValue[], kwargs: PyDict | null): PyValue {
  if (args.length > 0 && kwargs !== null) {
    throw filterArgumentError("can't handle positional and keyword arguments at the same time");
  }
  return printf(ctx, softText(ctx, value), kwargs ?? new PyTuple(args));
}

function wordCount(ctx: PyContext, value: PyValue): number {
  const text = str(ctx, value);
  ctx.budget.grow(text.length * 2);
  ctx.budget.step(text.length >> 2);
  return text.match(/[\p{L}\p{N}_]+/gu)?.length ?? 0;
}

export const textFilters: Readonly<Record<string, PyFilter>> = {
  capitalize: softMethod("capitalize"),
  center: filter("do_center(value, width=)", (ctx, [value = null, width = 80]) =>
    callMethod(ctx, softText(ctx, value), "center", [width], null),
  ),
  e: filter("escape(s)", (ctx, [value = null]) => escape(ctx, value)),
  escape: filter("escape(s)", (ctx, [value = null]) => escape(ctx, value)),
  forceescape: filter("do_forceescape(value)", (ctx, [value = null]) => escape(ctx, str(ctx, value))),
  format: (ctx, value, args, kwargs) =>
    format(ctx, value, args, kwargs === null || kwargs.size === 0 ? null : PyDict.of(kwargs)),
  indent: filter("do_indent(s, width=, first=, blank=)", indent),
  join: filter("*sync_do_join(value, d=, attribute=)", join),
  lower: softMethod("lower"),
  replace: filter("*do_replace(s, old, new, count=)", replace),
  safe: filter("do_mark_safe(value)", (ctx, [value = null]) => new PyMarkup(str(ctx, value))),
  string: filter("soft_str(s)", (ctx, [value = null]) => softText(ctx, value)),
  striptags: filter("do_striptags(value)", (ctx, [value = null]) => stripTags(ctx, str(ctx, value))),
  title: filter("do_title(s)", (ctx, [value = null]) => title(ctx, value)),
  trim: filter("do_trim(value, chars=)", (ctx, [value = null, chars = null]) =>
    callMethod(ctx, softText(ctx, value), "strip", [chars], null),
  ),
  truncate: filter("*do_truncate(s, length=, killwords=, end=, leeway=)", truncate),
  upper: softMethod("upper"),
  wordcount: filter("do_wordcount(s)", (ctx, [value = null]) => wordCount(ctx, value)),
};

export const lengthFilter = builtin("len", length);
