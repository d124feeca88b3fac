import { ArrayIterator, listOf } from "./iterate.ts";
import { PyIterator } from "./objects.ts";
import {
  isList,
  PyDict,
  PyMarkup,
  PyObject,
  PyTuple,
  PyUndefined,
  textOf,
  type PyContext,
  type PyValue,
} from "./value.ts";

/** `reversed(value)`; undefined where Python raises TypeError. */
export function reversedIterator(ctx: PyContext, value: PyValue): PyIterator | undefined {
  if (value instanceof PyObject) {
    const name =
      value.typeName === "range"
        ? "range_iterator"
        : value.typeName.replace(/_(\w+)s$/, "_reverse$1iterator");
    return value.reversed === undefined ? undefined : new PyIterator(value.reversed(ctx), name);
  }
  const known =
    isList(value) ||
    value instanceof PyDict ||
    value instanceof PyTuple ||
    value instanceof PyUndefined ||
    textOf(value) !== undefined;
  if (!known) {
    return undefined;
  }
  const items = [...listOf(ctx, value)].reverse();
  const marked = value instanceof PyMarkup ? items.map((item) => new PyMarkup(textOf(item) ?? "")) : items;
  const name = isList(value)
    ? "list_reverseiterator"
    : value instanceof PyDict
      ? "dict_reversekeyiterator"
      : "reversed";
  return new PyIterator(new ArrayIterator(marked), name);
}
