import { ArrayIterator, listOf } from "./iterate.ts";
import { PyView } from "./objects.ts";
import { repr } from "./repr.ts";
import { PyDict, PyObject, type PyContext, type PyValue } from "./value.ts";

/**
 * A set: what the difference of dict views is. Its items come in the order in which they came in; Python's come in that
 * of their hashes, which for texts is another one in every process.
 */
export class PySet extends PyObject {
  override readonly typeName = "set";
  readonly #items = new PyDict();

  constructor(values: readonly PyValue[]) {
    super();
    for (const value of values) {
      this.#items.set(value, null);
    }
  }

  without(values: readonly PyValue[]): PySet {
    const out = new PyDict();
    for (const value of values) {
      out.set(value, null);
    }
    return new PySet(this.#items.keys().filter((value) => !out.has(value)));
  }

  override get unhashable(): boolean {
    return true;
  }

  override truth(): boolean {
    return this.#items.size > 0;
  }

  override repr(ctx: PyContext): string {
    return this.#items.size === 0 ? "set()" : `{${repr(ctx, this.#items.keys()).slice(1, -1)}}`;
  }

  override length(): number {
    return this.#items.size;
  }

  override iterate(ctx: PyContext): Iterator<PyValue> {
    ctx.budget.collect(this.#items.size);
    return new ArrayIterator(this.#items.keys());
  }

  override contains(value: PyValue): boolean {
    return this.#items.has(value);
  }

  override within(other: PyValue, ctx: PyContext): boolean | undefined {
    return isSetLike(other) ? this.#items.keys().every((item) => other.contains(item, ctx)) : undefined;
  }

  override equals(other: PyValue, ctx: PyContext): boolean {
    return isSetLike(other) && other.length() === this.length() && this.within(other, ctx) === true;
  }
}

/** Views of keys and of items, which Python subtracts and compares like sets. */
function isSetView(value: PyValue): value is PyView {
  return value instanceof PyView && value.typeName !== "dict_values";
}

export function isSetLike(value: PyValue): value is PyView | PySet {
  return value instanceof PySet || isSetView(value);
}

/** `a - b` where one of them is a view or both are sets; undefined for everything else. */
export function setDifference(ctx: PyContext, a: PyValue, b: PyValue): PySet | undefined {
  if (!isSetView(a) && !isSetView(b) && !(a instanceof PySet && b instanceof PySet)) {
    return undefined;
  }
  const from = listOf(ctx, a);
  ctx.budget.collect(from.length);
  const set = new PySet(from);
  const out = listOf(ctx, b);
  ctx.budget.collect(out.length);
  return set.without(out);
}
