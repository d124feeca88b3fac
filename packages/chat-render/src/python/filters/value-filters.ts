import { getAttribute, lookupAttribute } from "../access.ts";
import { binary, unary } from "../arithmetic.ts";
import { truncate, toFloat, toInt } from "../conversions.ts";
import { filterArgumentError, PyError, typeError } from "../errors.ts";
import { notReal } from "../refusals.ts";
import { fixed, roundFloat } from "../float-digits.ts";
import { sizeArgument } from "../methods/method.ts";
import { intOf, numberOf } from "../numbers.ts";
import { truth } from "../truth.ts";
import { undefinedError } from "../undefined.ts";
import {
  isList,
  isStr,
  PyDict,
  pyFloat,
  pyInt,
  PyUndefined,
  textOf,
  typeName,
  type PyContext,
  type PyFilter,
  type PyValue,
  isTuple,
  isUndefined,
} from "../value.ts";
import { builtin, filter } from "./filter.ts";

function absolute(ctx: PyContext, value: PyValue): PyValue {
  const number = numberOf(value);
  if (number === undefined) {
    throw typeError(`bad operand type for abs(): '${typeName(value)}'`);
  }
  return number < 0 || Object.is(number, -0) ? unary(ctx, "-", value) : unary(ctx, "+", value);
}

/** Whether `error` is of one of Python's classes. */
function isA(error: unknown, ...classes: string[]): boolean {
  return error instanceof PyError && classes.includes(error.pythonClass);
}

function intFilter(ctx: PyContext, value: PyValue, fallback: PyValue, base: PyValue): PyValue {
  try {
    return textOf(value) === undefined ? toInt(ctx, value) : toInt(ctx, value, sizeArgument(base));
  } catch (error) {
    if (!isA(error, "TypeError", "ValueError")) {
      throw error;
    }
  }
  try {
    return truncate(toFloat(ctx, value));
  } catch (error) {
    if (!isA(error, "TypeError", "ValueError", "OverflowError")) {
      throw error;
    }
    return fallback;
  }
}

function floatFilter(ctx: PyContext, value: PyValue, fallback: PyValue): PyValue {
  try {
    return pyFloat(toFloat(ctx, value));
  } catch (error) {
    if (!isA(error, "TypeError", "ValueError")) {
      throw error;
    }
    return fallback;
  }
}

/** `round(int, places)` for places below zero: half to even. */
function roundInt(value: number | bigint, places: number): number | bigint {
  if (places < -5000) {
    return 0;
  }
  const unit = 10n ** BigInt(-places);
  const big = BigInt(value);
  const rest = ((big % unit) + unit) % unit;
  const down = big - rest;
  const up = rest * 2n > unit || (rest * 2n === unit && (down / unit) % 2n !== 0n);
  return pyInt(up ? down + unit : down);
}

function roundTo(value: PyValue, precision: PyValue): PyValue {
  const int = intOf(value);
  const float = numberOf(value);
  if (float === undefined) {
    throw typeError(`type ${typeName(value)} doesn't define __round__ method`);
  }
  if (precision === null) {
    return int ?? truncate(roundFloat(Number(float), 0));
  }
  const places = sizeArgument(precision);
  return int === undefined
    ? pyFloat(roundFloat(Number(float), places))
    : places < 0
      ? roundInt(int, places)
      : int;
}

function isRepeated(value: PyValue): boolean {
  return isStr(value) || isList(value) || isTuple(value);
}

function round(
  ctx: PyContext,
  [value = null, precision = 0, method = "common"]: readonly (PyValue | undefined)[],
): PyValue {
  // Raises TypeError for a method that no set could hold.
  new PyDict().has(method);
  const how = textOf(method);
  if (how !== "common" && how !== "ceil" && how !== "floor") {
    throw filterArgumentError("method must be common, ceil or floor");
  }
  if (how === "common") {
    return roundTo(value, precision);
  }
  const unit = binary(ctx, "**", 10, precision);
  if (isRepeated(value) && typeof unit === "number" && Number.isInteger(unit)) {
    // Python repeats it before it looks what it is.
    throw notReal(value);
  }
  const scaled = binary(ctx, "*", value, unit);
  const number = numberOf(scaled);
  if (number === undefined) {
    if (isUndefined(scaled)) {
      throw undefinedError(ctx, scaled);
    }
    throw notReal(scaled);
  }
  const whole = typeof number === "bigint" ? number : how === "ceil" ? Math.ceil(number) : Math.floor(number);
  return binary(ctx, "/", typeof whole === "bigint" ? whole : truncate(whole), unit);
}

function fileSize(ctx: PyContext, value: PyValue, binaryUnits: boolean): string {
  const bytes = toFloat(ctx, value);
  const base = binaryUnits ? 1024 : 1000;
  if (bytes === 1) {
    return "1 Byte";
  }
  if (bytes < base) {
    return `${truncate(bytes)} Bytes`;
  }
  const letters = binaryUnits ? "KMGTPEZY" : "kMGTPEZY";
  let unit = base;
  for (const letter of letters) {
    unit *= base;
    if (bytes < unit || letter === "Y") {
      const size = (base * bytes) / unit;
      const shown = Number.isFinite(size) ? fixed(size, 1) : Number.isNaN(size) ? "nan" : "inf";
      return `${shown} ${letter}${binaryUnits ? "iB" : "B"}`;
    }
  }
  return "";
}

export const valueFilters: Readonly<Record<string, PyFilter>> = {
  abs: builtin("abs", absolute),
  attr: filter("*do_attr(obj, name)", (ctx, [value = null, name = null]) => {
    const text = textOf(name);
    if (text === undefined) {
      new PyDict().has(name); // Python looks for it in a dict first, which raises for what cannot be hashed.
      throw typeError(`attribute name must be string, not '${typeName(name)}'`);
    }
    return lookupAttribute(ctx, value, text) === undefined
      ? new PyUndefined(text, value)
      : getAttribute(ctx, value, text);
  }),
  d: filter("do_default(value, default_value=, boolean=)", orDefault),
  default: filter("do_default(value, default_value=, boolean=)", orDefault),
  filesizeformat: filter("do_filesizeformat(value, binary=)", (ctx, [value = null, units = false]) =>
    fileSize(ctx, value, truth(units)),
  ),
  float: filter("do_float(value, default=)", (ctx, [value = null, fallback = pyFloat(0)]) =>
    floatFilter(ctx, value, fallback),
  ),
  int: filter("do_int(value, default=, base=)", (ctx, [value = null, fallback = 0, base = 10]) =>
    intFilter(ctx, value, fallback, base),
  ),
  round: filter("do_round(value, precision=, method=)", round),
};

function orDefault(
  _ctx: PyContext,
  [value = null, fallback = "", boolean = false]: readonly (PyValue | undefined)[],
): PyValue {
  return isUndefined(value) || (truth(boolean) && !truth(value)) ? fallback : value;
}
