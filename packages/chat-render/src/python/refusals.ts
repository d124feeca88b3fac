import { overflowError, typeError, valueError, type PyError } from "./errors.ts";
import { typeName, type PyValue } from "./value.ts";

/*
 * What Python says in more than one place.
 */

export function notSubscriptable(value: PyValue): PyError {
  return typeError(`'${typeName(value)}' object is not subscriptable`);
}

export function notIterable(value: PyValue): PyError {
  return typeError(`'${typeName(value)}' object is not iterable`);
}

export function notAnInteger(value: PyValue): PyError {
  return typeError(`'${typeName(value)}' object cannot be interpreted as an integer`);
}

export function notReal(value: PyValue): PyError {
  return typeError(`must be real number, not ${typeName(value)}`);
}

export function badSliceIndex(): PyError {
  return typeError("slice indices must be integers or None or have an __index__ method");
}

export function noKeywords(callee: string): PyError {
  return typeError(`${callee}() takes no keyword arguments`);
}

export function unexpectedKeyword(callee: string, keyword: string): PyError {
  return typeError(`${callee}() got an unexpected keyword argument '${keyword}'`);
}

export function givenTwice(callee: string, argument: string): PyError {
  return typeError(`${callee}() got multiple values for argument '${argument}'`);
}

/** An int that a C function cannot take. */
export function tooLarge(type: "int" | "long" | "ssize_t"): PyError {
  return overflowError(`Python int too large to convert to C ${type}`);
}

/** The int of a float that has none. */
export function noInteger(value: number): PyError {
  return Number.isNaN(value)
    ? valueError("cannot convert float NaN to integer")
    : overflowError("cannot convert float infinity to integer");
}

/** An int of more digits than Python reads or writes. `found` tells how many there are, where it says so. */
export function tooManyDigits(most: number, found = ""): PyError {
  return valueError(
    `Exceeds the limit (${most} digits) for integer string conversion${found}; use sys.set_int_max_str_digits() to increase the limit`,
  );
}
