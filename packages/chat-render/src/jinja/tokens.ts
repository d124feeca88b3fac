import type { PyError } from "../python/errors.ts";
import type { PyValue } from "../python/value.ts";

const operatorTypes = {
  "+": "add",
  "-": "sub",
  "/": "div",
  "//": "floordiv",
  "*": "mul",
  "%": "mod",
  "**": "pow",
  "~": "tilde",
  "[": "lbracket",
  "]": "rbracket",
  "(": "lparen",
  ")": "rparen",
  "{": "lbrace",
  "}": "rbrace",
  "==": "eq",
  "!=": "ne",
  ">": "gt",
  ">=": "gteq",
  "<": "lt",
  "<=": "lteq",
  "=": "assign",
  ".": "dot",
  ":": "colon",
  "|": "pipe",
  ",": "comma",
  ";": "semicolon",
} as const;

export type OperatorType = (typeof operatorTypes)[keyof typeof operatorTypes];

export type TokenType =
  | OperatorType
  | "data"
  | "variable_begin"
  | "variable_end"
  | "block_begin"
  | "block_end"
  | "name"
  | "string"
  | "integer"
  | "float"
  | "eof";

export interface Token {
  readonly type: TokenType;
  /** The name, the text of a string without its quotes, or the text as it stands in the template. */
  readonly value: string;
  /** From 1. */
  readonly line: number;
  /** The value of a number. */
  readonly number?: PyValue;
}

/** The tokens of a template, up to its end or to the place where it cannot be read any further. */
export interface TokenList {
  readonly tokens: readonly Token[];
  /** Raised by whoever goes past the last token: what the parser says of the tokens before comes first. */
  readonly failure: PyError | null;
}

/** Operators by their text. */
export const operators: ReadonlyMap<string, OperatorType> = new Map(Object.entries(operatorTypes));

const operatorTexts: ReadonlyMap<string, string> = new Map(
  Object.entries(operatorTypes).map(([text, type]) => [type, text]),
);

const descriptions: Readonly<Partial<Record<string, string>>> = {
  block_begin: "begin of statement block",
  block_end: "end of statement block",
  variable_begin: "begin of print statement",
  variable_end: "end of print statement",
  data: "template data / text",
  eof: "end of template",
};

function describeType(type: string): string {
  return operatorTexts.get(type) ?? descriptions[type] ?? type;
}

/** How Jinja's messages name a token. */
export function describeToken(token: Token): string {
  return token.type === "name" ? token.value : describeType(token.type);
}

/** How Jinja's messages name what was expected: a token type, or `name:` with the name. */
export function describeExpected(expected: string): string {
  return expected.startsWith("name:") ? expected.slice(5) : describeType(expected);
}
