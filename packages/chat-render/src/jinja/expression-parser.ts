import type { Binary, Comparator, Conditional, Expression } from "./ast.ts";
import { parseFiltersAndTests, parsePostfix, parsePrimary } from "./operand-parser.ts";
import {
  EXPRESSION_FRAMES,
  advance,
  checkChain,
  isName,
  nested,
  peek,
  skipName,
  skipType,
  type Parser,
  type Rule,
} from "./parser.ts";
import type { TokenType } from "./tokens.ts";

const comparators: Readonly<Partial<Record<TokenType, Comparator>>> = {
  eq: "==",
  ne: "!=",
  lt: "<",
  lteq: "<=",
  gt: ">",
  gteq: ">=",
};

type Operators = Readonly<Partial<Record<TokenType, Binary["kind"]>>>;
const sums: Operators = { add: "add", sub: "sub" };
const products: Operators = { mul: "mul", div: "div", floordiv: "floordiv", mod: "mod" };
const powers: Operators = { pow: "pow" };

/** An expression, with the precedence of Jinja. */
export function parseExpression(parser: Parser): Expression {
  return nested(parser, EXPRESSION_FRAMES, parseConditional);
}

export function parseUnconditional(parser: Parser): Expression {
  return nested(parser, EXPRESSION_FRAMES, parseOr);
}

function parseConditional(parser: Parser): Expression {
  let { line } = parser.current;
  let expression = parseOr(parser);
  for (let links = 0; skipName(parser, "if"); links = checkChain(links)) {
    const test = parseOr(parser);
    const otherwise = skipName(parser, "else") ? nested(parser, 1, parseConditional) : null;
    const conditional: Conditional = { kind: "condexpr", line, test, value: expression, otherwise };
    expression = conditional;
    ({ line } = parser.current);
  }
  return expression;
}

/** `or` and `and`, from left to right. */
function parseLogic(parser: Parser, kind: "or" | "and", parseOperand: Rule): Expression {
  let { line } = parser.current;
  let left = parseOperand(parser);
  for (let links = 0; skipName(parser, kind); links = checkChain(links)) {
    left = { kind, line, left, right: parseOperand(parser) };
    ({ line } = parser.current);
  }
  return left;
}

function parseOr(parser: Parser): Expression {
  return parseLogic(parser, "or", parseAnd);
}

function parseAnd(parser: Parser): Expression {
  return parseLogic(parser, "and", parseNot);
}

function parseNot(parser: Parser): Expression {
  if (!isName(parser, "not")) {
    return parseComparison(parser);
  }
  const { line } = advance(parser);
  return { kind: "not", line, operand: nested(parser, 1, parseNot) };
}

function parseComparator(parser: Parser): Comparator | undefined {
  const comparator = comparators[parser.current.type];
  if (comparator !== undefined) {
    advance(parser);
    return comparator;
  }
  if (skipName(parser, "in")) {
    return "in";
  }
  if (isName(parser, "not")) {
    const following = peek(parser);
    if (following.type === "name" && following.value === "in") {
      advance(parser);
      advance(parser);
      return "not in";
    }
  }
  return undefined;
}

function parseComparison(parser: Parser): Expression {
  const { line } = parser.current;
  const first = parseSum(parser);
  const rest: { comparator: Comparator; operand: Expression }[] = [];
  let comparator = parseComparator(parser);
  while (comparator !== undefined) {
    rest.push({ comparator, operand: parseSum(parser) });
    comparator = parseComparator(parser);
  }
  return rest.length === 0 ? first : { kind: "compare", line, first, rest };
}

/** Operators of one precedence, from left to right. */
function parseOperators(parser: Parser, kinds: Operators, parseOperand: Rule): Expression {
  let { line } = parser.current;
  let left = parseOperand(parser);
  let kind = kinds[parser.current.type];
  for (let links = 0; kind !== undefined; links = checkChain(links)) {
    advance(parser);
    left = { kind, line, left, right: parseOperand(parser) };
    ({ line } = parser.current);
    kind = kinds[parser.current.type];
  }
  return left;
}

const parseUnaryWithFilters = (parser: Parser): Expression => parseUnary(parser, true);
const parsePower = (parser: Parser): Expression => parseOperators(parser, powers, parseUnaryWithFilters);
function parseConcat(parser: Parser): Expression {
  const { line } = parser.current;
  const parts = [parseOperators(parser, products, parsePower)];
  while (skipType(parser, "tilde")) {
    parts.push(parseOperators(parser, products, parsePower));
  }
  const [first] = parts;
  return parts.length === 1 && first !== undefined ? first : { kind: "concat", line, parts };
}

function parseSum(parser: Parser): Expression {
  return parseOperators(parser, sums, parseConcat);
}

function parseUnary(parser: Parser, withFilters: boolean): Expression {
  const { type, line } = parser.current;
  let expression: Expression;
  if (type === "sub" || type === "add") {
    advance(parser);
    const operand = nested(parser, 1, () => parseUnary(parser, false));
    expression = { kind: type === "sub" ? "neg" : "pos", line, operand };
  } else {
    expression = parsePrimary(parser);
  }
  expression = parsePostfix(parser, expression);
  return withFilters ? parseFiltersAndTests(parser, expression) : expression;
}
