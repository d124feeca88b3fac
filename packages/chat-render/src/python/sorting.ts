import { order, sameItem } from "./compare.ts";
import { isList, type PyContext, type PyValue } from "./value.ts";

type Less = (a: PyValue, b: PyValue) => boolean;

/** Items below which Python sorts by insertion alone. */
const INSERTION_LIMIT = 64;

interface Keyed<T> {
  readonly key: PyValue;
  readonly value: T;
}

/** How many items stand in order at the beginning; a run that falls is turned round. */
function firstRun<T>(items: Keyed<T>[], less: Less): number {
  const at = (index: number): PyValue => items[index]?.key ?? null;
  if (items.length < 2) {
    return items.length;
  }
  let length = 2;
  if (less(at(1), at(0))) {
    while (length < items.length && less(at(length), at(length - 1))) {
      length += 1;
    }
    items.splice(0, length, ...items.slice(0, length).reverse());
  } else {
    while (length < items.length && !less(at(length), at(length - 1))) {
      length += 1;
    }
  }
  return length;
}

/** Insertion by halves: the same comparisons as Python's, which decides the error that values without order raise. */
function insertRest<T>(items: Keyed<T>[], sorted: number, less: Less): void {
  for (let index = sorted; index < items.length; index += 1) {
    const item = items[index];
    if (item === undefined) {
      return;
    }
    let low = 0;
    let high = index;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (less(item.key, items[middle]?.key ?? null)) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    items.copyWithin(low + 1, low, index);
    items[low] = item;
  }
}

function mergeSort<T>(items: Keyed<T>[], less: Less): Keyed<T>[] {
  return items.toSorted((a, b) => (less(a.key, b.key) ? -1 : less(b.key, a.key) ? 1 : 0));
}

function lessOf(ctx: PyContext): Less {
  return (a, b) => {
    ctx.budget.step(2);
    const [first, second] = isList(a) && isList(b) && a.length === 1 && b.length === 1 ? [a[0], b[0]] : [];
    if (first !== undefined && second !== undefined) {
      return !sameItem(ctx, first, second) && order(ctx, "<", first, second);
    }
    return order(ctx, "<", a, b);
  };
}

/** `sorted(values, key=key, reverse=reverse)`. */
export function sortValues<T>(
  ctx: PyContext,
  values: readonly T[],
  key: (value: T) => PyValue,
  reverse: boolean,
  less: Less = lessOf(ctx),
): T[] {
  ctx.budget.collect(values.length * 4);
  let items = values.map((value): Keyed<T> => ({ key: key(value), value }));
  if (reverse) {
    items.reverse();
  }
  const run = firstRun(items, less);
  if (run < items.length) {
    if (items.length < INSERTION_LIMIT) {
      insertRest(items, run, less);
    } else {
      items = mergeSort(items, less);
    }
  }
  if (reverse) {
    items.reverse();
  }
  return items.map((item) => item.value);
}
