import { binary } from "../arithmetic.ts";
import { compare } from "../compare.ts";
import { filterArgumentError, PyError, typeError } from "../errors.ts";
import { notSubscriptable } from "../refusals.ts";
import { isIterable, iterate, length, listOf } from "../iterate.ts";
import { like } from "../markup.ts";
import { sizeArgument } from "../methods/method.ts";
import { GroupTuple, PyIterator } from "../objects.ts";
import { reversedIterator } from "../reversed.ts";
import { equals } from "../compare.ts";
import { sortValues } from "../sorting.ts";
import { subscript } from "../subscript.ts";
import { truth } from "../truth.ts";
import {
  isList,
  PyDict,
  PyTuple,
  PyUndefined,
  textOf,
  typeName,
  type PyContext,
  type PyFilter,
  type PyValue,
  isDict,
  isUndefined,
} from "../value.ts";
import { attributeGetter, ignoreCase, multiGetter } from "./attribute-getter.ts";
import { filter } from "./filter.ts";
import { lengthFilter, noAttribute } from "./text-filters.ts";

type Args = readonly (PyValue | undefined)[];

/** A generator as templates see it. */
export function generator(name: string, make: () => Iterator<PyValue>): PyIterator {
  let source: Iterator<PyValue> | undefined;
  return new PyIterator(
    {
      next: () => {
        source ??= make();
        return source.next();
      },
    },
    "generator",
    name,
  );
}

/** The items of a value, without its `return`, so that a generator goes on where a loop left it. */
export function* each(ctx: PyContext, value: PyValue): Generator<PyValue, void, undefined> {
  const iterator = iterate(ctx, value);
  for (let step = iterator.next(); step.done !== true; step = iterator.next()) {
    ctx.budget.step(2);
    yield step.value;
  }
}

function* batch(
  ctx: PyContext,
  [value = null, size = null, fill = null]: Args,
): Generator<PyValue, void, undefined> {
  let line: PyValue[] = [];
  for (const item of each(ctx, value)) {
    if (equals(ctx, line.length, size)) {
      yield line;
      line = [];
    }
    line.push(item);
  }
  if (line.length === 0) {
    return;
  }
  if (fill !== null && compare(ctx, "<", line.length, size)) {
    const filled = binary(ctx, "*", [fill], binary(ctx, "-", size, line.length));
    line = line.concat(isList(filled) ? filled : []);
  }
  yield line;
}

function* slices(
  ctx: PyContext,
  [value = null, count = null, fill = null]: Args,
): Generator<PyValue, void, undefined> {
  const items = listOf(ctx, value);
  const whole = sizeArgument(binary(ctx, "//", items.length, count));
  const extra = sizeArgument(binary(ctx, "%", items.length, count));
  const slices_ = sizeArgument(count);
  let start = 0;
  for (let number = 0; number < slices_; number += 1) {
    const end = start + whole + (number < extra ? 1 : 0);
    ctx.budget.step(8);
    const part = items.slice(start, end);
    yield fill !== null && number >= extra ? [...part, fill] : part;
    start = end;
  }
}

/** Python's `reverse` is a flag that has to be an int. */
function isReversed(reverse: PyValue): boolean {
  return typeof reverse === "boolean" ? reverse : sizeArgument(reverse) !== 0;
}

function dictSort(
  ctx: PyContext,
  [value = null, caseSensitive = false, by = "key", reverse = false]: Args,
): PyValue {
  const which = textOf(by);
  if (which !== "key" && which !== "value") {
    throw filterArgumentError('You can only sort by either "key" or "value"');
  }
  if (!isDict(value)) {
    throw noAttribute(ctx, value, "items");
  }
  const key = ([name, item]: readonly [PyValue, PyValue]): PyValue => {
    const part = which === "key" ? name : item;
    return truth(caseSensitive) ? part : ignoreCase(part);
  };
  return sortValues(ctx, value.entries(), key, isReversed(reverse)).map((entry) => new PyTuple(entry));
}

function sort(
  ctx: PyContext,
  [value = null, reverse = false, caseSensitive = false, attribute = null]: Args,
): PyValue {
  const getter = multiGetter(ctx, attribute, truth(caseSensitive) ? undefined : ignoreCase);
  const items = listOf(ctx, value);
  return sortValues(ctx, items, getter, isReversed(reverse));
}

function* unique(
  ctx: PyContext,
  [value = null, caseSensitive = false, attribute = null]: Args,
): Generator<PyValue, void, undefined> {
  const getter = attributeGetter(ctx, attribute, truth(caseSensitive) ? {} : { post: ignoreCase });
  const seen = new PyDict();
  for (const item of each(ctx, value)) {
    const key = getter(item);
    if (!seen.has(key)) {
      seen.set(key, null);
      yield item;
    }
  }
}

function extreme(operator: "<" | ">"): (ctx: PyContext, args: Args) => PyValue {
  return (ctx, [value = null, caseSensitive = false, attribute = null]) => {
    const getter = attributeGetter(ctx, attribute, truth(caseSensitive) ? {} : { post: ignoreCase });
    let best: PyValue | undefined;
    let bestKey: PyValue = null;
    for (const item of each(ctx, value)) {
      const key = getter(item);
      if (best === undefined || compare(ctx, operator, key, bestKey)) {
        best = item;
        bestKey = key;
      }
    }
    return best === undefined
      ? new PyUndefined(null, undefined, "No aggregated item, sequence was empty.")
      : best;
  };
}

function groupBy(
  ctx: PyContext,
  [value = null, attribute = null, missing = null, caseSensitive = false]: Args,
): PyValue {
  const seesCase = truth(caseSensitive);
  const getter = attributeGetter(ctx, attribute, seesCase ? { missing } : { missing, post: ignoreCase });
  const output = attributeGetter(ctx, attribute, { missing });
  const sorted = sortValues(ctx, listOf(ctx, value), getter, false);
  const groups: { readonly key: PyValue; readonly items: PyValue[] }[] = [];
  for (const item of sorted) {
    const key = getter(item);
    const last = groups.at(-1);
    if (last !== undefined && equals(ctx, last.key, key)) {
      last.items.push(item);
    } else {
      groups.push({ key, items: [item] });
    }
  }
  // Python finds the groups first, and looks for their keys once more.
  return groups.map(({ key, items }) => new GroupTuple([seesCase ? key : output(items[0] ?? null), items]));
}

function sum(ctx: PyContext, [value = null, attribute = null, start = 0]: Args): PyValue {
  iterate(ctx, value);
  if (textOf(start) !== undefined) {
    throw typeError("sum() can't sum strings [use ''.join(seq) instead]");
  }
  const getter = attribute === null ? undefined : attributeGetter(ctx, attribute);
  let total = start;
  for (const item of each(ctx, value)) {
    total = binary(ctx, "+", total, getter === undefined ? item : getter(item));
  }
  return total;
}

function reverse(ctx: PyContext, value: PyValue): PyValue {
  const text = textOf(value);
  if (text !== undefined) {
    ctx.budget.collect(text.length);
    return like(value, Array.from(text).reverse().join(""));
  }
  const iterator = reversedIterator(ctx, value);
  if (iterator !== undefined) {
    return iterator;
  }
  if (!isIterable(value)) {
    throw filterArgumentError("argument must be iterable");
  }
  try {
    return [...listOf(ctx, value)].reverse();
  } catch (error) {
    // What fails while it is read is taken for what cannot be read.
    if (error instanceof PyError && error.pythonClass === "TypeError") {
      throw filterArgumentError("argument must be iterable");
    }
    throw error;
  }
}

function last(ctx: PyContext, value: PyValue): PyValue {
  const iterator = reversedIterator(ctx, value);
  if (iterator === undefined) {
    throw typeError(`'${typeName(value)}' object is not reversible`);
  }
  const step = iterator.iterate().next();
  return step.done === true
    ? new PyUndefined(null, undefined, "No last item, sequence was empty.")
    : step.value;
}

function first(ctx: PyContext, value: PyValue): PyValue {
  if (isList(value) && value.length > 0) {
    return value[0] ?? null;
  }
  const step = iterate(ctx, value).next();
  return step.done === true
    ? new PyUndefined(null, undefined, "No first item, sequence was empty.")
    : step.value;
}

function random(ctx: PyContext, value: PyValue): PyValue {
  const count = length(ctx, value);
  if (count === 0) {
    return new PyUndefined(null, undefined, "No random item, sequence was empty.");
  }
  const index = Math.min(Math.floor(ctx.random() * count), count - 1);
  const item = subscript(ctx, value, index);
  if (item === undefined) {
    throw isDict(value) ? new PyError("KeyError", String(index)) : notSubscriptable(value);
  }
  return item;
}

function* items(ctx: PyContext, value: PyValue): Generator<PyValue, void, undefined> {
  if (isUndefined(value)) {
    return;
  }
  if (!isDict(value)) {
    throw typeError("Can only get item pairs from a mapping.");
  }
  for (const entry of value.entries()) {
    ctx.budget.step();
    yield new PyTuple(entry);
  }
}

export const sequenceFilters: Readonly<Record<string, PyFilter>> = {
  batch: filter("do_batch(value, linecount, fill_with=)", (ctx, args) =>
    generator("do_batch", () => batch(ctx, args)),
  ),
  count: lengthFilter,
  dictsort: filter("do_dictsort(value, case_sensitive=, by=, reverse=)", dictSort),
  first: filter("*sync_do_first(seq)", (ctx, [value = null]) => first(ctx, value)),
  groupby: filter("*sync_do_groupby(value, attribute, default=, case_sensitive=)", groupBy),
  items: filter("do_items(value)", (ctx, [value = null]) => generator("do_items", () => items(ctx, value))),
  last: filter("*do_last(seq)", (ctx, [value = null]) => last(ctx, value)),
  length: lengthFilter,
  list: filter("sync_do_list(value)", (ctx, [value = null]) => {
    const list = listOf(ctx, value);
    ctx.budget.collect(list.length);
    return isList(value) ? [...list] : list;
  }),
  max: filter("*do_max(value, case_sensitive=, attribute=)", extreme(">")),
  min: filter("*do_min(value, case_sensitive=, attribute=)", extreme("<")),
  random: filter("*do_random(seq)", (ctx, [value = null]) => random(ctx, value)),
  reverse: filter("do_reverse(value)", (ctx, [value = null]) => reverse(ctx, value)),
  slice: filter("sync_do_slice(value, slices, fill_with=)", (ctx, args) =>
    generator("sync_do_slice", () => slices(ctx, args)),
  ),
  sort: filter("*do_sort(value, reverse=, case_sensitive=, attribute=)", sort),
  sum: filter("*sync_do_sum(iterable, attribute=, start=)", sum),
  unique: filter("*sync_do_unique(value, case_sensitive=, attribute=)", (ctx, args) =>
    generator("sync_do_unique", () => unique(ctx, args)),
  ),
};
