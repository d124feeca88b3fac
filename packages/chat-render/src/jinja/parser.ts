import { PyError, recursionError } from "../python/errors.ts";
import { reprText } from "../python/repr.ts";
import type { Expression } from "./ast.ts";
import { describeExpected, describeToken, type Token, type TokenList, type TokenType } from "./tokens.ts";

/** Calls that Jinja's own parser may nest before Python's stack ends. */
const MAX_FRAMES = 970;

/** Operators, attributes or filters in a row that Jinja's compiler surely cannot follow. */
const MAX_CHAIN = 1000;

/** Frames of Jinja's parser between an expression and one in brackets within it. */
export const EXPRESSION_FRAMES = 13;

/** Reads one part of the grammar. */
export type Rule = (parser: Parser) => Expression;

/** What operands hold that is itself made of operands. */
export interface Rules {
  readonly expression: Rule;
  /** An expression that is no `a if b else c`. */
  readonly unconditional: Rule;
}

/** Where the parser is. The parts of the grammar are functions, whose names a minifier can shorten. */
export interface Parser {
  current: Token;
  index: number;
  frames: number;
  readonly list: TokenList;
  readonly rules: Rules;
  /** Tags that are open. */
  readonly tags: string[];
  /** What may end the bodies that are open. */
  readonly ends: (readonly string[])[];
}

function tokenAt({ tokens, failure }: TokenList, index: number): Token {
  const token = tokens[index];
  if (token !== undefined) {
    return token;
  }
  if (failure !== null) {
    throw failure;
  }
  return { type: "eof", value: "", line: tokens.at(-1)?.line ?? 1 };
}

export function parserOf(list: TokenList, rules: Rules): Parser {
  return { current: tokenAt(list, 0), index: 0, frames: 0, list, rules, tags: [], ends: [] };
}

/** Goes one token ahead and returns the one that was current. */
export function advance(parser: Parser): Token {
  const token = parser.current;
  parser.index += 1;
  parser.current = tokenAt(parser.list, parser.index);
  return token;
}

/** The token after the current one. */
export function peek(parser: Parser): Token {
  return tokenAt(parser.list, parser.index + 1);
}

export function isType(parser: Parser, type: TokenType): boolean {
  return parser.current.type === type;
}

export function isName({ current }: Parser, name: string): boolean {
  return current.type === "name" && current.value === name;
}

/** Whether the current token is of a type, or the name of `name:` with a name. */
export function isToken(parser: Parser, expected: string): boolean {
  return expected.startsWith("name:") ? isName(parser, expected.slice(5)) : parser.current.type === expected;
}

function skipIf(parser: Parser, found: boolean): boolean {
  if (found) {
    advance(parser);
  }
  return found;
}

export function skipType(parser: Parser, type: TokenType): boolean {
  return skipIf(parser, isType(parser, type));
}

export function skipName(parser: Parser, name: string): boolean {
  return skipIf(parser, isName(parser, name));
}

export function fail(
  parser: Parser,
  message: string,
  line = parser.current.line,
  pythonClass = "TemplateSyntaxError",
): never {
  throw new PyError(pythonClass, message, line);
}

/** @throws PyError TemplateSyntaxError where another token stands. */
export function expect(parser: Parser, expected: string): Token {
  if (isToken(parser, expected)) {
    return advance(parser);
  }
  const wanted = reprText(describeExpected(expected));
  return fail(
    parser,
    isType(parser, "eof")
      ? `unexpected end of template, expected ${wanted}.`
      : `expected token ${wanted}, got ${reprText(describeToken(parser.current))}`,
  );
}

/** Runs a part of the parser that Python would run `frames` deeper. */
export function nested<Result>(parser: Parser, frames: number, parse: (parser: Parser) => Result): Result {
  parser.frames += frames;
  if (parser.frames > MAX_FRAMES) {
    throw recursionError();
  }
  const result = parse(parser);
  parser.frames -= frames;
  return result;
}

/** Counts the links of an expression that grows to the right, whose parts lie ever deeper. */
export function checkChain(links: number): number {
  if (links > MAX_CHAIN) {
    throw recursionError();
  }
  return links + 1;
}
