import type { MetricsError, MetricsErrorCode } from "../errors.ts";
import { problemAt } from "./problems.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const TAB = 0x09;

/** 1: may stand in a label name; 2: may also begin one; a colon (4) only stands in metric names. */
const WORD_CLASS = wordClasses();

function wordClasses(): Uint8Array {
  const classes = new Uint8Array(128);
  for (let code = 0; code < 128; code++) {
    const character = String.fromCharCode(code);
    if (/[a-zA-Z_]/.test(character)) classes[code] = 3;
    else if (/\d/.test(character)) classes[code] = 1;
    else if (character === ":") classes[code] = 4;
  }
  return classes;
}

/**
 * Words that come again on nearly every line (label names, the model's name) are taken from here instead of being cut
 * out of the page once more: a page of 50,000 lines then holds them once.
 */
class WordCache {
  readonly #words: (string | undefined)[];
  readonly #mask: number;
  readonly #keep: (word: string) => string;

  constructor(bits: number, keep: (word: string) => string) {
    this.#mask = (1 << bits) - 1;
    this.#words = Array.from({ length: 1 << bits }, () => undefined);
    this.#keep = keep;
  }

  take(text: string, start: number, end: number, hash: number): string {
    const slot = hash & this.#mask;
    const known = this.#words[slot];
    if (known !== undefined && known.length === end - start && text.startsWith(known, start)) return known;
    const word = this.#keep(text.slice(start, end));
    this.#words[slot] = word;
    return word;
  }
}

/** Engines of JavaScript copy shorter pieces of a text anyway. */
const LONGEST_COPIED = 12;

/** A text that does not keep the piece of the page alive from which it was cut. */
export function detached(text: string): string {
  return text.length > LONGEST_COPIED ? ` ${text}`.slice(1) : text;
}

/** A word in the form in which engines of JavaScript keep names of properties: it is then found at once. */
function asPropertyName(word: string): string {
  return Object.keys({ [word]: 0 })[0] ?? word;
}

const MOST_NAMES = 4096;

/** Engines of JavaScript keep such names for long: a page that has a new one in each place gets a few of them only. */
function boundedly(keep: (word: string) => string): (word: string) => string {
  let kept = 0;
  return (word) => (kept++ < MOST_NAMES ? keep(word) : detached(word));
}

function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < text.length; at++) hash = (hash * 31 + text.charCodeAt(at)) | 0;
  return hash;
}

/** Longer values are seldom the same twice. */
const LONGEST_CACHED = 64;

/** Reads one line of a text that may hold many, from left to right. */
export class LineScanner {
  text = "";
  position = 0;
  /** Behind the last character of the line. */
  end = 0;
  /** Hash of the name or quoted text that was taken last. */
  hash = 0;
  /** Room for the names of one sample's labels. */
  readonly labelNames: string[] = [];
  readonly #names = new WordCache(8, detached);
  readonly #labelNames = new WordCache(8, boundedly(asPropertyName));
  readonly #values = new WordCache(10, detached);
  #lineStart = 0;
  #line = 0;

  reset(text: string, start: number, end: number, line: number): void {
    this.text = text;
    this.position = start;
    this.end = end;
    this.#lineStart = start;
    this.#line = line;
  }

  /** Code of the character here; -1 at the end. */
  peek(): number {
    return this.position < this.end ? this.text.charCodeAt(this.position) : -1;
  }

  atEnd(): boolean {
    return this.position >= this.end;
  }

  skipBlanks(): void {
    const { text, end } = this;
    let at = this.position;
    while (at < end) {
      const code = text.charCodeAt(at);
      if (code !== SPACE && code !== TAB) break;
      at++;
    }
    this.position = at;
  }

  /** A bare metric or label name; empty when none begins here. */
  takeName(allowColon: boolean): string {
    const { text, end } = this;
    const start = this.position;
    const rest = allowColon ? 5 : 1;
    let wanted = allowColon ? 6 : 2;
    let hash = 0;
    let at = start;
    for (; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code > 127 || ((WORD_CLASS[code] ?? 0) & wanted) === 0) break;
      wanted = rest;
      hash = (hash * 31 + code) | 0;
    }
    this.position = at;
    this.hash = hash;
    if (at === start) return "";
    return (allowColon ? this.#names : this.#labelNames).take(text, start, at, hash);
  }

  /** What stands up to the next blank; empty at the end. */
  takeWord(): string {
    const { text, end } = this;
    const start = this.position;
    let at = start;
    while (at < end) {
      const code = text.charCodeAt(at);
      if (code === SPACE || code === TAB) break;
      at++;
    }
    this.position = at;
    return text.slice(start, at);
  }

  /**
   * The text between quotes, from the opening quote on.
   *
   * @param what names it in messages
   */
  takeQuoted(what: string): string {
    const { text, end } = this;
    const opening = this.position;
    const start = opening + 1;
    let hash = 0;
    for (let at = start; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        this.position = at + 1;
        this.hash = hash;
        return at - start > LONGEST_CACHED ? text.slice(start, at) : this.#values.take(text, start, at, hash);
      }
      if (code === BACKSLASH) return this.#takeEscaped(what, opening, at);
      hash = (hash * 31 + code) | 0;
    }
    throw this.error(`the ${what} is not closed`, opening);
  }

  #takeEscaped(what: string, opening: number, firstEscape: number): string {
    const { text, end } = this;
    const parts: string[] = [text.slice(opening + 1, firstEscape)];
    let from = firstEscape;
    for (let at = firstEscape; at < end; at++) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        parts.push(text.slice(from, at));
        this.position = at + 1;
        const unescaped = parts.join("");
        this.hash = hashOf(unescaped);
        return unescaped;
      }
      if (code !== BACKSLASH) continue;
      const escaped = at + 1 < end ? text[at + 1] : undefined;
      if (escaped !== "n" && escaped !== "\\" && escaped !== '"') {
        throw this.error(`unknown escape in the ${what}`, at);
      }
      parts.push(text.slice(from, at), escaped === "n" ? "\n" : escaped);
      at++;
      from = at + 1;
    }
    throw this.error(`the ${what} is not closed`, opening);
  }

  error(
    what: string,
    position = this.position,
    code: Extract<MetricsErrorCode, `EXPOSITION_${string}`> = "EXPOSITION_INVALID",
  ): MetricsError {
    return problemAt(this.#line, position - this.#lineStart + 1, what, code);
  }
}
