import { sameItem } from "../compare.ts";
import { typeError, valueError } from "../errors.ts";
import { intOf } from "../numbers.ts";
import { repr } from "../repr.ts";
import type { PyContext, PyTuple, PyValue } from "../value.ts";
import { methodTable, type MethodBody } from "./method.ts";

function count(ctx: PyContext, items: readonly PyValue[], value: PyValue): number {
  let found = 0;
  for (const item of items) {
    found += sameItem(ctx, item, value) ? 1 : 0;
  }
  return found;
}

function bound(value: PyValue | undefined, length: number, missing: number): number {
  if (value === undefined) {
    return missing;
  }
  const int = intOf(value);
  if (int === undefined) {
    throw typeError("slice indices must be integers or have an __index__ method");
  }
  return Number(int < 0 ? Math.max(Number(int) + length, 0) : int);
}

function index(
  ctx: PyContext,
  items: readonly PyValue[],
  args: readonly (PyValue | undefined)[],
  missing: (value: PyValue) => string,
): number {
  const value = args[0] ?? null;
  const stop = Math.min(bound(args[2], items.length, items.length), items.length);
  for (let at = bound(args[1], items.length, 0); at < stop; at += 1) {
    if (sameItem(ctx, items[at] ?? null, value)) {
      return at;
    }
  }
  throw valueError(missing(value));
}

const refused: readonly [readonly [0, 0], MethodBody<unknown>] = [[0, 0], () => null];

/** Methods that change the list; the sandbox lets none of them out. */
export const unsafeListMethods = new Set([
  "append",
  "clear",
  "extend",
  "insert",
  "pop",
  "remove",
  "reverse",
  "sort",
]);

export const listMethods = methodTable<readonly PyValue[]>("list", {
  copy: [[0, 0], (_ctx, items) => [...items]],
  count: [[1, 1], (ctx, items, args) => count(ctx, items, args[0] ?? null)],
  index: [
    [1, 3],
    (ctx, items, args) => index(ctx, items, args, (value) => `${repr(ctx, value)} is not in list`),
  ],
  ...Object.fromEntries(Array.from(unsafeListMethods, (name) => [name, refused])),
});

export const tupleMethods = methodTable<PyTuple>("tuple", {
  count: [[1, 1], (ctx, tuple, args) => count(ctx, tuple.items, args[0] ?? null)],
  index: [
    [1, 3],
    (ctx, tuple, args) => index(ctx, tuple.items, args, () => "tuple.index(x): x not in tuple"),
  ],
});
