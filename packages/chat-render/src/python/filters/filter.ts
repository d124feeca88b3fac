import { typeError } from "../errors.ts";
import { noKeywords } from "../refusals.ts";
import { withSignature, type Bound } from "../signature.ts";
import type { PyContext, PyFilter, PyValue } from "../value.ts";

/** A filter that is a Python function, as `name(value, other=)`. */
export function filter(declaration: string, body: (ctx: PyContext, args: Bound) => PyValue): PyFilter {
  const bound = withSignature(declaration, body);
  return (ctx, value, args, kwargs) => bound(ctx, args.length === 0 ? [value] : [value, ...args], kwargs);
}

/** A filter that is a built-in function of one argument. */
export function builtin(name: string, body: (ctx: PyContext, value: PyValue) => PyValue): PyFilter {
  return (ctx, value, args, kwargs) => {
    if (kwargs !== null && kwargs.size > 0) {
      throw noKeywords(name);
    }
    if (args.length > 0) {
      throw typeError(`${name}() takes exactly one argument (${args.length + 1} given)`);
    }
    return body(ctx, value);
  };
}
