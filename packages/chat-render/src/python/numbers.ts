import { overflowError } from "./errors.ts";
import { tooManyDigits } from "./refusals.ts";
import { isInt, PyFloat, type PyValue } from "./value.ts";

/** Python's default of `sys.set_int_max_str_digits`. */
export const MAX_INT_DIGITS = 4300;

let tooLong: bigint | undefined;

/** `str(int)`. Raises ValueError beyond 4300 digits. */
export function intText(value: number | bigint): string {
  if (typeof value === "bigint") {
    tooLong ??= 10n ** BigInt(MAX_INT_DIGITS);
    if (value >= tooLong || value <= -tooLong) {
      throw tooManyDigits(MAX_INT_DIGITS);
    }
  }
  return String(value);
}

/** `repr(float)`: the shortest digits that read back, laid out as Python does. */
export function floatText(value: number): string {
  if (!Number.isFinite(value)) {
    return Number.isNaN(value) ? "nan" : value > 0 ? "inf" : "-inf";
  }
  const text = value.toExponential();
  const at = text.indexOf("e");
  const exponent = Number(text.slice(at + 1));
  if (exponent < -4 || exponent >= 16) {
    const size = Math.abs(exponent);
    return `${text.slice(0, at)}e${exponent < 0 ? "-" : "+"}${size < 10 ? "0" : ""}${size}`;
  }
  if (value === 0) {
    return Object.is(value, -0) ? "-0.0" : "0.0";
  }
  // From 1e-4 to below 1e16 JavaScript writes no exponent either.
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** The int that a value is, with bool as 0 and 1; undefined for everything else. */
export function intOf(value: PyValue): number | bigint | undefined {
  return typeof value === "boolean" ? (value ? 1 : 0) : isInt(value) ? value : undefined;
}

/** The number that an int, bool or float is; undefined for everything else. May be a bigint. */
export function numberOf(value: PyValue): number | bigint | undefined {
  if (typeof value === "number" || typeof value === "bigint") {
    return value;
  }
  return typeof value === "boolean" ? (value ? 1 : 0) : value instanceof PyFloat ? value.value : undefined;
}

/** `float(int)`. Raises OverflowError where no float is as large. */
export function intToFloat(value: number | bigint): number {
  const float = Number(value);
  if (!Number.isFinite(float) && typeof value === "bigint") {
    throw overflowError("int too large to convert to float");
  }
  return float;
}

/** Bits in the absolute value of an int, about (at most 4 too many). */
export function bitsAbout(value: number | bigint): number {
  return typeof value === "number"
    ? Math.ceil(Math.log2(Math.abs(value) + 1))
    : value.toString(16).length * 4;
}
