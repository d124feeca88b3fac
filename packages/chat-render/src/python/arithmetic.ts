import { PyBytes } from "./bytes.ts";
import { PyError, overflowError, typeError } from "./errors.ts";
import { notAnInteger } from "./refusals.ts";
import { floorDivideFloats, floorDivideInts, moduloFloats, moduloInts, trueDivide } from "./division.ts";
import { power, type PowerCharge } from "./power.ts";
import { escape } from "./markup.ts";
import { bitsAbout, intOf, intToFloat, numberOf } from "./numbers.ts";
import { printf } from "./printf.ts";
import { setDifference } from "./sets.ts";
import { undefinedError } from "./undefined.ts";
import {
  isList,
  isStr,
  pyFloat,
  pyInt,
  PyMarkup,
  PyTuple,
  textOf,
  typeName,
  type PyContext,
  type PyValue,
  isMarkup,
  isTuple,
  isUndefined,
} from "./value.ts";

export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**";

/** Before an int of `bits` bits is made or divided. */
function chargeInt(ctx: PyContext, bits: number): void {
  ctx.budget.grow(bits / 8);
  ctx.budget.step(Math.ceil((bits / 64) ** 1.5 / 8));
}

function powerCharge(ctx: PyContext): PowerCharge {
  return {
    bits: (bits) => {
      chargeInt(ctx, bits);
    },
    float: () => {
      ctx.budget.step(1000);
    },
  };
}

function intResult(
  ctx: PyContext,
  operator: BinaryOperator,
  a: number | bigint,
  b: number | bigint,
): PyValue {
  switch (operator) {
    case "/":
      return pyFloat(trueDivide(a, b));
    case "**":
      return power(a, b, powerCharge(ctx));
  }
  if (typeof a === "number" && typeof b === "number") {
    if (operator === "//") {
      return floorDivideInts(a, b);
    }
    if (operator === "%") {
      return moduloInts(a, b);
    }
    const result = operator === "+" ? a + b : operator === "-" ? a - b : a * b;
    if (Number.isSafeInteger(result)) {
      // 0 and not -0.
      return result + 0;
    }
  }
  const left = BigInt(a);
  const right = BigInt(b);
  const bits = [bitsAbout(a), bitsAbout(b)] as const;
  chargeInt(ctx, operator === "*" ? bits[0] + bits[1] : Math.max(...bits));
  switch (operator) {
    case "+":
      return pyInt(left + right);
    case "-":
      return pyInt(left - right);
    case "*":
      return pyInt(left * right);
    case "//":
      return floorDivideInts(left, right);
    default:
      return moduloInts(left, right);
  }
}

function floatResult(ctx: PyContext, operator: BinaryOperator, a: number, b: number): PyValue {
  switch (operator) {
    case "+":
      return pyFloat(a + b);
    case "-":
      return pyFloat(a - b);
    case "*":
      return pyFloat(a * b);
    case "/":
      if (b === 0) {
        throw new PyError("ZeroDivisionError", "float division by zero");
      }
      return pyFloat(a / b);
    case "//":
      return pyFloat(floorDivideFloats(a, b));
    case "%":
      return pyFloat(moduloFloats(a, b));
    default:
      return power(pyFloat(a), pyFloat(b), powerCharge(ctx));
  }
}

/** What `text * count` and `items * count` repeat. */
function repeat(ctx: PyContext, sequence: PyValue, count: number | bigint): PyValue {
  if (typeof count === "bigint" && (count >= 2n ** 63n || count < -(2n ** 63n))) {
    throw overflowError("cannot fit 'int' into an index-sized integer");
  }
  const times = Math.max(Number(count), 0);
  const text = textOf(sequence);
  if (text !== undefined) {
    if (text !== "") {
      ctx.budget.grow(text.length * times);
    }
    const repeated = text === "" ? "" : text.repeat(times);
    return isMarkup(sequence) ? new PyMarkup(repeated) : repeated;
  }
  if (sequence instanceof PyBytes) {
    ctx.budget.collect(sequence.bytes.length * times);
    return new PyBytes(Array.from({ length: times }, () => sequence.bytes).flat());
  }
  const items = isTuple(sequence) ? sequence.items : isList(sequence) ? sequence : [];
  ctx.budget.collect(items.length * times);
  const result: PyValue[] = [];
  for (let left = items.length === 0 ? 0 : times; left > 0; left -= 1) {
    result.push(...items);
  }
  return isTuple(sequence) ? new PyTuple(result) : result;
}

function isSequence(value: PyValue): boolean {
  return isStr(value) || isList(value) || isTuple(value) || value instanceof PyBytes;
}

function multiplySequence(ctx: PyContext, a: PyValue, b: PyValue): PyValue {
  const [sequence, factor] = isMarkup(a) || (isSequence(a) && !isMarkup(b)) ? [a, b] : [b, a];
  const count = intOf(factor);
  if (count === undefined) {
    throw isMarkup(sequence)
      ? notAnInteger(factor)
      : typeError(`can't multiply sequence by non-int of type '${typeName(factor)}'`);
  }
  return repeat(ctx, sequence, count);
}

/** `a + b` of sequences; undefined where Python tries numbers. */
function concatenate(ctx: PyContext, a: PyValue, b: PyValue): PyValue | undefined {
  const left = textOf(a);
  const right = textOf(b);
  if (left !== undefined && right !== undefined) {
    ctx.budget.grow(left.length + right.length);
    if (isMarkup(a) || isMarkup(b)) {
      return new PyMarkup(escape(ctx, a).text + escape(ctx, b).text);
    }
    return left + right;
  }
  if (isList(a) && isList(b)) {
    ctx.budget.collect(a.length + b.length);
    return a.concat(b);
  }
  if (isTuple(a) && isTuple(b)) {
    ctx.budget.collect(a.items.length + b.items.length);
    return new PyTuple(a.items.concat(b.items));
  }
  if (a instanceof PyBytes) {
    if (!(b instanceof PyBytes)) {
      throw typeError(`can't concat ${typeName(b)} to bytes`);
    }
    ctx.budget.collect(a.bytes.length + b.bytes.length);
    return new PyBytes(a.bytes.concat(b.bytes));
  }
  if (isSequence(a) && !isMarkup(a)) {
    throw typeError(`can only concatenate ${typeName(a)} (not "${typeName(b)}") to ${typeName(a)}`);
  }
  return undefined;
}

/** `a <operator> b`. */
export function binary(ctx: PyContext, operator: BinaryOperator, a: PyValue, b: PyValue): PyValue {
  if (operator === "+" && typeof a === "string" && typeof b === "string") {
    ctx.budget.grow(a.length + b.length);
    return a + b;
  }
  const left = numberOf(a);
  const right = numberOf(b);
  if (left !== undefined && right !== undefined) {
    const leftInt = intOf(a);
    const rightInt = intOf(b);
    return leftInt !== undefined && rightInt !== undefined
      ? intResult(ctx, operator, leftInt, rightInt)
      : floatResult(ctx, operator, intToFloat(left), intToFloat(right));
  }
  if (operator === "%" && isStr(a)) {
    return printf(ctx, a, b);
  }
  if (operator === "*" && isMarkup(a)) {
    return multiplySequence(ctx, a, b);
  }
  const set = operator === "-" && !isUndefined(a) ? setDifference(ctx, a, b) : undefined;
  if (set !== undefined) {
    return set;
  }
  for (const side of [a, b]) {
    if (isUndefined(side)) {
      throw undefinedError(ctx, side);
    }
  }
  const joined = operator === "+" ? concatenate(ctx, a, b) : undefined;
  if (joined !== undefined) {
    return joined;
  }
  if (operator === "*" && (isSequence(a) || isSequence(b))) {
    return multiplySequence(ctx, a, b);
  }
  const name = operator === "**" ? "** or pow()" : operator;
  throw typeError(`unsupported operand type(s) for ${name}: '${typeName(a)}' and '${typeName(b)}'`);
}

/** `-value` and `+value`. */
export function unary(ctx: PyContext, operator: "-" | "+", value: PyValue): PyValue {
  const int = intOf(value);
  if (int !== undefined) {
    return operator === "+" ? int : typeof int === "number" ? 0 - int : pyInt(-int);
  }
  const float = numberOf(value);
  if (float !== undefined) {
    return operator === "+" ? value : pyFloat(-Number(float));
  }
  if (isUndefined(value)) {
    throw undefinedError(ctx, value);
  }
  throw typeError(`bad operand type for unary ${operator}: '${typeName(value)}'`);
}
