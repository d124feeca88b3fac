import { RenderError } from "../error.ts";
import { MAX_INT_DIGITS } from "./numbers.ts";
import { PyDict, pyFloat, pyInt, type PyValue } from "./value.ts";

/** Bounds of the JSON text that is read. */
export interface JsonLimits {
  /** UTF-16 units of text. */
  readonly chars: number;
  /** Lists and objects inside each other. */
  readonly depth: number;
  /** Values altogether. */
  readonly values: number;
}

const defaultLimits: JsonLimits = { chars: 64 * 1024 * 1024, depth: 500, values: 5_000_000 };

const space = /[ \t\n\r]*/y;
// Everything but the end of the text, an escape and control characters.
// oxlint-disable-next-line no-control-regex
const plain = /[^"\\\0-\x1f]*/y;
const number = /(-?(?:0|[1-9]\d*))(\.\d+)?([eE][-+]?\d+)?/y;
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};
const words: Readonly<Record<string, PyValue>> = {
  null: null,
  true: true,
  false: false,
  NaN: Number.NaN,
  Infinity,
  "-Infinity": -Infinity,
};

class Reader {
  readonly #text: string;
  readonly #limits: JsonLimits;
  #at = 0;
  #values = 0;

  constructor(text: string, limits: JsonLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  read(): PyValue {
    if (this.#text.length > this.#limits.chars) {
      throw this.#refused(`the text has more than ${this.#limits.chars} characters`);
    }
    // Files of some editors begin with a mark, which is no part of the text.
    this.#at = this.#text.startsWith("\ufeff") ? 1 : 0;
    this.#skipSpace();
    const value = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) {
      throw this.#refused("more text after the value");
    }
    return value;
  }

  #refused(what: string, at = this.#at): RenderError {
    const before = this.#text.slice(0, at);
    const line = before.split("\n").length;
    const column = at - (before.lastIndexOf("\n") + 1) + 1;
    return new RenderError("MESSAGES_INVALID", `JSON at ${line}:${column}: ${what}`);
  }

  #skipSpace(): void {
    space.lastIndex = this.#at;
    space.exec(this.#text);
    this.#at = space.lastIndex;
  }

  #value(depth: number): PyValue {
    this.#values += 1;
    if (this.#values > this.#limits.values) {
      throw this.#refused(`more than ${this.#limits.values} values`);
    }
    switch (this.#text.charAt(this.#at)) {
      case '"':
        return this.#string();
      case "{":
        return this.#object(depth + 1);
      case "[":
        return this.#array(depth + 1);
      default:
        return this.#numberOrWord();
    }
  }

  #numberOrWord(): PyValue {
    number.lastIndex = this.#at;
    const match = number.exec(this.#text);
    if (match === null) {
      for (const [word, value] of Object.entries(words)) {
        if (this.#text.startsWith(word, this.#at)) {
          this.#at += word.length;
          return value;
        }
      }
      throw this.#refused(
        this.#at < this.#text.length ? "expected a value" : "the text ends where a value is expected",
      );
    }
    const [all, whole = "", fraction, exponent] = match;
    if (fraction === undefined && exponent === undefined) {
      if (whole.length > MAX_INT_DIGITS) {
        throw this.#refused(`a whole number of more than ${MAX_INT_DIGITS} digits`);
      }
      this.#at += all.length;
      return whole.length < 16 ? Number(whole) + 0 : pyInt(BigInt(whole));
    }
    this.#at += all.length;
    return pyFloat(Number(all));
  }

  #string(): string {
    const start = this.#at;
    let result = "";
    this.#at += 1;
    for (;;) {
      plain.lastIndex = this.#at;
      const part = plain.exec(this.#text)?.[0] ?? "";
      result += part;
      this.#at += part.length;
      const next = this.#text.charAt(this.#at);
      if (next === '"') {
        this.#at += 1;
        return result;
      }
      if (next === "") {
        throw this.#refused("a string that does not end", start);
      }
      if (next !== "\\") {
        throw this.#refused("a control character in a string must be escaped");
      }
      result += this.#escape();
    }
  }

  #escape(): string {
    const letter = this.#text.charAt(this.#at + 1);
    if (letter === "u") {
      const hex = this.#text.slice(this.#at + 2, this.#at + 6);
      if (!/^[\da-fA-F]{4}$/.test(hex)) {
        throw this.#refused("\\u needs four hexadecimal digits");
      }
      this.#at += 6;
      return String.fromCharCode(Number.parseInt(hex, 16));
    }
    const character = escapes[letter];
    if (character === undefined) {
      throw this.#refused("an escape that JSON does not know");
    }
    this.#at += 2;
    return character;
  }

  #enter(depth: number): void {
    if (depth > this.#limits.depth) {
      throw this.#refused(`nested deeper than ${this.#limits.depth} levels`);
    }
    this.#at += 1;
    this.#skipSpace();
  }

  /** True where another item follows, false at the end. */
  #more(end: string): boolean {
    this.#skipSpace();
    const next = this.#text.charAt(this.#at);
    if (next !== "," && next !== end) {
      throw this.#refused(`expected "," or "${end}"`);
    }
    this.#at += 1;
    return next === ",";
  }

  #array(depth: number): PyValue[] {
    this.#enter(depth);
    const items: PyValue[] = [];
    if (this.#text.charAt(this.#at) === "]") {
      this.#at += 1;
      return items;
    }
    do {
      this.#skipSpace();
      items.push(this.#value(depth));
    } while (this.#more("]"));
    return items;
  }

  #object(depth: number): PyDict {
    this.#enter(depth);
    const dict = new PyDict();
    if (this.#text.charAt(this.#at) === "}") {
      this.#at += 1;
      return dict;
    }
    do {
      this.#skipSpace();
      if (this.#text.charAt(this.#at) !== '"') {
        throw this.#refused("expected a key in double quotes");
      }
      const key = this.#string();
      this.#skipSpace();
      if (this.#text.charAt(this.#at) !== ":") {
        throw this.#refused('expected ":"');
      }
      this.#at += 1;
      this.#skipSpace();
      dict.set(key, this.#value(depth));
    } while (this.#more("}"));
    return dict;
  }
}

/**
 * Reads JSON as Python's `json.loads` does: `1.0` stays a float, ints have any size, keys keep their order, of a key that
 * is there twice the last value counts at the first place, and NaN and Infinity are numbers.
 *
 * @throws RenderError `MESSAGES_INVALID` with line and column for what is no JSON, too long or nested too deeply
 */
export function parseJson(text: string, limits: Partial<JsonLimits> = {}): PyValue {
  if (typeof text !== "string") {
    throw new RenderError("MESSAGES_INVALID", `JSON: expected a text, got a ${typeof text}`);
  }
  return new Reader(text, { ...defaultLimits, ...limits }).read();
}
