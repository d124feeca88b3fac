import { compareTexts } from "./code-points.ts";
import { recursionError, typeError } from "./errors.ts";
import { iterate } from "./iterate.ts";
import { numberOf } from "./numbers.ts";
import { MAX_DEPTH } from "./repr.ts";
import { undefinedError } from "./undefined.ts";
import {
  isList,
  textOf,
  typeName,
  type PyContext,
  type PyValue,
  isTuple,
  isDict,
  isUndefined,
  isObject,
} from "./value.ts";

export type OrderOperator = "<" | "<=" | ">" | ">=";

/** Texts up to this length are compared without being charged for. */
const SHORT = 256;

function equalTexts(ctx: PyContext, a: string, b: string): boolean {
  if (a.length > SHORT && a.length === b.length) {
    ctx.budget.grow(a.length);
  }
  return a === b;
}

/** `x is y or x == y`: what containers use. */
function same(ctx: PyContext, a: PyValue, b: PyValue, depth: number): boolean {
  if (typeof a === "string" && typeof b === "string") {
    ctx.budget.step();
    return equalTexts(ctx, a, b);
  }
  return a === b || (Number.isNaN(a) && Number.isNaN(b)) || equalAt(ctx, a, b, depth);
}

function equalItems(ctx: PyContext, a: readonly PyValue[], b: readonly PyValue[], depth: number): boolean {
  if (a.length !== b.length) {
    return false;
  }
  for (let index = 0; index < a.length; index += 1) {
    if (!same(ctx, a[index] ?? null, b[index] ?? null, depth)) {
      return false;
    }
  }
  return true;
}

function equalAt(ctx: PyContext, a: PyValue, b: PyValue, depth: number): boolean {
  ctx.budget.step();
  if (depth > MAX_DEPTH) {
    throw recursionError(" in comparison");
  }
  const number = numberOf(a);
  if (number !== undefined) {
    const other = numberOf(b);
    // Between a number and a bigint, JavaScript's loose equality is exact.
    // oxlint-disable-next-line eqeqeq
    return other !== undefined && number == other;
  }
  const text = textOf(a);
  if (text !== undefined) {
    const other = textOf(b);
    return other !== undefined && equalTexts(ctx, text, other);
  }
  if (isList(a)) {
    return isList(b) && equalItems(ctx, a, b, depth + 1);
  }
  if (isTuple(a)) {
    return isTuple(b) && equalItems(ctx, a.items, b.items, depth + 1);
  }
  if (isDict(a)) {
    if (!isDict(b) || a.size !== b.size) {
      return false;
    }
    for (const [key, value] of a.entries()) {
      const other = b.get(key);
      if (other === undefined || !same(ctx, value, other, depth + 1)) {
        return false;
      }
    }
    return true;
  }
  if (isUndefined(a)) {
    return isUndefined(b);
  }
  if (isObject(a) && a.equals !== undefined) {
    return a.equals(b, ctx);
  }
  return a === b;
}

/** `a == b`. */
export function equals(ctx: PyContext, a: PyValue, b: PyValue): boolean {
  if (typeof a === "string" && typeof b === "string") {
    return equalTexts(ctx, a, b);
  }
  return equalAt(ctx, a, b, 0);
}

/** `a is b or a == b`: how containers compare their items. */
export function sameItem(ctx: PyContext, a: PyValue, b: PyValue): boolean {
  return same(ctx, a, b, 0);
}

function ordered(operator: OrderOperator, sign: number): boolean {
  return operator === "<"
    ? sign < 0
    : operator === "<="
      ? sign <= 0
      : operator === ">"
        ? sign > 0
        : sign >= 0;
}

function orderAt(ctx: PyContext, operator: OrderOperator, a: PyValue, b: PyValue, depth: number): boolean {
  ctx.budget.step();
  if (depth > MAX_DEPTH) {
    throw recursionError(" in comparison");
  }
  const left = numberOf(a);
  const right = numberOf(b);
  if (left !== undefined && right !== undefined) {
    return operator === "<"
      ? left < right
      : operator === "<="
        ? left <= right
        : operator === ">"
          ? left > right
          : left >= right;
  }
  const text = textOf(a);
  const other = textOf(b);
  if (text !== undefined && other !== undefined) {
    ctx.budget.grow(Math.min(text.length, other.length));
    return ordered(operator, compareTexts(text, other));
  }
  const items = isList(a) && isList(b) ? [a, b] : isTuple(a) && isTuple(b) ? [a.items, b.items] : [];
  const [itemsA, itemsB] = items;
  if (itemsA !== undefined && itemsB !== undefined) {
    const count = Math.min(itemsA.length, itemsB.length);
    for (let index = 0; index < count; index += 1) {
      const itemA = itemsA[index] ?? null;
      const itemB = itemsB[index] ?? null;
      if (!same(ctx, itemA, itemB, depth + 1)) {
        return orderAt(ctx, operator, itemA, itemB, depth + 1);
      }
    }
    return ordered(operator, itemsA.length - itemsB.length);
  }
  for (const side of [a, b]) {
    if (isUndefined(side)) {
      throw undefinedError(ctx, side);
    }
  }
  if (isObject(a) && isObject(b)) {
    const [part, whole] = operator.startsWith("<") ? [a, b] : [b, a];
    const isWithin = part.within?.(whole, ctx);
    if (isWithin !== undefined) {
      return isWithin && (operator.endsWith("=") || part.length?.() !== whole.length?.());
    }
  }
  throw typeError(`'${operator}' not supported between instances of '${typeName(a)}' and '${typeName(b)}'`);
}

/** `a < b` and its kin. Raises TypeError where Python has no order. */
export function order(ctx: PyContext, operator: OrderOperator, a: PyValue, b: PyValue): boolean {
  if (typeof a === "number" && typeof b === "number") {
    return operator === "<" ? a < b : operator === "<=" ? a <= b : operator === ">" ? a > b : a >= b;
  }
  return orderAt(ctx, operator, a, b, 0);
}

/** All comparisons but `in`. */
export function compare(
  ctx: PyContext,
  operator: OrderOperator | "==" | "!=",
  a: PyValue,
  b: PyValue,
): boolean {
  return operator === "=="
    ? equals(ctx, a, b)
    : operator === "!="
      ? !equals(ctx, a, b)
      : order(ctx, operator, a, b);
}

/** `item in container`. */
export function contains(ctx: PyContext, container: PyValue, item: PyValue): boolean {
  const text = textOf(container);
  if (text !== undefined) {
    const part = textOf(item);
    if (part === undefined) {
      throw typeError(`'in <string>' requires string as left operand, not ${typeName(item)}`);
    }
    ctx.budget.grow(text.length);
    return text.includes(part);
  }
  if (isDict(container)) {
    return container.has(item);
  }
  if (isObject(container) && container.contains !== undefined) {
    return container.contains(item, ctx);
  }
  const items = isTuple(container) ? container.items : container;
  if (isList(items)) {
    return items.some((other) => same(ctx, other, item, 0));
  }
  if (isUndefined(container)) {
    return false;
  }
  if (!(isObject(container) && container.iterate !== undefined)) {
    throw typeError(`argument of type '${typeName(container)}' is not iterable`);
  }
  const iterator = iterate(ctx, container);
  for (let step = iterator.next(); step.done !== true; step = iterator.next()) {
    ctx.budget.step();
    if (same(ctx, step.value, item, 0)) {
      return true;
    }
  }
  return false;
}
