import { codePointCount, sliceCodePoints } from "./code-points.ts";
import { toFloat, toInt } from "./conversions.ts";
import { overflowError, PyError, typeError } from "./errors.ts";
import { noInteger, notReal } from "./refusals.ts";
import { asciiText, floatDigits } from "./format-spec.ts";
import { escapeText } from "./markup.ts";
import { intOf, intText, intToFloat, numberOf } from "./numbers.ts";
import { repr, str } from "./repr.ts";
import { undefinedError } from "./undefined.ts";
import { pyInt, textOf, typeName, type PyContext, type PyValue, isUndefined, isMarkup } from "./value.ts";

/** One conversion of a format, such as `%-5.2f`. */
export interface Conversion {
  readonly flags: string;
  readonly width: number;
  /** -1 where none was given. */
  readonly precision: number;
  readonly letter: string;
}

function pad(
  ctx: PyContext,
  text: string,
  { flags, width }: Conversion,
  prefix: string,
  zeros: boolean,
): string {
  const missing = width - codePointCount(text) - prefix.length;
  if (missing <= 0) {
    return prefix + text;
  }
  ctx.budget.grow(width);
  if (flags.includes("-")) {
    return prefix + text + " ".repeat(missing);
  }
  return zeros && flags.includes("0")
    ? prefix + "0".repeat(missing) + text
    : " ".repeat(missing) + prefix + text;
}

function signOf(flags: string, negative: boolean): string {
  return negative ? "-" : flags.includes("+") ? "+" : flags.includes(" ") ? " " : "";
}

/** The int for `%d` and its kin: floats are cut, everything but numbers is refused. */
function integerOf(ctx: PyContext, value: PyValue, letter: string): number | bigint {
  const int = intOf(value);
  if (int !== undefined) {
    return int;
  }
  const float = numberOf(value);
  if ("xXo".includes(letter)) {
    throw typeError(`%${letter} format: an integer is required, not ${typeName(value)}`);
  }
  if (typeof float === "number") {
    if (!Number.isFinite(float)) {
      throw noInteger(float);
    }
    return pyInt(BigInt(Math.trunc(float)));
  }
  if (isUndefined(value)) {
    throw undefinedError(ctx, value);
  }
  throw typeError(`%${letter} format: a real number is required, not ${typeName(value)}`);
}

/** The same of an argument of a Markup, which Python wraps so that it is a number only by conversion. */
function wrappedInteger(ctx: PyContext, value: PyValue, letter: string): number | bigint {
  if (!"xXo".includes(letter)) {
    try {
      return toInt(ctx, value);
    } catch (error) {
      if (!(error instanceof PyError && error.pythonClass === "TypeError")) {
        throw error;
      }
    }
  }
  const wanted = "xXo".includes(letter) ? "an integer" : "a real number";
  throw typeError(`%${letter} format: ${wanted} is required, not _MarkupEscapeHelper`);
}

function convertInt(ctx: PyContext, value: PyValue, conversion: Conversion, wrapped: boolean): string {
  const { letter, flags, precision } = conversion;
  const int = wrapped ? wrappedInteger(ctx, value, letter) : integerOf(ctx, value, letter);
  const size = typeof int === "bigint" ? (int < 0n ? -int : int) : Math.abs(int);
  const base = letter === "o" ? 8 : letter === "x" || letter === "X" ? 16 : 10;
  let digits = base === 10 ? intText(size) : size.toString(base);
  let prefix = base !== 10 && flags.includes("#") ? `0${letter}` : "";
  if (letter === "X") {
    digits = digits.toUpperCase();
    prefix = prefix.toUpperCase();
  }
  if (precision > digits.length) {
    ctx.budget.grow(precision);
    digits = digits.padStart(precision, "0");
  }
  return pad(ctx, digits, conversion, signOf(flags, int < 0) + prefix, true);
}

function convertFloat(ctx: PyContext, value: PyValue, conversion: Conversion, wrapped: boolean): string {
  const { letter, flags, precision } = conversion;
  const number = wrapped ? toFloat(ctx, value) : numberOf(value);
  if (number === undefined) {
    if (isUndefined(value)) {
      throw undefinedError(ctx, value);
    }
    throw notReal(value);
  }
  const float = intToFloat(number);
  const size = Math.abs(float);
  const places = precision < 0 ? 6 : precision;
  ctx.budget.grow(places);
  let text = Number.isFinite(size)
    ? floatDigits(size, letter, places, flags.includes("#"))
    : Number.isNaN(size)
      ? "nan"
      : "inf";
  if (letter < "a") {
    text = text.toUpperCase();
  }
  return pad(ctx, text, conversion, signOf(flags, float < 0 || Object.is(float, -0)), true);
}

function characterOf(value: PyValue): string {
  const text = textOf(value);
  if (text !== undefined && codePointCount(text) === 1) {
    return text;
  }
  const int = intOf(value);
  if (int === undefined) {
    throw typeError("%c requires int or char");
  }
  if (!(int >= 0 && int <= 0x10ffff)) {
    throw overflowError("%c arg not in range(0x110000)");
  }
  return String.fromCodePoint(Number(int));
}

/** The text of one argument; `escaping` is that of a Markup. */
export function convert(ctx: PyContext, value: PyValue, conversion: Conversion, escaping: boolean): string {
  const { letter, precision } = conversion;
  if ("diuoxX".includes(letter)) {
    return convertInt(ctx, value, conversion, escaping);
  }
  if ("eEfFgG".includes(letter)) {
    return convertFloat(ctx, value, conversion, escaping);
  }
  let text: string;
  if (letter === "c") {
    if (escaping) {
      throw typeError("%c requires int or char");
    }
    text = characterOf(value);
  } else {
    text = letter === "s" ? str(ctx, value) : repr(ctx, value);
    // The arguments of a Markup are escaped, but for those that are Markup themselves.
    if (escaping && !(letter === "s" && isMarkup(value))) {
      text = escapeText(text);
    }
    if (letter === "a") {
      text = asciiText(text);
    }
    if (precision >= 0 && precision < text.length) {
      text = sliceCodePoints(text, 0, Math.min(precision, codePointCount(text)));
    }
  }
  return pad(ctx, text, conversion, "", false);
}
