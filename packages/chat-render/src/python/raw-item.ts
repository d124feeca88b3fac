import { PyError, typeError } from "./errors.ts";
import { notSubscriptable } from "./refusals.ts";
import { PyRange } from "./objects.ts";
import { repr } from "./repr.ts";
import { subscript } from "./subscript.ts";
import { isList, PyDict, PyTuple, textOf, typeName, type PyContext, type PyValue } from "./value.ts";

/** Python's own `value[key]`, which raises where Jinja would give Undefined. */
export function rawItem(ctx: PyContext, value: PyValue, key: PyValue): PyValue {
  const item = value instanceof PyDict ? value.get(key) : subscript(ctx, value, key);
  if (item !== undefined) {
    return item;
  }
  if (value instanceof PyDict) {
    throw new PyError("KeyError", repr(ctx, key));
  }
  if (textOf(value) !== undefined) {
    throw typeError(`string indices must be integers, not '${typeName(key)}'`);
  }
  if (isList(value) || value instanceof PyTuple || value instanceof PyRange) {
    throw typeError(`${typeName(value)} indices must be integers or slices, not ${typeName(key)}`);
  }
  throw notSubscriptable(value);
}
