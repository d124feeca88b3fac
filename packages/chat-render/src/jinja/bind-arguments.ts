import { typeError } from "../python/errors.ts";
import { givenTwice, unexpectedKeyword } from "../python/refusals.ts";
import type { PyKwargs, PyValue } from "../python/value.ts";

function inWords(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`);
  const last = quoted.at(-1) ?? "";
  return quoted.length < 2
    ? last
    : `${quoted.slice(0, -1).join(", ")}${quoted.length > 2 ? "," : ""} and ${last}`;
}

function wereGiven(count: number): string {
  return `${count} ${count === 1 ? "was" : "were"} given`;
}

/**
 * Gives arguments to parameters as Python does for a function written in Python. `offset` counts what Python passes
 * besides, as `self`.
 *
 * @returns One value for each parameter; undefined for an optional one that was not given.
 * @throws PyError TypeError
 */
export function bindArguments(
  name: string,
  params: readonly string[],
  required: number,
  args: readonly PyValue[],
  kwargs: PyKwargs,
  offset = 0,
): (PyValue | undefined)[] {
  const bound: (PyValue | undefined)[] = params.map((_, index) => args[index]);
  for (const [keyword, value] of kwargs ?? []) {
    if (offset > 0 && keyword === "self") {
      throw givenTwice(name, "self");
    }
    const index = params.indexOf(keyword);
    if (index < 0) {
      throw unexpectedKeyword(name, keyword);
    }
    if (bound[index] !== undefined) {
      throw givenTwice(name, keyword);
    }
    bound[index] = value;
  }
  if (args.length > params.length) {
    const most = params.length + offset;
    const least = required + offset;
    const takes = least === most ? `${most}` : `from ${least} to ${most}`;
    throw typeError(
      `${name}() takes ${takes} positional argument${most === 1 ? "" : "s"} but ${wereGiven(args.length + offset)}`,
    );
  }
  const missing = params.slice(0, required).filter((_, index) => bound[index] === undefined);
  if (missing.length > 0) {
    throw typeError(
      `${name}() missing ${missing.length} required positional argument${missing.length === 1 ? "" : "s"}: ${inWords(missing)}`,
    );
  }
  return bound;
}
