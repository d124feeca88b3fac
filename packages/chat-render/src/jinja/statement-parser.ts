import { reprText } from "../python/repr.ts";
import { spaceClass } from "../python/unicode.ts";
import type { Block, Call, Expression, If, Statement, TemplateData } from "./ast.ts";
import { tokenize } from "./lexer.ts";
import { parseExpression, parseUnconditional } from "./expression-parser.ts";
import { parseFilters, parseTuple } from "./operand-parser.ts";
import {
  advance,
  expect,
  fail,
  isToken,
  isType,
  nested,
  parserOf,
  skipName,
  skipType,
  type Parser,
  type Rules,
} from "./parser.ts";
import {
  parseExtends,
  parseFrom,
  parseImport,
  parseInclude,
  parseSignature,
  parseTarget,
  parseTargetName,
} from "./target-parser.ts";
import { describeExpected } from "./tokens.ts";

const onlySpaces = new RegExp(`^[${spaceClass}]+$`, "u");

const rules: Rules = { expression: parseExpression, unconditional: parseUnconditional };

/** Frames of Jinja's parser between a statement and one in its body. */
const STATEMENT_FRAMES = 4;

const statements: ReadonlyMap<string, (parser: Parser) => Statement> = new Map([
  ["for", parseFor],
  ["if", parseIf],
  ["block", parseBlock],
  ["extends", parseExtends],
  ["print", parsePrint],
  ["macro", parseMacro],
  ["include", parseInclude],
  ["from", parseFrom],
  ["import", parseImport],
  ["set", parseSet],
  ["with", parseWith],
  ["autoescape", parseAutoescape],
  ["call", parseCallBlock],
  ["filter", parseFilterBlock],
  ["generation", parseGeneration],
  ["break", (parser) => parseLoopControl(parser, "break")],
  ["continue", (parser) => parseLoopControl(parser, "continue")],
]);

/** Statements up to one of the ends, which becomes the current token, or to the end of the template. */
function parseBody(parser: Parser, ends: readonly string[] | null): Statement[] {
  const body: Statement[] = [];
  let parts: (TemplateData | Expression)[] = [];
  const flush = (): void => {
    const [first] = parts;
    if (first !== undefined) {
      body.push({ kind: "output", line: first.line, parts });
      parts = [];
    }
  };
  if (ends !== null) {
    parser.ends.push(ends);
  }
  while (!isType(parser, "eof")) {
    const token = advance(parser);
    if (token.type === "data") {
      parts.push({ kind: "templatedata", line: token.line, text: token.value });
    } else if (token.type === "variable_begin") {
      parts.push(parseTuple(parser));
      expect(parser, "variable_end");
    } else {
      flush();
      if (ends !== null && ends.some((end) => isToken(parser, end))) {
        parser.ends.pop();
        return body;
      }
      body.push(nested(parser, STATEMENT_FRAMES, parseStatement));
      expect(parser, "block_end");
    }
  }
  flush();
  if (ends !== null) {
    parser.ends.pop();
  }
  return body;
}

function parseStatement(parser: Parser): Statement {
  const token = parser.current;
  if (token.type !== "name") {
    fail(parser, "tag name expected", token.line);
  }
  const parse = statements.get(token.value);
  if (parse === undefined) {
    return failAt(
      parser,
      `Encountered unknown tag ${reprText(token.value)}.`,
      token.value,
      parser.ends,
      token.line,
    );
  }
  parser.tags.push(token.value);
  const statement = parse(parser);
  parser.tags.pop();
  return statement;
}

/** An unknown tag or the end of the template, where the end of an open tag is missing. */
function failAt(
  parser: Parser,
  problem: string,
  tag: string | null,
  ends: readonly (readonly string[])[],
  line: number,
): never {
  let message = problem;
  const wanted =
    ends
      .at(-1)
      ?.map((end) => reprText(describeExpected(end)))
      .join(" or ") ?? "";
  if (wanted !== "") {
    message +=
      tag !== null && ends.flat().some((end) => describeExpected(end) === tag)
        ? ` You probably made a nesting mistake. Jinja is expecting this tag, but currently looking for ${wanted}.`
        : ` Jinja was looking for the following tags: ${wanted}.`;
  }
  const open = parser.tags.at(-1);
  if (open !== undefined) {
    message += ` The innermost block that needs to be closed is ${reprText(open)}.`;
  }
  return fail(parser, message, line);
}

/** The body of a tag; the tag that ends it becomes the current token. */
function parseUntil(parser: Parser, ...ends: string[]): Statement[] {
  skipType(parser, "colon");
  expect(parser, "block_end");
  const names = ends.map((end) => `name:${end}`);
  const body = parseBody(parser, names);
  if (isType(parser, "eof")) {
    failAt(parser, "Unexpected end of template.", null, [...parser.ends, names], parser.current.line);
  }
  return body;
}

function parseTo(parser: Parser, end: string): Statement[] {
  const body = parseUntil(parser, end);
  advance(parser);
  return body;
}

function parseFor(parser: Parser): Statement {
  const { line } = advance(parser);
  const target = parseTarget(parser);
  expect(parser, "name:in");
  const iterable = parseTuple(parser, { conditional: false });
  const test = skipName(parser, "if") ? parseExpression(parser) : null;
  const recursive = skipName(parser, "recursive");
  const body = parseUntil(parser, "endfor", "else");
  const otherwise = advance(parser).value === "endfor" ? [] : parseTo(parser, "endfor");
  return { kind: "for", line, target, iterable, body, otherwise, test, recursive };
}

function parseIf(parser: Parser): Statement {
  const { line } = advance(parser);
  const test = parseTuple(parser, { conditional: false });
  const body = parseUntil(parser, "elif", "else", "endif");
  const elifs: If[] = [];
  let end = advance(parser);
  while (end.value === "elif") {
    const elif = {
      kind: "if",
      line: parser.current.line,
      test: parseTuple(parser, { conditional: false }),
      body: parseUntil(parser, "elif", "else", "endif"),
      elifs: [],
      otherwise: [],
    } as const;
    elifs.push(elif);
    end = advance(parser);
  }
  const otherwise = end.value === "else" ? parseTo(parser, "endif") : [];
  return { kind: "if", line, test, body, elifs, otherwise };
}

function parseWith(parser: Parser): Statement {
  const { line } = advance(parser);
  const targets: Expression[] = [];
  const values: Expression[] = [];
  while (!isType(parser, "block_end")) {
    if (targets.length > 0) {
      expect(parser, "comma");
    }
    targets.push(parseTarget(parser, {}, "param"));
    expect(parser, "assign");
    values.push(parseExpression(parser));
  }
  return { kind: "with", line, targets, values, body: parseTo(parser, "endwith") };
}

function parseAutoescape(parser: Parser): Statement {
  const { line } = advance(parser);
  return { kind: "autoescape", line, value: parseExpression(parser), body: parseTo(parser, "endautoescape") };
}

function parseBlock(parser: Parser): Statement {
  const { line } = advance(parser);
  const name = expect(parser, "name").value;
  const scoped = skipName(parser, "scoped");
  const required = skipName(parser, "required");
  if (isType(parser, "sub")) {
    fail(
      parser,
      "Block names in Jinja have to be valid Python identifiers and may not contain hyphens, use an underscore instead.",
    );
  }
  const body = parseTo(parser, "endblock");
  if (required && !body.every(isBlank)) {
    fail(parser, "Required blocks can only contain comments or whitespace");
  }
  skipName(parser, name);
  const block: Block = { kind: "block", line, name, scoped, required, body };
  return block;
}

function parseSet(parser: Parser): Statement {
  const { line } = advance(parser);
  const target = parseTarget(parser, { namespaces: true });
  if (skipType(parser, "assign")) {
    return { kind: "assign", line, target, value: parseTuple(parser) };
  }
  const filter = parseFilters(parser, null, false);
  return { kind: "assignblock", line, target, filter, body: parseTo(parser, "endset") };
}

function parseCallBlock(parser: Parser): Statement {
  const { line } = advance(parser);
  const signature = isType(parser, "lparen") ? parseSignature(parser) : { params: [], defaults: [] };
  const expression = parseExpression(parser);
  const call: Call = expression.kind === "call" ? expression : fail(parser, "expected call", line);
  return { kind: "callblock", line, ...signature, call, body: parseTo(parser, "endcall") };
}

function parseGeneration(parser: Parser): Statement {
  const { line } = advance(parser);
  const body = parseTo(parser, "endgeneration");
  return { kind: "callblock", line, params: [], defaults: [], call: null, body };
}

function parseFilterBlock(parser: Parser): Statement {
  const { line } = advance(parser);
  const filter = parseFilters(parser, null, true) ?? fail(parser, "filter expected");
  return { kind: "filterblock", line, filter, body: parseTo(parser, "endfilter") };
}

function parseMacro(parser: Parser): Statement {
  const { line } = advance(parser);
  const { name } = parseTargetName(parser);
  return { kind: "macro", line, name, ...parseSignature(parser), body: parseTo(parser, "endmacro") };
}

function parsePrint(parser: Parser): Statement {
  const { line } = advance(parser);
  const parts: Expression[] = [];
  while (!isType(parser, "block_end")) {
    if (parts.length > 0) {
      expect(parser, "comma");
    }
    parts.push(parseExpression(parser));
  }
  return { kind: "output", line, parts };
}

function parseLoopControl(parser: Parser, kind: "break" | "continue"): Statement {
  return { kind, line: advance(parser).line };
}

function isBlank(statement: Statement): boolean {
  return (
    statement.kind === "output" &&
    statement.parts.every((part) => part.kind === "templatedata" && onlySpaces.test(part.text))
  );
}

/**
 * Reads a template into its statements.
 *
 * @throws PyError as Jinja's parser would.
 */
export function parse(template: string): Statement[] {
  return parseBody(parserOf(tokenize(template), rules), null);
}
