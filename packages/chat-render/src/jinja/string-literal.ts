import { PyError } from "../python/errors.ts";

const simpleEscapes: Readonly<Partial<Record<string, string>>> = {
  "\n": "",
  "\\": "\\",
  "'": "'",
  '"': '"',
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Digits of \x, \u and \U. */
const hexDigits: Readonly<Partial<Record<string, number>>> = { x: 2, u: 4, U: 8 };

/**
 * Characters that `\N{…}` knows. Python has some 140,000 names; the table of them would outweigh this whole package,
 * and a template can write `\uXXXX`, so only the marks that prompts are laid out with are here.
 */
const characterNames: Readonly<Partial<Record<string, string>>> = {
  ASTERISK: "*",
  BULLET: "\u2022",
  "DIGIT ZERO": "0",
  "EM DASH": "\u2014",
  "EN DASH": "\u2013",
  "HORIZONTAL ELLIPSIS": "\u2026",
  "LEFT DOUBLE QUOTATION MARK": "\u201c",
  "LEFT SINGLE QUOTATION MARK": "\u2018",
  "MIDDLE DOT": "\u00b7",
  "NO-BREAK SPACE": "\u00a0",
  "REPLACEMENT CHARACTER": "\ufffd",
  "RIGHT DOUBLE QUOTATION MARK": "\u201d",
  "RIGHT SINGLE QUOTATION MARK": "\u2019",
  "RIGHTWARDS ARROW": "\u2192",
  SPACE: " ",
  "ZERO WIDTH JOINER": "\u200d",
  "ZERO WIDTH NO-BREAK SPACE": "\ufeff",
  "ZERO WIDTH SPACE": "\u200b",
};

function failure(message: string, line: number): PyError {
  return new PyError("TemplateSyntaxError", message, line);
}

/** `\N{…}` at `start`, which is the N. */
function namedCharacter(text: string, start: number, line: number): [character: string, end: number] {
  const end = text[start + 1] === "{" ? text.indexOf("}", start) : -1;
  if (end <= start + 2) {
    throw failure(String.raw`malformed \N character escape`, line);
  }
  const character = characterNames[text.slice(start + 2, end).toUpperCase()];
  if (character === undefined) {
    throw failure("unknown Unicode character name", line);
  }
  return [character, end + 1];
}

function hexCharacter(text: string, start: number, digits: number, line: number): string {
  const hex = text.slice(start + 1, start + 1 + digits);
  if (hex.length < digits || /[^\da-f]/iu.test(hex)) {
    throw failure(`truncated \\${text[start] ?? ""}${"X".repeat(digits)} escape`, line);
  }
  const code = Number.parseInt(hex, 16);
  if (code > 0x10ffff) {
    throw failure("illegal Unicode character", line);
  }
  return String.fromCodePoint(code);
}

/** What Python writes for a character that does not fit into ASCII. */
function backslashReplaced(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  if (code < 0x100) {
    return `x${hex.padStart(2, "0")}`;
  }
  return code < 0x10000 ? `u${hex.padStart(4, "0")}` : `U${hex.padStart(8, "0")}`;
}

/**
 * The value of a string literal from the text between its quotes. Jinja lets Python decode it in two steps, which
 * is why a backslash before a character outside ASCII leaves that character's escape in the text.
 *
 * @throws PyError TemplateSyntaxError for an escape that is cut off.
 */
export function decodeStringLiteral(text: string, line: number): string {
  let at = text.indexOf("\\");
  if (at < 0) {
    return text;
  }
  let decoded = "";
  let copied = 0;
  while (at >= 0) {
    decoded += text.slice(copied, at);
    const character = String.fromCodePoint(text.codePointAt(at + 1) ?? 0x5c);
    const simple = simpleEscapes[character];
    const digits = hexDigits[character];
    const octal = /^[0-7]{1,3}/u.exec(text.slice(at + 1, at + 4))?.[0];
    copied = at + 1 + character.length;
    if (simple !== undefined) {
      decoded += simple;
    } else if (octal !== undefined) {
      decoded += String.fromCharCode(Number.parseInt(octal, 8));
      copied = at + 1 + octal.length;
    } else if (digits !== undefined) {
      decoded += hexCharacter(text, at + 1, digits, line);
      copied += digits;
    } else if (character === "N") {
      const [named, end] = namedCharacter(text, at + 1, line);
      decoded += named;
      copied = end;
    } else {
      decoded += `\\${character > "\x7f" ? backslashReplaced(character) : character}`;
    }
    at = text.indexOf("\\", copied);
  }
  return decoded + text.slice(copied);
}
