import { codePointCount, sliceCodePoints } from "./code-points.ts";
import { toFloat, toInt } from "./conversions.ts";
import { overflowError, PyError, typeError, valueError } from "./errors.ts";
import { asciiText, floatDigits } from "./format-spec.ts";
import { escapeText, like } from "./markup.ts";
import { intOf, intText, intToFloat, numberOf } from "./numbers.ts";
import { rawItem } from "./raw-item.ts";
import { repr, str } from "./repr.ts";
import { undefinedError } from "./undefined.ts";
import {
  isList,
  PyDict,
  PyMarkup,
  PyObject,
  pyInt,
  PyTuple,
  PyUndefined,
  textOf,
  typeName,
  type PyContext,
  type PyValue,
} from "./value.ts";

interface Conversion {
  readonly flags: string;
  readonly width: number;
  /** -1 where none was given. */
  readonly precision: number;
  readonly letter: string;
}

/** The arguments of one format operation, taken one after the other or by name. */
class Arguments {
  private readonly values: readonly PyValue[];
  readonly mapping: PyValue | undefined;
  private next = 0;

  constructor(value: PyValue) {
    this.values = value instanceof PyTuple ? value.items : [value];
    const isMapping =
      value instanceof PyDict ||
      isList(value) ||
      value instanceof PyUndefined ||
      (value instanceof PyObject && value.getItem !== undefined);
    this.mapping = isMapping ? value : undefined;
  }

  take(): PyValue {
    const value = this.values[this.next];
    if (value === undefined) {
      throw typeError("not enough arguments for format string");
    }
    this.next += 1;
    return value;
  }

  finish(): void {
    if (this.next < this.values.length && this.mapping === undefined) {
      throw typeError("not all arguments converted during string formatting");
    }
  }
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
      throw Number.isNaN(float)
        ? valueError("cannot convert float NaN to integer")
        : overflowError("cannot convert float infinity to integer");
    }
    return pyInt(BigInt(Math.trunc(float)));
  }
  if (value instanceof PyUndefined) {
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
    if (value instanceof PyUndefined) {
      throw undefinedError(ctx, value);
    }
    throw typeError(`must be real number, not ${typeName(value)}`);
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

function convert(ctx: PyContext, value: PyValue, conversion: Conversion, escaping: boolean): string {
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
    if (escaping && !(letter === "s" && value instanceof PyMarkup)) {
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

const specifier = /[-+ #0]*/y;
const number = /\d*/y;

function scan(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? "";
}

/** The key in brackets that starts at `at`, which may hold brackets itself. */
function readKey(text: string, at: number): string {
  let open = 1;
  for (let end = at; end < text.length; end += 1) {
    const character = text.charAt(end);
    open += character === "(" ? 1 : character === ")" ? -1 : 0;
    if (open === 0) {
      return text.slice(at, end);
    }
  }
  throw valueError("incomplete format key");
}

function starOrNumber(
  text: string,
  at: number,
  what: string,
  args: Arguments,
): { value: number; end: number } {
  if (text.charAt(at) !== "*") {
    const digits = scan(number, text, at);
    if (Number(digits) > 0x7fffffff) {
      throw valueError(`${what} too big`);
    }
    return { value: digits === "" ? -1 : Number(digits), end: at + digits.length };
  }
  const given = intOf(args.take());
  if (given === undefined) {
    throw typeError("* wants int");
  }
  if (typeof given === "bigint") {
    throw overflowError(`Python int too large to convert to C ${what === "width" ? "ssize_t" : "int"}`);
  }
  return { value: given, end: at + 1 };
}

/** Python's `format % values` of a str or a Markup. */
export function printf(ctx: PyContext, template: string | PyMarkup, value: PyValue): string | PyMarkup {
  const text = typeof template === "string" ? template : template.text;
  const escaping = template instanceof PyMarkup;
  // A Markup takes everything that has items, but a str, for a mapping.
  const args = new Arguments(value);
  ctx.budget.grow(text.length);
  let result = "";
  let at = 0;
  for (;;) {
    const percent = text.indexOf("%", at);
    if (percent < 0) {
      break;
    }
    ctx.budget.step();
    result += text.slice(at, percent);
    at = percent + 1;
    if (text.charAt(at) === "%") {
      result += "%";
      at += 1;
      continue;
    }
    let source: (() => PyValue) | undefined;
    if (text.charAt(at) === "(") {
      const { mapping } = args;
      if (mapping === undefined) {
        throw typeError("format requires a mapping");
      }
      const key = readKey(text, at + 1);
      at += key.length + 2;
      source = () => rawItem(ctx, mapping, key);
    }
    let flags = scan(specifier, text, at);
    at += flags.length;
    const width = starOrNumber(text, at, "width", args);
    if (width.value < 0 && text.charAt(at) === "*") {
      flags += "-";
    }
    at = width.end;
    let precision = -1;
    if (text.charAt(at) === ".") {
      const given = starOrNumber(text, at + 1, "precision", args);
      precision = Math.max(given.value, 0);
      at = given.end;
    }
    if (/[hlL]/.test(text.charAt(at))) {
      at += 1;
    }
    if (at >= text.length) {
      throw valueError("incomplete format");
    }
    const letter = String.fromCodePoint(text.codePointAt(at) ?? 0);
    if (!"diuoxXeEfFgGcrsa".includes(letter)) {
      // Python takes the argument before it looks at the letter.
      (source ?? (() => args.take()))();
      const code = letter.codePointAt(0) ?? 0;
      const shown = code > 31 && code < 127 ? letter : "?";
      throw valueError(
        `unsupported format character '${shown}' (0x${code.toString(16)}) at index ${codePointCount(text.slice(0, at))}`,
      );
    }
    const conversion = { flags, width: Math.abs(width.value === -1 ? 0 : width.value), precision, letter };
    result += convert(ctx, (source ?? (() => args.take()))(), conversion, escaping);
    ctx.budget.grow(result.length >> 4);
    at += letter.length;
  }
  args.finish();
  return like(template, result + text.slice(at));
}
