import { ArrayIterator, listOf } from "./iterate.ts";
import { PyIterator } from "./objects.ts";
import {
  isList,
  PyMarkup,
  textOf,
  type PyContext,
  type PyValue,
  isObject,
  isDict,
  isTuple,
  isUndefined,
  isMarkup,
} from "./value.ts";

/** `reversed(value)`; undefined where Python raises TypeError. */
export function reversedIterator(ctx: PyContext, value: PyValue): PyIterator | undefined {
  if (isObject(value)) {
    const name =
      value.typeName === "range"
        ? "range_iterator"
        : value.typeName.replace(/_(\w+)s$/, "_reverse$1iterator");
    return value.reversed === undefined ? undefined : new PyIterator(value.reversed(ctx), name);
  }
  const known =
    isList(value) || isDict(value) || isTuple(value) || isUndefined(value) || textOf(value) !== undefined;
  if (!known) {
    return undefined;
  }
  const items = [...listOf(ctx, value)].reverse();
  const marked = isMarkup(value) ? items.map((item) => new PyMarkup(textOf(item) ?? "")) : items;
  const name = isList(value)
    ? "list_reverseiterator"
    : isDict(value)
      ? "dict_reversekeyiterator"
      : "reversed";
  return new PyIterator(new ArrayIterator(marked), name);
}
