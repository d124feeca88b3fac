import { isList, textOf, type PyValue, isDict, isTuple } from "../python/value.ts";

/** What a value counts beside its characters. */
const PER_VALUE = 16;

/** Where the count stops: more steps than that are granted to no template. */
const MAX_SIZE = 50_000_000;

/** Characters and values of what a template is given. A value that is there twice counts once. */
export function inputSize(values: readonly PyValue[]): number {
  const left = [...values];
  const seen = new Set<PyValue>();
  let size = 0;
  while (left.length > 0 && size < MAX_SIZE) {
    const value = left.pop() ?? null;
    size += PER_VALUE + (textOf(value)?.length ?? 0);
    if (typeof value !== "object" || value === null || seen.has(value)) {
      continue;
    }
    seen.add(value);
    if (isDict(value)) {
      for (const [key, item] of value.entries()) {
        left.push(key, item);
      }
    } else if (isTuple(value) || isList(value)) {
      for (const item of isTuple(value) ? value.items : value) {
        left.push(item);
      }
    }
  }
  return size;
}
