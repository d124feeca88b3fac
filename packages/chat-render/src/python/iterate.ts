import { codePointCount, hasSurrogates } from "./code-points.ts";
import { typeError, valueError } from "./errors.ts";
import { notIterable } from "./refusals.ts";
import {
  isList,
  textOf,
  typeName,
  type PyContext,
  type PyValue,
  isDict,
  isTuple,
  isUndefined,
  isObject,
} from "./value.ts";

/** An iterator over an array, without `return`: Python's go on where a loop left them. */
export class ArrayIterator implements Iterator<PyValue> {
  private readonly items: readonly PyValue[];
  private index = 0;

  constructor(items: readonly PyValue[]) {
    this.items = items;
  }

  next(): IteratorResult<PyValue> {
    const value = this.index < this.items.length ? this.items[this.index] : undefined;
    if (value === undefined) {
      return { done: true, value: undefined };
    }
    this.index += 1;
    return { done: false, value };
  }
}

/** The items of everything that is not an object with its own iterator; undefined for those and for what has none. */
function itemsOf(ctx: PyContext, value: PyValue): readonly PyValue[] | undefined {
  if (isList(value)) {
    return value;
  }
  if (isDict(value)) {
    ctx.budget.collect(value.size);
    return value.keys();
  }
  if (isTuple(value)) {
    return value.items;
  }
  const text = textOf(value);
  if (text !== undefined) {
    ctx.budget.collect(text.length);
    // A split by the empty text would cut surrogate pairs.
    return hasSurrogates(text) ? Array.from(text) : text.split("");
  }
  return isUndefined(value) ? [] : undefined;
}

/** `iter(value)`. Raises TypeError where Python cannot iterate. The iterator has no `return`. */
export function iterate(ctx: PyContext, value: PyValue): Iterator<PyValue> {
  if (isObject(value) && value.iterate !== undefined) {
    return value.iterate(ctx);
  }
  const items = itemsOf(ctx, value);
  if (items === undefined) {
    throw notIterable(value);
  }
  return new ArrayIterator(items);
}

/** `list(value)`, or the list itself where it is one: nothing may change the result. */
export function listOf(ctx: PyContext, value: PyValue): readonly PyValue[] {
  if (isList(value)) {
    return value;
  }
  if (isObject(value) && value.iterate !== undefined) {
    const items: PyValue[] = [];
    const iterator = value.iterate(ctx);
    for (let step = iterator.next(); step.done !== true; step = iterator.next()) {
      ctx.budget.step();
      items.push(step.value);
    }
    return items;
  }
  const items = itemsOf(ctx, value);
  if (items === undefined) {
    throw notIterable(value);
  }
  return items;
}

export function isIterable(value: PyValue): boolean {
  return isObject(value)
    ? value.iterate !== undefined
    : isList(value) || isDict(value) || isTuple(value) || isUndefined(value) || textOf(value) !== undefined;
}

/** The values for `count` targets of an assignment. */
export function unpack(ctx: PyContext, value: PyValue, count: number): readonly PyValue[] {
  if (!isIterable(value)) {
    throw typeError(`cannot unpack non-iterable ${typeName(value)} object`);
  }
  let items: readonly PyValue[];
  if (isObject(value)) {
    // An endless iterator is asked for one item too many and not for all.
    const taken: PyValue[] = [];
    const iterator = iterate(ctx, value);
    while (taken.length <= count) {
      const step = iterator.next();
      if (step.done === true) {
        break;
      }
      taken.push(step.value);
    }
    items = taken;
  } else {
    items = listOf(ctx, value);
  }
  if (items.length > count) {
    throw valueError(`too many values to unpack (expected ${count})`);
  }
  if (items.length < count) {
    throw valueError(`not enough values to unpack (expected ${count}, got ${items.length})`);
  }
  return items;
}

/** `len(value)`; undefined where Python has none. */
export function lengthOf(ctx: PyContext, value: PyValue): number | undefined {
  if (isList(value)) {
    return value.length;
  }
  if (isDict(value)) {
    return value.size;
  }
  const text = textOf(value);
  if (text !== undefined) {
    ctx.budget.grow(text.length);
    return codePointCount(text);
  }
  if (isTuple(value)) {
    return value.items.length;
  }
  return isObject(value) ? value.length?.() : isUndefined(value) ? 0 : undefined;
}

/** `len(value)`. */
export function length(ctx: PyContext, value: PyValue): number {
  const count = lengthOf(ctx, value);
  if (count === undefined) {
    throw typeError(`object of type '${typeName(value)}' has no len()`);
  }
  return count;
}
