import { overflowError, PyError } from "./errors.ts";
import { PyComplex } from "./complex.ts";
import { bitsAbout, intToFloat } from "./numbers.ts";
import { isFloat, isInt, pyFloat, PyFloat, pyInt, type PyValue } from "./value.ts";

/** Bits behind the point of the fixed-point numbers here. */
const BITS = 160n;
const ONE = 1n << BITS;

/** Twice the area tangent of `top / bottom`: the logarithm of (bottom + top) / (bottom - top). */
function logOfRatio(top: bigint, bottom: bigint): bigint {
  const z = (top << BITS) / bottom;
  const square = (z * z) >> BITS;
  let sum = 0n;
  let term = z;
  for (let odd = 1n; term !== 0n; odd += 2n) {
    sum += term / odd;
    term = (term * square) >> BITS;
  }
  return sum * 2n;
}

function exponential(value: bigint): bigint {
  let sum = ONE;
  let term = ONE;
  for (let count = 1n; term !== 0n; count += 1n) {
    term = ((term * value) >> BITS) / count;
    sum += term;
  }
  return sum;
}

/** A finite float that is not zero as an integer and a power of two. */
function parts(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  let mantissa = value;
  let exponent = 0;
  while (!Number.isInteger(mantissa)) {
    mantissa *= 2;
    exponent -= 1;
  }
  return { mantissa: BigInt(mantissa), exponent };
}

/** `base ** exponent` of a positive base, rounded once: the engine's own is off by some units in the last place. */
function exactPower(base: number, exponent: number): number {
  const { mantissa, exponent: scale } = parts(base);
  const length = mantissa.toString(2).length;
  const bottom = 1n << BigInt(length - 1);
  const two = logOfRatio(1n, 3n);
  const log = logOfRatio(mantissa - bottom, mantissa + bottom) + BigInt(scale + length - 1) * two;
  const factor = parts(exponent);
  const product = (log * factor.mantissa) >> BigInt(-factor.exponent);
  const whole = product / two - (product < 0n ? 1n : 0n);
  if (whole > 1030n || whole < -1100n) {
    return whole > 0n ? Infinity : 0;
  }
  const digits = Number(exponential(product - whole * two));
  const shift = Number(whole) - Number(BITS);
  // In two steps, because 2 ** shift alone may be no float.
  const half = Math.trunc(shift / 2);
  return digits * 2 ** half * 2 ** (shift - half);
}

/** `base ** exponent` of integers that is a safe integer; undefined where it is none. */
function smallPower(base: number, exponent: number): number | undefined {
  if (exponent < 0 || exponent > 1100) {
    return undefined;
  }
  let result = 1;
  for (let left = exponent; left > 0; left -= 1) {
    result *= base;
    if (!Number.isSafeInteger(result)) {
      return undefined;
    }
  }
  return result + 0;
}

function positivePower(base: number, exponent: number): number {
  if (exponent === 2) {
    return base * base;
  }
  const small =
    Number.isSafeInteger(base) && Number.isSafeInteger(exponent) ? smallPower(base, exponent) : undefined;
  if (small !== undefined) {
    return small;
  }
  // The engine's result is near enough to tell what is 0 or too large by far.
  const quick = base ** exponent;
  const extreme = quick === 0 || (quick === Infinity && Math.abs(exponent) > 2 ** 60);
  return extreme || base === 0 || exponent === 0 ? quick : exactPower(base, exponent);
}

/** `base ** exponent` of ints; undefined where the result is a float. */
function intPower(base: PyValue, exponent: PyValue, charge: PowerCharge): number | bigint | undefined {
  if (!isInt(base) || !isInt(exponent) || exponent < 0) {
    return undefined;
  }
  if (typeof base === "number" && Math.abs(base) <= 1) {
    return base === -1 && BigInt(exponent) % 2n === 0n ? 1 : exponent === 0 ? 1 : base;
  }
  const small =
    typeof base === "number" && typeof exponent === "number" ? smallPower(base, exponent) : undefined;
  if (small !== undefined) {
    return small;
  }
  charge.bits(bitsAbout(base) * Number(exponent));
  return pyInt(BigInt(base) ** BigInt(exponent));
}

/** What `base ** exponent` of ints and floats costs and asks for. */
export interface PowerCharge {
  /** Before an int of `bits` bits is made. */
  readonly bits: (bits: number) => void;
  /** Before a float is computed. */
  readonly float: () => void;
}

/** `base ** exponent`. */
export function power(base: PyValue, exponent: PyValue, charge: PowerCharge): PyValue {
  if (!isFloat(base) && !isFloat(exponent)) {
    const result = intPower(base, exponent, charge);
    if (result !== undefined) {
      return result;
    }
  }
  charge.float();
  return floatPower(floatOf(base), floatOf(exponent));
}

function floatOf(value: PyValue): number {
  return value instanceof PyFloat
    ? value.value
    : typeof value === "number" || typeof value === "bigint"
      ? intToFloat(value)
      : 0;
}

function floatPower(a: number, b: number): PyValue {
  if (a === 0 && b < 0) {
    throw new PyError("ZeroDivisionError", "0.0 cannot be raised to a negative power");
  }
  if (a === 1 || (a === -1 && Math.abs(b) === Infinity)) {
    return pyFloat(1);
  }
  if (a < 0 && Number.isFinite(a) && Number.isFinite(b)) {
    const size = positivePower(-a, b);
    if (!Number.isInteger(b)) {
      return PyComplex.polar(size, Math.PI * b);
    }
    return finite(b % 2 === 0 ? size : -size);
  }
  return Number.isFinite(a) && Number.isFinite(b) && a !== 0 ? finite(positivePower(a, b)) : pyFloat(a ** b);
}

/** The result of finite numbers, which must be finite itself. */
function finite(value: number): PyValue {
  if (!Number.isFinite(value)) {
    throw overflowError("(34, 'Numerical result out of range')");
  }
  return pyFloat(value);
}
