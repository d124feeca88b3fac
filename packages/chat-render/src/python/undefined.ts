import { PyError } from "./errors.ts";
import { repr, reprText } from "./repr.ts";
import { objectTypeName } from "./type-names.ts";
import {
  isStr,
  typeName,
  type PyContext,
  type PyUndefined,
  PyUndefined as Undefined,
  type PyValue,
} from "./value.ts";

/** The error of every use of an undefined value except printing, iterating and testing it. */
export function undefinedError(ctx: PyContext, value: PyUndefined): PyError {
  return new PyError(value.errorClass, undefinedMessage(ctx, value));
}

function undefinedMessage(ctx: PyContext, { hint, object, key }: PyUndefined): string {
  if (hint !== null && hint !== "") {
    return hint;
  }
  if (object === undefined) {
    return `${repr(ctx, key)} is undefined`;
  }
  return isStr(key)
    ? `${reprText(objectTypeName(object))} has no attribute ${repr(ctx, key)}`
    : `${objectTypeName(object)} has no element ${repr(ctx, key)}`;
}

/** What the sandbox gives for an attribute that it does not let out. */
export function unsafeUndefined(object: PyValue, name: string): PyUndefined {
  const hint = `access to attribute ${reprText(name)} of ${reprText(typeName(object))} object is unsafe.`;
  return new Undefined(name, object, hint, "SecurityError");
}
