import { reprText } from "../python/repr.ts";
import type { Expression, Load, Name, Statement } from "./ast.ts";
import { parseExpression } from "./expression-parser.ts";
import { parseTuple, type TupleOptions } from "./operand-parser.ts";
import { advance, expect, fail, isName, isType, peek, skipName, skipType, type Parser } from "./parser.ts";

function canAssign(target: Expression): boolean {
  switch (target.kind) {
    case "name":
      return !["true", "false", "none", "True", "False", "None"].includes(target.name);
    case "nsref":
      return true;
    case "tuple":
      return target.items.every(canAssign);
    default:
      return false;
  }
}

function markAs(target: Expression, use: "store" | "param"): void {
  if (target.kind === "name") {
    target.use = use;
  } else if (target.kind === "tuple") {
    for (const item of target.items) {
      markAs(item, use);
    }
  }
}

export function parseTarget(
  parser: Parser,
  options: TupleOptions = {},
  use: "store" | "param" = "store",
): Expression {
  const target = parseTuple(parser, { ...options, simplified: true });
  markAs(target, use);
  if (!canAssign(target)) {
    fail(parser, `can't assign to ${reprText(target.kind)}`, target.line);
  }
  return target;
}

export function parseTargetName(parser: Parser, use: "store" | "param" = "store"): Name {
  const { value: name, line } = expect(parser, "name");
  const target: Name = { kind: "name", line, name, use };
  if (!canAssign(target)) {
    fail(parser, "can't assign to 'name'", line);
  }
  return target;
}

export function parseSignature(parser: Parser): { params: Name[]; defaults: Expression[] } {
  const params: Name[] = [];
  const defaults: Expression[] = [];
  expect(parser, "lparen");
  while (!isType(parser, "rparen")) {
    if (params.length > 0) {
      expect(parser, "comma");
    }
    params.push(parseTargetName(parser, "param"));
    if (skipType(parser, "assign")) {
      defaults.push(parseExpression(parser));
    } else if (defaults.length > 0) {
      fail(parser, "non-default argument follows default argument");
    }
  }
  expect(parser, "rparen");
  return { params, defaults };
}

export function parseExtends(parser: Parser): Statement {
  const { line } = advance(parser);
  return { kind: "extends", line, template: parseExpression(parser), names: [], ignoreMissing: false };
}

function isContextClause(parser: Parser): boolean {
  const following = isName(parser, "with") || isName(parser, "without") ? peek(parser) : null;
  return following?.type === "name" && following.value === "context";
}

function skipContextClause(parser: Parser): boolean {
  const found = isContextClause(parser);
  if (found) {
    advance(parser);
    advance(parser);
  }
  return found;
}

export function parseInclude(parser: Parser): Statement {
  const { line } = advance(parser);
  const template = parseExpression(parser);
  let ignoreMissing = false;
  if (isName(parser, "ignore") && peek(parser).value === "missing") {
    ignoreMissing = true;
    advance(parser);
    advance(parser);
  }
  skipContextClause(parser);
  return { kind: "include", line, template, names: [], ignoreMissing };
}

export function parseImport(parser: Parser): Statement {
  const { line } = advance(parser);
  const template = parseExpression(parser);
  expect(parser, "name:as");
  const { name } = parseTargetName(parser);
  skipContextClause(parser);
  return { kind: "import", line, template, names: [name], ignoreMissing: false };
}

export function parseFrom(parser: Parser): Statement {
  const { line } = advance(parser);
  const template = parseExpression(parser);
  expect(parser, "name:import");
  const names: string[] = [];
  for (;;) {
    if (names.length > 0) {
      expect(parser, "comma");
    }
    if (!isType(parser, "name")) {
      expect(parser, "name");
    }
    if (skipContextClause(parser)) {
      break;
    }
    const target = parseTargetName(parser);
    if (target.name.startsWith("_")) {
      const message = "names starting with an underline can not be imported";
      fail(parser, message, target.line, "TemplateAssertionError");
    }
    names.push(skipName(parser, "as") ? parseTargetName(parser).name : target.name);
    if (skipContextClause(parser) || !isType(parser, "comma")) {
      break;
    }
  }
  const load: Load = { kind: "import", line, template, names, ignoreMissing: false };
  return load;
}
