import { typeError, valueError } from "./errors.ts";
import { noInteger } from "./refusals.ts";
import { intOf, intToFloat, numberOf } from "./numbers.ts";
import { parseFloatText, parseInteger } from "./parse-numbers.ts";
import { repr } from "./repr.ts";
import { undefinedError } from "./undefined.ts";
import { pyInt, textOf, typeName, type PyContext, type PyValue, isUndefined } from "./value.ts";

/** `int(float)`. */
export function truncate(value: number): number | bigint {
  if (!Number.isFinite(value)) {
    throw noInteger(value);
  }
  return pyInt(BigInt(Math.trunc(value)));
}

/** `int(value)`; of a str in `base`. */
export function toInt(ctx: PyContext, value: PyValue, base = 10): number | bigint {
  const text = textOf(value);
  if (text !== undefined) {
    ctx.budget.step(text.length >> 2);
    return parseInteger(text, base);
  }
  const int = intOf(value);
  if (int !== undefined) {
    return int;
  }
  const float = numberOf(value);
  if (float !== undefined) {
    return truncate(Number(float));
  }
  if (isUndefined(value)) {
    throw undefinedError(ctx, value);
  }
  throw typeError(
    `int() argument must be a string, a bytes-like object or a real number, not '${typeName(value)}'`,
  );
}

/** `float(value)`. */
export function toFloat(ctx: PyContext, value: PyValue): number {
  const text = textOf(value);
  if (text !== undefined) {
    ctx.budget.step(text.length >> 2);
    const float = parseFloatText(text);
    if (float === undefined) {
      throw valueError(`could not convert string to float: ${repr(ctx, value)}`);
    }
    return float;
  }
  const number = numberOf(value);
  if (number !== undefined) {
    return intToFloat(number);
  }
  if (isUndefined(value)) {
    throw undefinedError(ctx, value);
  }
  throw typeError(`float() argument must be a string or a real number, not '${typeName(value)}'`);
}
