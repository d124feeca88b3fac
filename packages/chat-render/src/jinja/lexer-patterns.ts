import { spaceClass } from "../python/unicode.ts";

const space = `[${spaceClass}]`;
export const tagStart = /\{[{%#]/gu;
export const rawBegin = new RegExp(`\\{%([-+]?)${space}*raw${space}*(?:-%\\}${space}*|%\\})`, "yu");
export const rawEnd = new RegExp(
  `\\{%([-+]?)${space}*endraw${space}*(?:\\+%\\}|-%\\}${space}*|%\\}\\n?)`,
  "yu",
);
export const blockEnd = new RegExp(`\\+%\\}|-%\\}${space}*|%\\}\\n?`, "yu");
export const variableEnd = new RegExp(`-\\}\\}${space}*|\\}\\}`, "yu");
export const spaces = new RegExp(`${space}+`, "yu");
export const onlySpaces = new RegExp(`^${space}+$`, "u");
const oneSpace = new RegExp(space, "u");
export const float = /(?<!\.)(?:\d+_)*\d+(?:(?:\.(?:\d+_)*\d+)?e[+-]?(?:\d+_)*\d+|\.(?:\d+_)*\d+)/iuy;
export const integer = /0b(?:_?[01])+|0o(?:_?[0-7])+|0x(?:_?[\da-f])+|[1-9](?:_?\d)*|0(?:_?0)*/iuy;
export const word = /[\p{L}\p{N}_\p{XID_Continue}]+/uy;
export const identifier = /^[\p{XID_Start}_]\p{XID_Continue}*$/u;

export const SPACE = 0x20;
export const NEWLINE = 0x0a;

/** What a closing delimiter can begin with. */
export const endStarts: ReadonlySet<number> = new Set(
  Array.from("-+%}", (character) => character.charCodeAt(0)),
);

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Of names in ASCII. */
export function isNameStart(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f;
}

export const closers: Readonly<Partial<Record<string, string>>> = { "{": "}", "(": ")", "[": "]" };

export function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) {
    count += 1;
  }
  return count;
}

export function withoutTrailingSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && oneSpace.test(text[end - 1] ?? "")) {
    end -= 1;
  }
  return text.slice(0, end);
}
