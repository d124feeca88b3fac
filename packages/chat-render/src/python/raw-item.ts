import { PyError, typeError } from "./errors.ts";
import { notSubscriptable } from "./refusals.ts";
import { PyRange } from "./objects.ts";
import { repr } from "./repr.ts";
import { subscript } from "./subscript.ts";
import { isList, textOf, typeName, type PyContext, type PyValue, isDict, isTuple } from "./value.ts";

/** Python's own `value[key]`, which raises where Jinja would give Undefined. */
export function rawItem(ctx: PyContext, value: PyValue, key: PyValue): PyValue {
  const item = isDict(value) ? value.get(key) : subscript(ctx, value, key);
  if (item !== undefined) {
    return item;
  }
  if (isDict(value)) {
    throw new PyError("KeyError", repr(ctx, key));
  }
  if (textOf(value) !== undefined) {
    throw typeError(`string indices must be integers, not '${typeName(key)}'`);
  }
  if (isList(value) || isTuple(value) || value instanceof PyRange) {
    throw typeError(`${typeName(value)} indices must be integers or slices, not ${typeName(key)}`);
  }
  throw notSubscriptable(value);
}
