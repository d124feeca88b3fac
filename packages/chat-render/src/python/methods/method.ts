import { typeError } from "../errors.ts";
import { noKeywords, notAnInteger, tooLarge } from "../refusals.ts";
import { intOf } from "../numbers.ts";
import { textOf, typeName, type PyContext, type PyKwargs, type PyValue } from "../value.ts";

/** A method of a built-in type. `args` are as many as its arity allows; with named ones, absent ones are undefined. */
export type MethodBody<S> = (ctx: PyContext, self: S, args: readonly (PyValue | undefined)[]) => PyValue;

/** `owner` is the type of the value itself where that is another than the one that the method is of. */
export type Method<S> = (
  ctx: PyContext,
  self: S,
  args: readonly PyValue[],
  kwargs: PyKwargs,
  owner?: string,
) => PyValue;

/** How C functions take their arguments, which shows in what they say of wrong ones. */
export type Arity =
  | readonly [min: number, max: number]
  | readonly [min: number, max: number, style: "parsed"]
  | readonly string[];

function isNames(arity: Arity): arity is readonly string[] {
  return typeof arity[0] === "string";
}

function plural(count: number): string {
  return count === 1 ? "" : "s";
}

/** The arguments by their names; all of them may be left out. */
function bindNames(
  name: string,
  names: readonly string[],
  args: readonly PyValue[],
  kwargs: PyKwargs,
): readonly (PyValue | undefined)[] {
  const given = args.length + (kwargs?.size ?? 0);
  if (given > names.length) {
    throw typeError(
      `${name}() takes at most ${names.length}${args.length === 0 ? " keyword" : ""} argument${plural(names.length)} (${given} given)`,
    );
  }
  const bound: (PyValue | undefined)[] = [...args];
  for (const [key, value] of kwargs ?? []) {
    const index = names.indexOf(key);
    if (index < 0) {
      throw typeError(`'${key}' is an invalid keyword argument for ${name}()`);
    }
    if (index < args.length) {
      throw typeError(`argument for ${name}() given by name ('${key}') and position (${index + 1})`);
    }
    bound[index] = value;
  }
  return bound;
}

/** Methods of the older kind, whose messages do not name the type. */
const plainlyNamed: ReadonlySet<string> = new Set(
  ["count", "endswith", "find", "index", "rfind", "rindex", "startswith"].map((name) => `str.${name}`),
);

function checkCount(
  type: string,
  owner: string,
  name: string,
  arity: Arity,
  count: number,
  kwargs: PyKwargs,
): void {
  const [min, max, style] = arity;
  if (kwargs !== null && kwargs.size > 0) {
    throw noKeywords(plainlyNamed.has(`${type}.${name}`) ? name : `${owner}.${name}`);
  }
  if (typeof min !== "number" || typeof max !== "number" || (count >= min && count <= max)) {
    return;
  }
  if (max === 0) {
    throw typeError(`${owner}.${name}() takes no arguments (${count} given)`);
  }
  if (min === 1 && max === 1) {
    throw typeError(`${owner}.${name}() takes exactly one argument (${count} given)`);
  }
  const [word, bound] = count < min ? (["least", min] as const) : (["most", max] as const);
  throw typeError(
    style === "parsed"
      ? `${name}() takes at ${word} ${bound} argument${plural(bound)} (${count} given)`
      : `${name} expected at ${word} ${bound} argument${plural(bound)}, got ${count}`,
  );
}

/** Methods by their names, each behind the check of its arguments. */
export function methodTable<S>(
  type: string,
  specs: Readonly<Record<string, readonly [Arity, MethodBody<S>]>>,
): ReadonlyMap<string, Method<S>> {
  const table = new Map<string, Method<S>>();
  for (const [name, [arity, body]] of Object.entries(specs)) {
    table.set(
      name,
      isNames(arity)
        ? (ctx, self, args, kwargs) => body(ctx, self, bindNames(name, arity, args, kwargs))
        : (ctx, self, args, kwargs, owner = type) => {
            checkCount(type, owner, name, arity, args.length, kwargs);
            return body(ctx, self, args);
          },
    );
  }
  return table;
}

/** The largest C `Py_ssize_t`. */
const MAX_SIZE = 2n ** 63n - 1n;

/** A C `Py_ssize_t`; `missing` where nothing was given. */
export function sizeArgument(value: PyValue | undefined, missing = 0): number {
  if (value === undefined) {
    return missing;
  }
  const int = intOf(value);
  if (int === undefined) {
    throw notAnInteger(value);
  }
  if (typeof int === "bigint" && (int > MAX_SIZE || int < -MAX_SIZE - 1n)) {
    throw tooLarge("ssize_t");
  }
  // Sizes beyond 2^53 are only ever too large, so that their last digits do not matter.
  return Number(int);
}

/** A C `int`. */
export function cInt(value: PyValue | undefined, missing = 0): number {
  const int = value === undefined ? missing : intOf(value);
  const size = int === undefined ? sizeArgument(value) : Number(int);
  if (size < -(2 ** 31) || size >= 2 ** 31) {
    throw tooLarge("int");
  }
  return size;
}

/** The text of an argument; `what` begins the message where it is none. */
export function textArgument(value: PyValue | undefined, what: string): string {
  const text = value === undefined ? undefined : textOf(value);
  if (text === undefined) {
    // Messages that name the argument write None for None, the others its type.
    const given = what !== "" && (value ?? null) === null ? "None" : typeName(value ?? null);
    throw typeError(`${what}must be str, not ${given}`);
  }
  return text;
}
