import { codePointCount, sliceCodePoints } from "./code-points.ts";
import { overflowError, typeError, valueError } from "./errors.ts";
import { tooLarge } from "./refusals.ts";
import { exponential, fixed, general } from "./float-digits.ts";
import { floatText, intOf, intText, intToFloat, numberOf } from "./numbers.ts";
import { str } from "./repr.ts";
import { textOf, typeName, type PyContext, type PyValue } from "./value.ts";

interface Spec {
  readonly fill: string;
  /** Empty where none was given. */
  readonly align: string;
  readonly sign: string;
  readonly noNegativeZero: boolean;
  readonly alternate: boolean;
  readonly width: number;
  readonly grouping: string;
  /** -1 where none was given. */
  readonly precision: number;
  /** Empty where none was given. */
  readonly type: string;
}

function numberIn(digits: string): number {
  const value = Number(digits);
  if (value > Number.MAX_SAFE_INTEGER) {
    throw valueError("Too many decimal digits in format string");
  }
  return value;
}

/** A letter of a format as errors show it. */
function shownCode(code: string): string {
  return code > " " && code < "\x80" ? code : `\\x${(code.codePointAt(0) ?? 0).toString(16)}`;
}

const head = /^(?:(.)([<>=^])|([<>=^]))?([+\- ])?(z)?(#)?(0)?(\d*)/su;

function parseSpec(text: string, typeOfValue: string, numeric: boolean): Spec {
  const match = head.exec(text);
  const [all = "", filled, filledAlign, bareAlign, sign = "", z, alternate, zero, digits = ""] = match ?? [];
  let align = filledAlign ?? bareAlign ?? "";
  // After a fill of its own, a leading zero belongs to the width.
  const padZero = zero !== undefined && filled === undefined;
  if (padZero && align === "" && numeric) {
    align = "=";
  }
  const width = numberIn(digits === "" ? "0" : digits);
  let rest = text.slice(all.length);
  let grouping = "";
  if (rest.startsWith(",")) {
    grouping = ",";
    rest = rest.slice(1);
  }
  if (rest.startsWith("_")) {
    if (grouping !== "") {
      throw valueError("Cannot specify both ',' and '_'.");
    }
    grouping = "_";
    rest = rest.slice(1);
  }
  if (rest.startsWith(",") && grouping === "_") {
    throw valueError("Cannot specify both ',' and '_'.");
  }
  let precision = -1;
  if (rest.startsWith(".")) {
    const places = /^\d*/.exec(rest.slice(1))?.[0] ?? "";
    if (places === "") {
      throw valueError("Format specifier missing precision");
    }
    precision = numberIn(places);
    rest = rest.slice(1 + places.length);
  }
  if (codePointCount(rest) > 1) {
    throw valueError(`Invalid format specifier '${text}' for object of type '${typeOfValue}'`);
  }
  // A str has the letter s where it has none.
  const letter = rest === "" && !numeric ? "s" : rest;
  if (grouping !== "" && !"deEfFgG%".includes(letter) && !(grouping === "_" && "boxX".includes(letter))) {
    throw valueError(`Cannot specify '${grouping}' with '${shownCode(letter)}'.`);
  }
  return {
    fill: filled ?? (padZero ? "0" : " "),
    align,
    sign,
    noNegativeZero: z !== undefined,
    alternate: alternate !== undefined,
    width,
    grouping,
    precision,
    type: rest,
  };
}

function unknownCode(code: string, type: string): Error {
  return valueError(`Unknown format code '${shownCode(code)}' for object of type '${type}'`);
}

function pad(ctx: PyContext, spec: Spec, align: string, before: string, body: string): string {
  const missing = spec.width - codePointCount(before) - codePointCount(body);
  if (missing <= 0) {
    return before + body;
  }
  ctx.budget.grow(spec.width * spec.fill.length);
  const left = align === "<" ? 0 : align === "^" ? Math.floor(missing / 2) : missing;
  return align === "="
    ? before + spec.fill.repeat(missing) + body
    : spec.fill.repeat(left) + before + body + spec.fill.repeat(missing - left);
}

/** Digits in groups of `size`, and at least `width` characters of them. */
function group(digits: string, separator: string, size: number, width: number): string {
  // So many are surely too few.
  let count = Math.max(digits.length, Math.floor((width * size) / (size + 1)) - 1);
  while (count + Math.floor((count - 1) / size) < width) {
    count += 1;
  }
  const padded = digits.padStart(count, "0");
  const first = padded.length % size || size;
  let text = padded.slice(0, first);
  for (let at = first; at < padded.length; at += size) {
    text += separator + padded.slice(at, at + size);
  }
  return text;
}

/** Sign, prefix, digits in groups, and what follows them, in the width asked for. */
function layNumber(
  ctx: PyContext,
  spec: Spec,
  negative: boolean,
  prefix: string,
  digits: string,
  tail: string,
): string {
  const before = (negative ? "-" : spec.sign === "+" || spec.sign === " " ? spec.sign : "") + prefix;
  ctx.budget.grow(spec.width);
  let body = digits;
  if (spec.grouping !== "") {
    const size = "boxX".includes(spec.type) && spec.type !== "" ? 4 : 3;
    const inner = spec.fill === "0" && spec.align === "=" ? spec.width - before.length - tail.length : 0;
    ctx.budget.step((digits.length + Math.max(inner, 0)) >> 1);
    body = group(digits, spec.grouping, size, inner);
  }
  return pad(ctx, spec, spec.align === "" ? ">" : spec.align, before, body + tail);
}

function formatText(ctx: PyContext, text: string, spec: Spec): string {
  if (spec.sign !== "") {
    throw valueError(`${spec.sign === " " ? "Space" : "Sign"} not allowed in string format specifier`);
  }
  if (spec.noNegativeZero) {
    throw valueError("Negative zero coercion (z) not allowed in string format specifier");
  }
  if (spec.alternate) {
    throw valueError("Alternate form (#) not allowed in string format specifier");
  }
  if (spec.align === "=") {
    throw valueError("'=' alignment not allowed in string format specifier");
  }
  const cut =
    spec.precision >= 0 && spec.precision < text.length ? sliceCodePoints(text, 0, spec.precision) : text;
  return pad(ctx, spec, spec.align === "" ? "<" : spec.align, "", cut);
}

const radix: Readonly<Record<string, number>> = { b: 2, o: 8, x: 16, X: 16 };

function formatInt(ctx: PyContext, value: number | bigint, spec: Spec): string {
  if (spec.precision !== -1) {
    throw valueError("Precision not allowed in integer format specifier");
  }
  if (spec.noNegativeZero) {
    throw valueError("Negative zero coercion (z) not allowed in integer format specifier");
  }
  if (spec.type === "c") {
    if (spec.sign !== "") {
      throw valueError("Sign not allowed with integer format specifier 'c'");
    }
    if (spec.alternate) {
      throw valueError("Alternate form (#) not allowed with integer format specifier 'c'");
    }
    if (typeof value === "bigint") {
      throw tooLarge("long");
    }
    if (value < 0 || value > 0x10ffff) {
      throw overflowError("%c arg not in range(0x110000)");
    }
    return layNumber(ctx, spec, false, "", String.fromCodePoint(value), "");
  }
  const base = radix[spec.type];
  const size = typeof value === "bigint" ? (value < 0n ? -value : value) : Math.abs(value);
  let digits = base === undefined ? intText(size) : size.toString(base);
  let prefix = base !== undefined && spec.alternate ? `0${spec.type}` : "";
  if (spec.type === "X") {
    digits = digits.toUpperCase();
    prefix = prefix.toUpperCase();
  }
  return layNumber(ctx, spec, value < 0, prefix, digits, "");
}

/** The digits of a finite float that is not negative, without its sign. */
export function floatDigits(value: number, type: string, precision: number, alternate: boolean): string {
  switch (type.toLowerCase()) {
    case "e":
      return exponential(value, precision, alternate);
    case "f":
      return fixed(value, precision) + (alternate && precision === 0 ? "." : "");
    default:
      return general(value, precision, alternate, type === "");
  }
}

function formatFloat(ctx: PyContext, value: number, spec: Spec): string {
  const { type, alternate } = spec;
  const percent = type === "%";
  const size = Math.abs(value) * (percent ? 100 : 1);
  let negative = value < 0 || Object.is(value, -0);
  let text: string;
  if (!Number.isFinite(size)) {
    text = Number.isNaN(size) ? "nan" : "inf";
  } else if (type === "" && spec.precision === -1) {
    text = floatText(size);
    if (alternate && !text.includes(".")) {
      text = text.replace("e", ".e");
    }
  } else {
    const precision = spec.precision === -1 ? 6 : spec.precision;
    ctx.budget.grow(precision);
    text = floatDigits(size, percent ? "f" : type === "n" ? "g" : type, precision, alternate);
  }
  if (spec.noNegativeZero && negative && /^[0.]*(e.*)?$/.test(text)) {
    negative = false;
  }
  if (type !== "" && "EFG".includes(type)) {
    text = text.toUpperCase();
  }
  const digits = /^\d*/.exec(text)?.[0] ?? "";
  const tail = text.slice(digits.length) + (percent ? "%" : "");
  // An infinity has no digits that could be grouped.
  return layNumber(ctx, digits === "" ? { ...spec, grouping: "" } : spec, negative, "", digits, tail);
}

/** `format(value, spec)`. */
export function format(ctx: PyContext, value: PyValue, spec: string): string {
  if (spec === "") {
    return str(ctx, value);
  }
  ctx.budget.grow(spec.length);
  const type = typeName(value);
  const text = textOf(value);
  if (text !== undefined) {
    const parsed = parseSpec(spec, type, false);
    if (parsed.type !== "" && parsed.type !== "s") {
      throw unknownCode(parsed.type, type);
    }
    return formatText(ctx, text, parsed);
  }
  const int = intOf(value);
  const float = numberOf(value);
  if (float === undefined) {
    throw typeError(`unsupported format string passed to ${type}.__format__`);
  }
  const parsed = parseSpec(spec, type, true);
  if (int !== undefined) {
    if (parsed.type === "" || "dnbcoxX".includes(parsed.type)) {
      return formatInt(ctx, int, parsed);
    }
    if ("eEfFgG%".includes(parsed.type)) {
      return formatFloat(ctx, intToFloat(int), parsed);
    }
    throw unknownCode(parsed.type, type);
  }
  if (parsed.type !== "" && !"eEfFgGn%".includes(parsed.type)) {
    throw unknownCode(parsed.type, type);
  }
  return formatFloat(ctx, Number(float), parsed);
}

/** `ascii(text)` of a text that `repr` has made. */
export function asciiText(text: string): string {
  return text.replace(/[^\0-\x7f]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    const hex = code.toString(16);
    return code < 0x100
      ? `\\x${hex}`
      : code < 0x10000
        ? `\\u${hex.padStart(4, "0")}`
        : `\\U${hex.padStart(8, "0")}`;
  });
}
