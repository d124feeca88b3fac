import { overflowError, PyError } from "./errors.ts";
import { bitsAbout } from "./numbers.ts";
import { pyInt } from "./value.ts";

function zeroDivision(message: string): PyError {
  return new PyError("ZeroDivisionError", message);
}

/** `a // b` of ints: towards minus infinity. */
export function floorDivideInts(a: number | bigint, b: number | bigint): number | bigint {
  // oxlint-disable-next-line eqeqeq
  if (b == 0) {
    throw zeroDivision("integer division or modulo by zero");
  }
  if (typeof a === "number" && typeof b === "number") {
    // The quotient of safe integers may round up to an integer; the remainder never rounds.
    const rest = a % b;
    return (a - rest) / b - (rest !== 0 && rest < 0 !== b < 0 ? 1 : 0) + 0;
  }
  const left = BigInt(a);
  const right = BigInt(b);
  const rest = left % right;
  return pyInt(left / right - (rest !== 0n && rest < 0n !== right < 0n ? 1n : 0n));
}

/** `a % b` of ints: the sign of `b`. */
export function moduloInts(a: number | bigint, b: number | bigint): number | bigint {
  // oxlint-disable-next-line eqeqeq
  if (b == 0) {
    throw zeroDivision("integer modulo by zero");
  }
  if (typeof a === "number" && typeof b === "number") {
    const rest = a % b;
    return (rest !== 0 && rest < 0 !== b < 0 ? rest + b : rest) + 0;
  }
  const right = BigInt(b);
  const rest = BigInt(a) % right;
  return pyInt(rest !== 0n && rest < 0n !== right < 0n ? rest + right : rest);
}

export function moduloFloats(a: number, b: number): number {
  if (b === 0) {
    throw zeroDivision("float modulo");
  }
  const rest = a % b;
  if (rest === 0) {
    return b < 0 ? -0 : 0;
  }
  return rest < 0 !== b < 0 ? rest + b : rest;
}

export function floorDivideFloats(a: number, b: number): number {
  if (b === 0) {
    throw zeroDivision("float floor division by zero");
  }
  let rest = a % b;
  let quotient = (a - rest) / b;
  if (rest !== 0 && rest < 0 !== b < 0) {
    rest += b;
    quotient -= 1;
  }
  if (quotient === 0) {
    return a / b < 0 || Object.is(a / b, -0) ? -0 : 0;
  }
  const floor = Math.floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

/** `a / b` of ints, rounded once. */
export function trueDivide(a: number | bigint, b: number | bigint): number {
  // oxlint-disable-next-line eqeqeq
  if (b == 0) {
    throw zeroDivision("division by zero");
  }
  if (typeof a === "number" && typeof b === "number") {
    return a / b;
  }
  const negative = a < 0 !== b < 0;
  const top = a < 0 ? -BigInt(a) : BigInt(a);
  const bottom = b < 0 ? -BigInt(b) : BigInt(b);
  // A quotient of 66 bits or more, with a last bit that stands for everything cut off, rounds as the exact one does.
  // Floats end at 2 ** -1074, so that nothing more than 1100 bits below 1 changes the result.
  const shift = Math.min(Math.max(bitsAbout(bottom) - bitsAbout(top) + 70, 0), 1100);
  const scaled = top << BigInt(shift);
  const quotient = scaled / bottom;
  const whole = scaled % bottom === 0n ? quotient : quotient | 1n;
  const step = Math.min(shift, 1000);
  const value = Number(whole) / 2 ** step / 2 ** (shift - step);
  if (!Number.isFinite(value)) {
    throw overflowError("integer division result too large for a float");
  }
  return negative ? -value : value;
}
