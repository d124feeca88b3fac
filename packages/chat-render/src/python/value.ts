import { BudgetError, type Budget } from "./budget.ts";
import { typeError } from "./errors.ts";
import { OrderedDict } from "./ordered-dict.ts";

/**
 * A Python value. None is null, a list is an array that nothing changes (the sandbox is immutable), a str is a string
 * (its length and indices count code points), an int is a number that is a safe integer, or a bigint beyond that range,
 * and a float is a number that is no integer, or a PyFloat where its value is integral (1.0, -0.0, 1e300).
 */
export type PyValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly PyValue[]
  | PyFloat
  | PyTuple
  | PyDict
  | PyUndefined
  | PyMarkup
  | PyObject;

/** Keyword arguments in their order; null where there are none. */
export type PyKwargs = ReadonlyMap<string, PyValue> | null;

/** What operations need of the render that they belong to. */
export interface PyContext {
  readonly budget: Budget;
  readonly filters: ReadonlyMap<string, PyFilter>;
  readonly tests: ReadonlyMap<string, PyTest>;
  /** What `strftime_now` reads. */
  readonly now: Date;
  /** From 0 to below 1; for the filter `random`. */
  readonly random: () => number;
  /** Whether `{% autoescape %}` is on, which some filters ask for. */
  readonly autoescape?: boolean;
}

export type PyFilter = (
  ctx: PyContext,
  value: PyValue,
  args: readonly PyValue[],
  kwargs: PyKwargs,
) => PyValue;
export type PyTest = (ctx: PyContext, value: PyValue, args: readonly PyValue[], kwargs: PyKwargs) => boolean;

/** A float with an integral value; others are plain numbers. Made by {@link pyFloat}. */
export class PyFloat {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

export class PyTuple {
  /** Another name where it is a named tuple. */
  get typeName(): string {
    return "tuple";
  }
  readonly items: readonly PyValue[];
  constructor(items: readonly PyValue[]) {
    this.items = items;
  }
}

/** A str that counts as escaped: `markupsafe.Markup`. */
export class PyMarkup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Jinja's Undefined: prints as nothing, and raises where it is used. */
export class PyUndefined {
  readonly hint: string | null;
  /** What the name was looked up on; undefined where it was a variable. */
  readonly object: PyValue | undefined;
  readonly key: PyValue;
  /** The class that is raised. */
  readonly errorClass: "UndefinedError" | "SecurityError";

  constructor(
    key: PyValue,
    object?: PyValue,
    hint: string | null = null,
    errorClass: "UndefinedError" | "SecurityError" = "UndefinedError",
  ) {
    this.key = key;
    this.object = object;
    this.hint = hint;
    this.errorClass = errorClass;
  }
}

/** Everything else that a template can hold: ranges, generators, views, methods, macros, loops, namespaces. */
export abstract class PyObject {
  /** `type(x).__name__`. */
  abstract readonly typeName: string;
  /** `type(x).__module__`. */
  get moduleName(): string {
    return "builtins";
  }
  truth(): boolean {
    return true;
  }
  repr(_ctx: PyContext): string {
    const module = this.moduleName === "builtins" ? "" : `${this.moduleName}.`;
    return `<${module}${this.typeName} object at 0x7f0000000000>`;
  }
  /** `str(x)` where it is another text than `repr(x)`. */
  str?(ctx: PyContext): string;
  /** `len(x)`; absent where Python has none. */
  length?(): number;
  /** `iter(x)`; absent where Python cannot iterate. An iterator returns itself, and has no `return`. */
  iterate?(ctx: PyContext): Iterator<PyValue>;
  /** `reversed(x)`. */
  reversed?(ctx: PyContext): Iterator<PyValue>;
  /** An attribute; undefined where there is none. Names that begin with `_` are refused by the caller. */
  getAttribute?(name: string, ctx: PyContext): PyValue | undefined;
  /** `x[key]`; undefined where Python raises LookupError. Absent where the type cannot be subscripted. */
  getItem?(key: PyValue, ctx: PyContext): PyValue | undefined;
  call?(args: readonly PyValue[], kwargs: PyKwargs, ctx: PyContext): PyValue;
  /** `x == other`; identity where absent. */
  equals?(other: PyValue, ctx: PyContext): boolean;
  contains?(value: PyValue, ctx: PyContext): boolean;
  /** Whether all its items are in another set; undefined where Python has no order between the two. */
  within?(other: PyValue, ctx: PyContext): boolean | undefined;
  /** True for objects that Python cannot hash. */
  get unhashable(): boolean {
    return false;
  }
}

/** A float from its JavaScript number. */
export function pyFloat(value: number): number | PyFloat {
  return Number.isInteger(value) ? new PyFloat(value) : value;
}

/** An int in its canonical form. */
export function pyInt(value: bigint): number | bigint {
  return value >= -9007199254740991n && value <= 9007199254740991n ? Number(value) : value;
}

export function isDict(value: unknown): value is PyDict {
  return value instanceof PyDict;
}

export function isTuple(value: unknown): value is PyTuple {
  return value instanceof PyTuple;
}

export function isMarkup(value: unknown): value is PyMarkup {
  return value instanceof PyMarkup;
}

export function isUndefined(value: unknown): value is PyUndefined {
  return value instanceof PyUndefined;
}

export function isObject(value: unknown): value is PyObject {
  return value instanceof PyObject;
}

export function isInt(value: PyValue): value is number | bigint {
  return typeof value === "number" ? Number.isInteger(value) : typeof value === "bigint";
}

export function isFloat(value: PyValue): value is number | PyFloat {
  return typeof value === "number" ? !Number.isInteger(value) : value instanceof PyFloat;
}

/** A str or a Markup, as `isinstance(x, str)`. */
export function isStr(value: PyValue): value is string | PyMarkup {
  return typeof value === "string" || value instanceof PyMarkup;
}

export function isList(value: PyValue): value is readonly PyValue[] {
  return Array.isArray(value);
}

/** The characters of a str or a Markup; undefined for everything else. */
export function textOf(value: PyValue): string | undefined {
  return typeof value === "string" ? value : value instanceof PyMarkup ? value.text : undefined;
}

/** `type(value).__name__`. */
export function typeName(value: PyValue): string {
  switch (typeof value) {
    case "string":
      return "str";
    case "boolean":
      return "bool";
    case "number":
      return Number.isInteger(value) ? "int" : "float";
    case "bigint":
      return "int";
  }
  if (value === null) {
    return "NoneType";
  }
  if (value instanceof PyDict) {
    return "dict";
  }
  if (value instanceof PyObject) {
    return value.typeName;
  }
  if (value instanceof PyTuple) {
    return value.typeName;
  }
  if (value instanceof PyUndefined) {
    return "Undefined";
  }
  return value instanceof PyFloat ? "float" : value instanceof PyMarkup ? "Markup" : "list";
}

/** Tuples with more values than this are refused as keys. */
const MAX_KEY_VALUES = 100_000;

/** All Undefined values are equal to each other, so they share one key. */
const undefinedKey = new PyUndefined("");

/** A key under which equal values (1, True and 1.0; a str and its Markup) meet. Tuples are left to the caller. */
function normalKey(value: PyValue): PyValue {
  if (typeof value === "boolean") {
    return value ? 1 : 0;
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (value instanceof PyMarkup) {
    return value.text;
  }
  if (value instanceof PyFloat) {
    return pyInt(BigInt(value.value));
  }
  if (value instanceof PyUndefined) {
    return undefinedKey;
  }
  if (isList(value) || value instanceof PyDict || (value instanceof PyObject && value.unhashable)) {
    throw typeError(`unhashable type: '${typeName(value)}'`);
  }
  return value;
}

/** A text that equal tuples share. */
function tupleText(value: PyValue, state: { left: number; readonly ids: Map<PyValue, number> }): string {
  if (--state.left < 0) {
    throw new BudgetError("SIZE_LIMIT", `a key holds more than ${MAX_KEY_VALUES} values`);
  }
  if (value instanceof PyTuple) {
    let text = "(";
    for (const item of value.items) {
      text += `${tupleText(item, state)},`;
    }
    return `${text})`;
  }
  const key = normalKey(value);
  if (typeof key === "string") {
    return `s${key.length}:${key}`;
  }
  if (key === null || typeof key === "number" || typeof key === "bigint") {
    return String(key);
  }
  const id = state.ids.get(key) ?? state.ids.size;
  state.ids.set(key, id);
  return `o${id}`;
}

/** A dict. It is filled where it is made; templates cannot change it. */
export class PyDict extends OrderedDict<PyValue> {
  /** Tuple keys by their text, and numbers for the objects in them. */
  private tuples: { readonly keys: Map<string, PyTuple>; readonly ids: Map<PyValue, number> } | undefined;

  static of(entries: Iterable<readonly [PyValue, PyValue]>): PyDict {
    const dict = new PyDict();
    for (const [key, value] of entries) {
      dict.set(key, value);
    }
    return dict;
  }

  protected override normal(key: PyValue, adding: boolean): PyValue | undefined {
    if (!(key instanceof PyTuple)) {
      return typeof key === "string" ? key : normalKey(key);
    }
    const tuples = this.tuples ?? { keys: new Map<string, PyTuple>(), ids: new Map<PyValue, number>() };
    const text = tupleText(key, { left: MAX_KEY_VALUES, ids: tuples.ids });
    const known = tuples.keys.get(text);
    if (known === undefined && adding) {
      this.tuples = tuples;
      tuples.keys.set(text, key);
      return key;
    }
    return known;
  }
}
