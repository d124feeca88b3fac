import { valueError } from "./errors.ts";
import { tooManyDigits } from "./refusals.ts";
import { MAX_INT_DIGITS } from "./numbers.ts";
import { reprText } from "./repr.ts";
import { strip } from "./methods/str-search.ts";
import { pyInt } from "./value.ts";

/** The ASCII form of decimal digits of any script. */
function asciiDigits(text: string): string {
  return text.replace(/[^\0-\x7f]/gu, (character) => {
    if (!/\p{Nd}/u.test(character)) {
      return character;
    }
    // Decimal digits stand in runs of ten that begin with zero.
    let zero = character.codePointAt(0) ?? 0;
    let value = 0;
    while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) {
      zero -= 1;
      value += 1;
    }
    return String(value);
  });
}

const prefixes: Readonly<Record<string, number>> = { "0b": 2, "0o": 8, "0x": 16 };

/** Digits of a base that BigInt cannot read by itself. */
function fromDigits(digits: string, radix: number): bigint {
  let value = 0n;
  for (const digit of digits) {
    value = value * BigInt(radix) + BigInt(Number.parseInt(digit, 36));
  }
  return value;
}

/** `int(text, base)`. */
export function parseInteger(text: string, base: number): number | bigint {
  if (base !== 0 && (base < 2 || base > 36)) {
    throw valueError("int() base must be >= 2 and <= 36, or 0");
  }
  const [, sign = "", written = ""] = /^([+-]?)(.*)$/s.exec(asciiDigits(strip(text, null, "both"))) ?? [];
  let digits = written.toLowerCase();
  let radix = base;
  const prefixBase = prefixes[digits.slice(0, 2)];
  if (prefixBase !== undefined && (base === 0 || base === prefixBase)) {
    radix = prefixBase;
    digits = digits.slice(2).replace(/^_/, "");
  } else if (base === 0) {
    radix = 10;
  }
  const grouped = /^[\da-z]+(?:_[\da-z]+)*$/.test(digits);
  digits = digits.replaceAll("_", "");
  const last = radix <= 10 ? "" : `a-${(radix - 1).toString(36)}`;
  const known = new RegExp(`^[0-${Math.min(radix - 1, 9)}${last}]*$`).test(digits);
  if (!grouped || !known || (base === 0 && radix === 10 && /^0+[1-9]/.test(digits))) {
    throw valueError(`invalid literal for int() with base ${base}: ${reprText(text)}`);
  }
  const powerOfTwo = (radix & (radix - 1)) === 0;
  if (!powerOfTwo && digits.length > MAX_INT_DIGITS) {
    throw tooManyDigits(MAX_INT_DIGITS, `: value has ${digits.length} digits`);
  }
  const prefix = radix === 10 ? "" : Object.keys(prefixes).find((key) => prefixes[key] === radix);
  const value = prefix === undefined ? fromDigits(digits, radix) : BigInt(prefix + digits);
  return pyInt(sign === "-" ? -value : value);
}

const floatPattern = /^[+-]?(?:\d+(?:_\d+)*\.?(?:\d+(?:_\d+)*)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/i;

/** `float(text)`; undefined where Python raises ValueError. */
export function parseFloatText(text: string): number | undefined {
  const plain = asciiDigits(strip(text, null, "both"));
  if (floatPattern.test(plain)) {
    return Number(plain.replaceAll("_", ""));
  }
  const named = /^([+-]?)(inf|infinity|nan)$/i.exec(plain);
  if (named === null) {
    return undefined;
  }
  return /nan/i.test(named[2] ?? "") ? Number.NaN : named[1] === "-" ? -Infinity : Infinity;
}
