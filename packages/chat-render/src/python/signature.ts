import { typeError } from "./errors.ts";
import { givenTwice, unexpectedKeyword } from "./refusals.ts";
import type { PyContext, PyKwargs, PyValue } from "./value.ts";

/** What a Python function takes, read from `name(first, second=)`. */
interface Signature {
  readonly name: string;
  readonly names: readonly string[];
  /** How many have no default. */
  readonly required: number;
  /** Arguments that Jinja passes before the template's; Python counts them. */
  readonly hidden: number;
}

/** The arguments in the order of their names; undefined where a default stands in. */
export type Bound = readonly (PyValue | undefined)[];

/** `'a'`, `'a' and 'b'`, `'a', 'b', and 'c'`. */
function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  const last = quoted.pop() ?? "";
  return quoted.length === 0 ? last : `${quoted.join(", ")}${quoted.length > 1 ? "," : ""} and ${last}`;
}

function tooMany({ name, names, required, hidden }: Signature, given: number): Error {
  const most = names.length + hidden;
  const least = required + hidden;
  const takes = least < most ? `from ${least} to ${most}` : String(most);
  return typeError(
    `${name}() takes ${takes} positional argument${least === most && most === 1 ? "" : "s"} but ${given} ${given === 1 ? "was" : "were"} given`,
  );
}

function bind(signature: Signature, args: readonly PyValue[], kwargs: PyKwargs): Bound {
  const { name, names, required, hidden } = signature;
  const bound: (PyValue | undefined)[] = args.slice(0, names.length);
  for (const [key, value] of kwargs ?? []) {
    const index = names.indexOf(key);
    if (index < 0) {
      throw unexpectedKeyword(name, key);
    }
    if (bound[index] !== undefined) {
      throw givenTwice(name, key);
    }
    bound[index] = value;
  }
  if (args.length > names.length) {
    throw tooMany(signature, args.length + hidden);
  }
  const missing = names.filter((_name, index) => index < required && bound[index] === undefined);
  if (missing.length > 0) {
    throw typeError(
      `${name}() missing ${missing.length} required positional argument${missing.length === 1 ? "" : "s"}: ${listed(missing)}`,
    );
  }
  return bound;
}

/**
 * Binds arguments as Python does, with Python's errors. `declaration` is `name(a, b=)`; a star before the name stands
 * for an argument that Jinja passes first.
 */
export function withSignature<R>(
  declaration: string,
  body: (ctx: PyContext, args: Bound) => R,
): (ctx: PyContext, args: readonly PyValue[], kwargs: PyKwargs) => R {
  const [head = "", list = ""] = declaration.replace(")", "").split("(");
  const params = list === "" ? [] : list.split(", ");
  const signature: Signature = {
    name: head.replace("*", ""),
    names: params.map((param) => param.replace("=", "")),
    required: params.filter((param) => !param.endsWith("=")).length,
    hidden: head.startsWith("*") ? 1 : 0,
  };
  return (ctx, args, kwargs) =>
    body(
      ctx,
      kwargs === null && args.length >= signature.required && args.length <= signature.names.length
        ? args
        : bind(signature, args, kwargs),
    );
}
