import { sameItem } from "./compare.ts";
import { overflowError, typeError, valueError } from "./errors.ts";
import { noKeywords, tooLarge } from "./refusals.ts";
import { ArrayIterator } from "./iterate.ts";
import { intOf, numberOf } from "./numbers.ts";
import { repr } from "./repr.ts";
import { PySlice, sliceBounds } from "./slices.ts";
import {
  type PyDict,
  PyObject,
  PyTuple,
  type PyContext,
  type PyKwargs,
  type PyValue,
  pyInt,
  isTuple,
  isObject,
  isMarkup,
} from "./value.ts";
import { methodTable, sizeArgument, type Method } from "./methods/method.ts";

/** The sandbox's bound on `range`. */
export const MAX_RANGE = 100_000;

function int(value: number): number {
  return value + 0;
}

/** `range(...)`. */
export class PyRange extends PyObject {
  override readonly typeName = "range";
  readonly start: number;
  readonly count: number;
  readonly step: number;
  /** As it was given: what `repr` prints. */
  readonly stop: number;

  constructor(start: number, stop: number, step: number) {
    super();
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.count = Math.max(Math.ceil((stop - start) / step), 0);
  }

  /** Jinja's `range`: at most 100,000 items. */
  static create(args: readonly PyValue[], kwargs: PyKwargs): PyRange {
    if (kwargs !== null && kwargs.size > 0) {
      throw noKeywords("range");
    }
    if (args.length === 0 || args.length > 3) {
      throw typeError(
        `range expected at ${args.length === 0 ? "least 1 argument" : "most 3 arguments"}, got ${args.length}`,
      );
    }
    const ints = args.map((value) => intOf(value) ?? sizeArgument(value));
    const [first = 0, second = 0, third = 1] = ints.length === 1 ? [0, ...ints] : ints;
    if (third === 0) {
      throw valueError("range() arg 3 must not be zero");
    }
    const range =
      typeof first === "number" && typeof second === "number" && typeof third === "number"
        ? new PyRange(first, second, third)
        : new WideRange(BigInt(first), BigInt(second), BigInt(third));
    if (range.count > MAX_RANGE) {
      throw overflowError(`Range too big. The sandbox blocks ranges larger than MAX_RANGE (${MAX_RANGE}).`);
    }
    return range;
  }

  at(index: number): number | bigint {
    return int(this.start + index * this.step);
  }

  override truth(): boolean {
    return this.count > 0;
  }

  override repr(): string {
    return `range(${this.start}, ${this.stop}${this.step === 1 ? "" : `, ${this.step}`})`;
  }

  override length(): number {
    return this.count;
  }

  override iterate(ctx: PyContext): Iterator<PyValue> {
    ctx.budget.collect(this.count);
    return new ArrayIterator(Array.from({ length: this.count }, (_item, index) => this.at(index)));
  }

  override reversed(ctx: PyContext): Iterator<PyValue> {
    ctx.budget.collect(this.count);
    return new ArrayIterator(
      Array.from({ length: this.count }, (_item, index) => this.at(this.count - 1 - index)),
    );
  }

  override getItem(key: PyValue): PyValue | undefined {
    if (key instanceof PySlice) {
      const { start, stop, step } = sliceBounds(key, this.count);
      return new PyRange(Number(this.at(start)), Number(this.at(stop)), this.step * step);
    }
    const index = intOf(key);
    if (typeof index !== "number") {
      return undefined;
    }
    const at = index < 0 ? index + this.count : index;
    return at >= 0 && at < this.count ? this.at(at) : undefined;
  }

  override contains(value: PyValue, _ctx?: PyContext): boolean {
    const number = numberOf(value);
    const index = number === undefined ? Number.NaN : (Number(number) - this.start) / this.step;
    return Number.isInteger(index) && index >= 0 && index < this.count;
  }

  override equals(other: PyValue): boolean {
    return (
      other instanceof PyRange &&
      other.count === this.count &&
      (this.count === 0 || (other.start === this.start && (this.count === 1 || other.step === this.step)))
    );
  }

  override getAttribute(name: string): PyValue | undefined {
    if (name === "start" || name === "stop" || name === "step") {
      return this[name];
    }
    const method = RANGE_METHODS.get(name);
    return method === undefined ? undefined : new PyMethod("range", name, this, method);
  }

  indexOf(value: PyValue): number {
    if (!this.contains(value)) {
      const int = intOf(value);
      throw valueError(
        int === undefined
          ? "sequence.index(x): x not in sequence"
          : `${typeof value === "boolean" ? (value ? "True" : "False") : int} is not in range`,
      );
    }
    return int((Number(numberOf(value)) - this.start) / this.step);
  }
}

const RANGE_METHODS: ReadonlyMap<string, Method<PyRange>> = methodTable<PyRange>("range", {
  count: [[1, 1], (ctx, range, args) => (range.contains(args[0] ?? null, ctx) ? 1 : 0)],
  index: [[1, 1], (_ctx, range, args) => range.indexOf(args[0] ?? null)],
});

/** The most that Python can count. */
const MAX_COUNT = 2n ** 63n - 1n;

function countOf(start: bigint, stop: bigint, step: bigint): number {
  const span = step > 0n ? stop - start : start - stop;
  const size = step > 0n ? step : -step;
  const count = span <= 0n ? 0n : (span + size - 1n) / size;
  if (count > MAX_COUNT) {
    throw tooLarge("ssize_t");
  }
  return Number(count);
}

/** A range whose bounds are no safe integers of JavaScript. */
class WideRange extends PyRange {
  private readonly from: bigint;
  private readonly by: bigint;
  private readonly label: string;

  constructor(start: bigint, stop: bigint, step: bigint) {
    // The items are made from the exact numbers; the base class counts by these.
    super(0, countOf(start, stop, step), 1);
    this.from = start;
    this.by = step;
    this.label = `range(${start}, ${stop}${step === 1n ? "" : `, ${step}`})`;
  }

  override at(index: number): number | bigint {
    return pyInt(this.from + BigInt(index) * this.by);
  }

  override repr(): string {
    return this.label;
  }

  override contains(value: PyValue, ctx: PyContext): boolean {
    return Array.from({ length: this.count }, (_item, index) => this.at(index)).some((item) =>
      sameItem(ctx, item, value),
    );
  }
}

/** A one-shot iterator: what generators, `reversed` and the iterators of built-in types are to a template. */
export class PyIterator extends PyObject {
  override readonly typeName: string;
  private readonly label: string;
  private readonly source: Iterator<PyValue>;

  /** `label` is the name of the generator function, where it is a generator. */
  constructor(source: Iterator<PyValue>, typeName = "generator", label = "") {
    super();
    this.source = source;
    this.typeName = typeName;
    this.label = label;
  }

  override repr(): string {
    return `<${this.typeName} object ${this.label === "" ? "" : `${this.label} `}at 0x7f0000000000>`;
  }

  override iterate(): Iterator<PyValue> {
    return { next: () => this.source.next() };
  }
}

/** `dict.keys()`, `dict.values()` and `dict.items()`. */
export class PyView extends PyObject {
  override readonly typeName: "dict_keys" | "dict_values" | "dict_items";
  private readonly dict: PyDict;

  constructor(kind: "keys" | "values" | "items", dict: PyDict) {
    super();
    this.typeName = `dict_${kind}`;
    this.dict = dict;
  }

  private list(): PyValue[] {
    return this.typeName === "dict_keys"
      ? this.dict.keys()
      : this.typeName === "dict_values"
        ? this.dict.values()
        : this.dict.entries().map((entry) => new PyTuple(entry));
  }

  override truth(): boolean {
    return this.dict.size > 0;
  }

  override get unhashable(): boolean {
    return this.typeName !== "dict_values";
  }

  override repr(ctx: PyContext): string {
    return `${this.typeName}(${repr(ctx, this.list())})`;
  }

  override length(): number {
    return this.dict.size;
  }

  override iterate(ctx: PyContext): Iterator<PyValue> {
    ctx.budget.collect(this.dict.size);
    return new ArrayIterator(this.list());
  }

  override reversed(ctx: PyContext): Iterator<PyValue> {
    ctx.budget.collect(this.dict.size);
    return new ArrayIterator(this.list().reverse());
  }

  override contains(value: PyValue, ctx: PyContext): boolean {
    if (this.typeName === "dict_keys") {
      return this.dict.has(value);
    }
    if (this.typeName === "dict_values") {
      return this.list().some((item) => sameItem(ctx, item, value));
    }
    const [key, item, ...rest] = isTuple(value) ? value.items : [];
    const found = key === undefined || item === undefined || rest.length > 0 ? undefined : this.dict.get(key);
    return found !== undefined && item !== undefined && sameItem(ctx, found, item);
  }

  /** Views of values have no order and are equal only to themselves. */
  override within(other: PyValue, ctx: PyContext): boolean | undefined {
    return this.typeName !== "dict_values" &&
      isObject(other) &&
      (other.typeName === "set" || other.typeName === "dict_keys" || other.typeName === "dict_items")
      ? this.list().every((item) => other.contains?.(item, ctx))
      : undefined;
  }

  override equals(other: PyValue, ctx: PyContext): boolean {
    return (
      other === this ||
      (isObject(other) && other.length?.() === this.dict.size && this.within(other, ctx) === true)
    );
  }
}

/** A method of a built-in value, bound to it. */
export class PyMethod<S> extends PyObject {
  override readonly typeName: string;
  readonly name: string;
  private readonly type: string;
  private readonly self: S;
  private readonly method: Method<S>;

  constructor(type: string, name: string, self: S, method: Method<S>) {
    super();
    this.type = type;
    this.name = name;
    this.self = self;
    this.method = method;
    this.typeName = isMarkup(self) ? "method" : "builtin_function_or_method";
  }

  override repr(ctx: PyContext): string {
    if (this.name === "fromkeys" || this.name === "maketrans") {
      return `<built-in method ${this.name} of type object at 0x7f0000000000>`;
    }
    return isMarkup(this.self)
      ? `<bound method Markup.${this.name} of ${this.name === "escape" ? "<class 'markupsafe.Markup'>" : repr(ctx, this.self)}>`
      : `<built-in method ${this.name} of ${this.type} object at 0x7f0000000000>`;
  }

  override call(args: readonly PyValue[], kwargs: PyKwargs, ctx: PyContext): PyValue {
    return this.method(ctx, this.self, args, kwargs, this.type);
  }
}

/** What is written in Python: a function such as `raise_exception`, a class, or a method bound to `self`. */
export class PyFunction extends PyObject {
  override readonly typeName: string;
  readonly name: string;
  private readonly body: (args: readonly PyValue[], kwargs: PyKwargs, ctx: PyContext) => PyValue;
  private readonly self: PyObject | null;

  /** `self` is what a method is bound to. */
  constructor(
    name: string,
    body: (args: readonly PyValue[], kwargs: PyKwargs, ctx: PyContext) => PyValue,
    self: PyObject | "class" | null = null,
  ) {
    super();
    this.name = name;
    this.body = body;
    this.self = self === "class" ? null : self;
    this.typeName = self === "class" ? "type" : self === null ? "function" : "method";
  }

  override repr(ctx: PyContext): string {
    return this.typeName === "type"
      ? `<class '${this.name}'>`
      : this.self === null
        ? `<function ${this.name} at 0x7f0000000000>`
        : `<bound method ${this.name} of ${repr(ctx, this.self)}>`;
  }

  override call(args: readonly PyValue[], kwargs: PyKwargs, ctx: PyContext): PyValue {
    return this.body(args, kwargs, ctx);
  }
}

/** What `groupby` gives: a tuple whose items have names. */
export class GroupTuple extends PyTuple {
  override get typeName(): string {
    return "_GroupTuple";
  }
}
