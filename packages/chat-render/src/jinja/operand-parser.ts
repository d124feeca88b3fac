import { reprText } from "../python/repr.ts";
import type { Arguments, Expression, Filter } from "./ast.ts";
import { ParserBase } from "./parser-base.ts";
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
export abstract class OperandParser extends ParserBase {
  protected parsePrimary(namespaces = false): Expression {
    const token = this.stream.current;
    const { line } = token;
    switch (token.type) {
      case "name":
        return this.parseName(namespaces);
      case "string": {
        let value = "";
        while (this.stream.isType("string")) {
          value += this.stream.next().value;
        }
        return { kind: "const", line, value };
      }
      case "integer":
      case "float":
        this.stream.next();
        return { kind: "const", line, value: token.number ?? null };
      case "lparen": {
        this.stream.next();
        const expression = this.nested(1, () => this.parseTuple({ parenthesized: true }));
        this.stream.expect("rparen");
        return expression;
      }
      case "lbracket":
        return this.parseList();
      case "lbrace":
        return this.parseDict();
      default:
        return this.stream.fail(`unexpected ${reprText(describeToken(token))}`, line);
    }
  }

  private parseName(namespaces: boolean): Expression {
    const { value: name, line } = this.stream.next();
    const constant = constants.get(name);
    if (constant !== undefined) {
      return { kind: "const", line, value: constant };
    }
    if (namespaces && this.stream.skipType("dot")) {
      return { kind: "nsref", line, name, attribute: this.stream.expect("name").value };
    }
    return { kind: "name", line, name, use: "load" };
  }

  private isTupleEnd(): boolean {
    const { type } = this.stream.current;
    return type === "variable_end" || type === "block_end" || type === "rparen";
  }

  /** An expression, or a tuple where a comma follows it. */
  parseTuple(options: TupleOptions = {}): Expression {
    let { line } = this.stream.current;
    const items: Expression[] = [];
    let isTuple = false;
    while (!this.isTupleEnd()) {
      items.push(this.parseTupleItem(options));
      if (!this.stream.isType("comma")) {
        break;
      }
      isTuple = true;
      ({ line } = this.stream.current);
      this.stream.next();
    }
    const [first] = items;
    if (!isTuple && first !== undefined) {
      return first;
    }
    if (!isTuple && options.parenthesized !== true) {
      this.stream.fail(`Expected an expression, got ${reprText(describeToken(this.stream.current))}`);
    }
    return { kind: "tuple", line, items };
  }

  private parseTupleItem({ simplified, conditional, namespaces }: TupleOptions): Expression {
    if (simplified === true) {
      return this.parsePrimary(namespaces);
    }
    return conditional === false ? this.parseUnconditional() : this.parseExpression();
  }

  private parseList(): Expression {
    const { line } = this.stream.next();
    const items: Expression[] = [];
    while (!this.stream.isType("rbracket")) {
      if (items.length > 0) {
        this.stream.expect("comma");
        if (this.stream.isType("rbracket")) {
          break;
        }
      }
      items.push(this.parseExpression());
    }
    this.stream.expect("rbracket");
    return { kind: "list", line, items };
  }

  private parseDict(): Expression {
    const { line } = this.stream.next();
    const items: { key: Expression; value: Expression }[] = [];
    while (!this.stream.isType("rbrace")) {
      if (items.length > 0) {
        this.stream.expect("comma");
        if (this.stream.isType("rbrace")) {
          break;
        }
      }
      const key = this.parseExpression();
      this.stream.expect("colon");
      items.push({ key, value: this.parseExpression() });
    }
    this.stream.expect("rbrace");
    return { kind: "dict", line, items };
  }

  protected parsePostfix(expression: Expression): Expression {
    for (let links = 0; ; links = this.checkChain(links)) {
      const { type } = this.stream.current;
      if (type === "dot" || type === "lbracket") {
        expression = this.parseSubscript(expression);
      } else if (type === "lparen") {
        expression = this.parseCall(expression);
      } else {
        return expression;
      }
    }
  }

  protected parseFiltersAndTests(expression: Expression): Expression {
    for (let links = 0; ; links = this.checkChain(links)) {
      if (this.stream.isType("pipe")) {
        expression = this.parseFilters(expression, false) ?? expression;
      } else if (this.stream.isName("is")) {
        expression = this.parseTest(expression);
      } else if (this.stream.isType("lparen")) {
        expression = this.parseCall(expression);
      } else {
        return expression;
      }
    }
  }

  private parseSubscript(object: Expression): Expression {
    const { type, line } = this.stream.next();
    if (type === "dot") {
      const token = this.stream.next();
      if (token.type === "name") {
        return { kind: "getattr", line, object, attribute: token.value };
      }
      if (token.type !== "integer") {
        this.stream.fail("expected name or number", token.line);
      }
      const key: Expression = { kind: "const", line: token.line, value: token.number ?? null };
      return { kind: "getitem", line, object, key };
    }
    const keys: Expression[] = [];
    while (!this.stream.isType("rbracket")) {
      if (keys.length > 0) {
        this.stream.expect("comma");
      }
      keys.push(this.nested(1, () => this.parseKey()));
    }
    this.stream.expect("rbracket");
    const [first] = keys;
    const key: Expression =
      keys.length === 1 && first !== undefined ? first : { kind: "tuple", line, items: keys };
    return { kind: "getitem", line, object, key };
  }

  /** What stands between square brackets: an expression or a slice. */
  private parseKey(): Expression {
    const { line } = this.stream.current;
    const start = this.stream.isType("colon") ? null : this.parseExpression();
    if (!this.stream.isType("colon") && start !== null) {
      return start;
    }
    this.stream.next();
    const stop = this.isSliceEnd() || this.stream.isType("colon") ? null : this.parseExpression();
    const step = this.stream.skipType("colon") && !this.isSliceEnd() ? this.parseExpression() : null;
    return { kind: "slice", line, start, stop, step };
  }

  private isSliceEnd(): boolean {
    return this.stream.isType("rbracket") || this.stream.isType("comma");
  }

  private parseCall(callee: Expression): Expression {
    const { line } = this.stream.current;
    return { kind: "call", line, callee, args: this.parseArguments() };
  }

  private parseArguments(): Arguments {
    const { line } = this.stream.expect("lparen");
    const positional: Expression[] = [];
    const keywords: { key: string; value: Expression }[] = [];
    let spread: Expression | null = null;
    let keywordSpread: Expression | null = null;
    const ensure = (valid: boolean): void => {
      if (!valid) {
        this.stream.fail("invalid syntax for function call expression", line);
      }
    };
    let first = true;
    while (!this.stream.isType("rparen")) {
      if (!first) {
        this.stream.expect("comma");
        if (this.stream.isType("rparen")) {
          break;
        }
      }
      first = false;
      if (this.stream.isType("mul")) {
        ensure(spread === null && keywordSpread === null);
        this.stream.next();
        spread = this.parseExpression();
      } else if (this.stream.isType("pow")) {
        ensure(keywordSpread === null);
        this.stream.next();
        keywordSpread = this.parseExpression();
      } else if (this.stream.isType("name") && this.stream.look().type === "assign") {
        ensure(keywordSpread === null);
        const key = this.stream.next().value;
        this.stream.next();
        keywords.push({ key, value: this.parseExpression() });
      } else {
        ensure(spread === null && keywordSpread === null && keywords.length === 0);
        positional.push(this.parseExpression());
      }
    }
    this.stream.expect("rparen");
    return { positional, keywords, spread, keywordSpread };
  }

  private parseDottedName(): string {
    let name = this.stream.expect("name").value;
    while (this.stream.skipType("dot")) {
      name += `.${this.stream.expect("name").value}`;
    }
    return name;
  }

  /** The filters that follow an expression. `inline`: the first one stands without its bar. */
  protected parseFilters(operand: Expression | null, inline: boolean): Filter | null {
    let filter: Filter | null = null;
    for (let links = 0; inline || this.stream.isType("pipe"); links = this.checkChain(links)) {
      if (!inline) {
        this.stream.next();
      }
      inline = false;
      const { line } = this.stream.current;
      const name = this.parseDottedName();
      const args = this.stream.isType("lparen") ? this.parseArguments() : noArguments;
      filter = { kind: "filter", line, name, operand: filter ?? operand, args };
    }
    return filter;
  }

  private parseTest(operand: Expression): Expression {
    const { line } = this.stream.next();
    const negated = this.stream.skipName("not");
    const name = this.parseDottedName();
    let args = noArguments;
    if (this.stream.isType("lparen")) {
      args = this.parseArguments();
    } else if (
      testArgumentStarts.has(this.stream.current.type) &&
      !["else", "or", "and"].some((word) => this.stream.isName(word))
    ) {
      if (this.stream.isName("is")) {
        this.stream.fail("You cannot chain multiple tests with is");
      }
      const argument = this.nested(1, () => this.parsePostfix(this.parsePrimary()));
      args = { ...noArguments, positional: [argument] };
    }
    const test: Expression = { kind: "test", line, name, operand, args };
    return negated ? { kind: "not", line, operand: test } : test;
  }
}
