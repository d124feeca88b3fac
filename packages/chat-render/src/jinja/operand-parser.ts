import { reprText } from "../python/repr.ts";
import type { Arguments, Expression, Filter } from "./ast.ts";
import {
  advance,
  checkChain,
  expect,
  fail,
  isName,
  isType,
  nested,
  peek,
  skipName,
  skipType,
  type Parser,
} from "./parser.ts";
import { describeToken, type TokenType } from "./tokens.ts";

const constants: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["True", true],
  ["false", false],
  ["False", false],
  ["none", null],
  ["None", null],
]);

const noArguments: Arguments = { positional: [], keywords: [], spread: null, keywordSpread: null };

const testArgumentStarts: ReadonlySet<TokenType> = new Set<TokenType>([
  "name",
  "string",
  "integer",
  "float",
  "lbracket",
  "lbrace",
]);

export interface TupleOptions {
  /** Only names and literals, as in the target of an assignment. */
  readonly simplified?: boolean;
  readonly conditional?: boolean;
  readonly parenthesized?: boolean;
  /** Whether `ns.attribute` is a target. */
  readonly namespaces?: boolean;
}

/** What operators stand between: names, literals, brackets, and the calls, attributes, filters and tests behind them. */
export function parsePrimary(parser: Parser, namespaces = false): Expression {
  const token = parser.current;
  const { line } = token;
  switch (token.type) {
    case "name":
      return parseName(parser, namespaces);
    case "string": {
      let value = "";
      while (isType(parser, "string")) {
        value += advance(parser).value;
      }
      return { kind: "const", line, value };
    }
    case "integer":
    case "float":
      advance(parser);
      return { kind: "const", line, value: token.number ?? null };
    case "lparen": {
      advance(parser);
      const expression = nested(parser, 1, () => parseTuple(parser, { parenthesized: true }));
      expect(parser, "rparen");
      return expression;
    }
    case "lbracket":
      return parseList(parser);
    case "lbrace":
      return parseDict(parser);
    default:
      return fail(parser, `unexpected ${reprText(describeToken(token))}`, line);
  }
}

function parseName(parser: Parser, namespaces: boolean): Expression {
  const { value: name, line } = advance(parser);
  const constant = constants.get(name);
  if (constant !== undefined) {
    return { kind: "const", line, value: constant };
  }
  if (namespaces && skipType(parser, "dot")) {
    return { kind: "nsref", line, name, attribute: expect(parser, "name").value };
  }
  return { kind: "name", line, name, use: "load" };
}

function isTupleEnd(parser: Parser): boolean {
  const { type } = parser.current;
  return type === "variable_end" || type === "block_end" || type === "rparen";
}

/** An expression, or a tuple where a comma follows it. */
export function parseTuple(parser: Parser, options: TupleOptions = {}): Expression {
  let { line } = parser.current;
  const items: Expression[] = [];
  let isTuple = false;
  while (!isTupleEnd(parser)) {
    items.push(parseTupleItem(parser, options));
    if (!isType(parser, "comma")) {
      break;
    }
    isTuple = true;
    ({ line } = parser.current);
    advance(parser);
  }
  const [first] = items;
  if (!isTuple && first !== undefined) {
    return first;
  }
  if (!isTuple && options.parenthesized !== true) {
    fail(parser, `Expected an expression, got ${reprText(describeToken(parser.current))}`);
  }
  return { kind: "tuple", line, items };
}

function parseTupleItem(parser: Parser, { simplified, conditional, namespaces }: TupleOptions): Expression {
  if (simplified === true) {
    return parsePrimary(parser, namespaces);
  }
  return conditional === false ? parser.rules.unconditional(parser) : parser.rules.expression(parser);
}

function parseList(parser: Parser): Expression {
  const { line } = advance(parser);
  const items: Expression[] = [];
  while (!isType(parser, "rbracket")) {
    if (items.length > 0) {
      expect(parser, "comma");
      if (isType(parser, "rbracket")) {
        break;
      }
    }
    items.push(parser.rules.expression(parser));
  }
  expect(parser, "rbracket");
  return { kind: "list", line, items };
}

function parseDict(parser: Parser): Expression {
  const { line } = advance(parser);
  const items: { key: Expression; value: Expression }[] = [];
  while (!isType(parser, "rbrace")) {
    if (items.length > 0) {
      expect(parser, "comma");
      if (isType(parser, "rbrace")) {
        break;
      }
    }
    const key = parser.rules.expression(parser);
    expect(parser, "colon");
    items.push({ key, value: parser.rules.expression(parser) });
  }
  expect(parser, "rbrace");
  return { kind: "dict", line, items };
}

export function parsePostfix(parser: Parser, expression: Expression): Expression {
  for (let links = 0; ; links = checkChain(links)) {
    const { type } = parser.current;
    if (type === "dot" || type === "lbracket") {
      expression = parseSubscript(parser, expression);
    } else if (type === "lparen") {
      expression = parseCall(parser, expression);
    } else {
      return expression;
    }
  }
}

export function parseFiltersAndTests(parser: Parser, expression: Expression): Expression {
  for (let links = 0; ; links = checkChain(links)) {
    if (isType(parser, "pipe")) {
      expression = parseFilters(parser, expression, false) ?? expression;
    } else if (isName(parser, "is")) {
      expression = parseTest(parser, expression);
    } else if (isType(parser, "lparen")) {
      expression = parseCall(parser, expression);
    } else {
      return expression;
    }
  }
}

function parseSubscript(parser: Parser, object: Expression): Expression {
  const { type, line } = advance(parser);
  if (type === "dot") {
    const token = advance(parser);
    if (token.type === "name") {
      return { kind: "getattr", line, object, attribute: token.value };
    }
    if (token.type !== "integer") {
      fail(parser, "expected name or number", token.line);
    }
    const key: Expression = { kind: "const", line: token.line, value: token.number ?? null };
    return { kind: "getitem", line, object, key };
  }
  const keys: Expression[] = [];
  while (!isType(parser, "rbracket")) {
    if (keys.length > 0) {
      expect(parser, "comma");
    }
    keys.push(nested(parser, 1, parseKey));
  }
  expect(parser, "rbracket");
  const [first] = keys;
  const key: Expression =
    keys.length === 1 && first !== undefined ? first : { kind: "tuple", line, items: keys };
  return { kind: "getitem", line, object, key };
}

/** What stands between square brackets: an expression or a slice. */
function parseKey(parser: Parser): Expression {
  const { line } = parser.current;
  const start = isType(parser, "colon") ? null : parser.rules.expression(parser);
  if (!isType(parser, "colon") && start !== null) {
    return start;
  }
  advance(parser);
  const stop = isSliceEnd(parser) || isType(parser, "colon") ? null : parser.rules.expression(parser);
  const step = skipType(parser, "colon") && !isSliceEnd(parser) ? parser.rules.expression(parser) : null;
  return { kind: "slice", line, start, stop, step };
}

function isSliceEnd(parser: Parser): boolean {
  return isType(parser, "rbracket") || isType(parser, "comma");
}

function parseCall(parser: Parser, callee: Expression): Expression {
  const { line } = parser.current;
  return { kind: "call", line, callee, args: parseArguments(parser) };
}

function parseArguments(parser: Parser): Arguments {
  const { line } = expect(parser, "lparen");
  const positional: Expression[] = [];
  const keywords: { key: string; value: Expression }[] = [];
  let spread: Expression | null = null;
  let keywordSpread: Expression | null = null;
  const ensure = (valid: boolean): void => {
    if (!valid) {
      fail(parser, "invalid syntax for function call expression", line);
    }
  };
  let first = true;
  while (!isType(parser, "rparen")) {
    if (!first) {
      expect(parser, "comma");
      if (isType(parser, "rparen")) {
        break;
      }
    }
    first = false;
    if (isType(parser, "mul")) {
      ensure(spread === null && keywordSpread === null);
      advance(parser);
      spread = parser.rules.expression(parser);
    } else if (isType(parser, "pow")) {
      ensure(keywordSpread === null);
      advance(parser);
      keywordSpread = parser.rules.expression(parser);
    } else if (isType(parser, "name") && peek(parser).type === "assign") {
      ensure(keywordSpread === null);
      const key = advance(parser).value;
      advance(parser);
      keywords.push({ key, value: parser.rules.expression(parser) });
    } else {
      ensure(spread === null && keywordSpread === null && keywords.length === 0);
      positional.push(parser.rules.expression(parser));
    }
  }
  expect(parser, "rparen");
  return { positional, keywords, spread, keywordSpread };
}

function parseDottedName(parser: Parser): string {
  let name = expect(parser, "name").value;
  while (skipType(parser, "dot")) {
    name += `.${expect(parser, "name").value}`;
  }
  return name;
}

/** The filters that follow an expression. `inline`: the first one stands without its bar. */
export function parseFilters(parser: Parser, operand: Expression | null, inline: boolean): Filter | null {
  let filter: Filter | null = null;
  for (let links = 0; inline || isType(parser, "pipe"); links = checkChain(links)) {
    if (!inline) {
      advance(parser);
    }
    inline = false;
    const { line } = parser.current;
    const name = parseDottedName(parser);
    const args = isType(parser, "lparen") ? parseArguments(parser) : noArguments;
    filter = { kind: "filter", line, name, operand: filter ?? operand, args };
  }
  return filter;
}

function parseTest(parser: Parser, operand: Expression): Expression {
  const { line } = advance(parser);
  const negated = skipName(parser, "not");
  const name = parseDottedName(parser);
  let args = noArguments;
  if (isType(parser, "lparen")) {
    args = parseArguments(parser);
  } else if (
    testArgumentStarts.has(parser.current.type) &&
    !["else", "or", "and"].some((word) => isName(parser, word))
  ) {
    if (isName(parser, "is")) {
      fail(parser, "You cannot chain multiple tests with is");
    }
    const argument = nested(parser, 1, () => parsePostfix(parser, parsePrimary(parser)));
    args = { ...noArguments, positional: [argument] };
  }
  const test: Expression = { kind: "test", line, name, operand, args };
  return negated ? { kind: "not", line, operand: test } : test;
}
