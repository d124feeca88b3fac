import { recursionError } from "../python/errors.ts";
import { reprText } from "../python/repr.ts";
import type { Arguments, Binary, Comparator, Conditional, Expression, Filter } from "./ast.ts";
import type { TokenStream } from "./token-stream.ts";
import { describeToken, type TokenType } from "./tokens.ts";

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

/** Calls that Jinja's own parser may nest before Python's stack ends. */
const MAX_FRAMES = 970;

/** Frames of Jinja's parser between an expression and one in brackets within it. */
const EXPRESSION_FRAMES = 13;

/** Operators, attributes or filters in a row that Jinja's compiler surely cannot follow. */
const MAX_CHAIN = 1000;

/** Expressions, with the precedence of Jinja. */
export class ExpressionParser {
  protected readonly stream: TokenStream;
  private frames = 0;

  constructor(stream: TokenStream) {
    this.stream = stream;
  }

  /** Runs a part of the parser that Python would run `frames` deeper. */
  protected nested<Result>(frames: number, parse: () => Result): Result {
    this.frames += frames;
    if (this.frames > MAX_FRAMES) {
      throw recursionError();
    }
    const result = parse();
    this.frames -= frames;
    return result;
  }

  /** Counts the links of an expression that grows to the right, whose parts lie ever deeper. */
  private checkChain(links: number): number {
    if (links > MAX_CHAIN) {
      throw recursionError();
    }
    return links + 1;
  }

  parseExpression(): Expression {
    return this.nested(EXPRESSION_FRAMES, () => this.parseConditional());
  }

  private parseConditional(): Expression {
    let { line } = this.stream.current;
    let expression = this.parseOr();
    for (let links = 0; this.stream.skipName("if"); links = this.checkChain(links)) {
      const test = this.parseOr();
      const otherwise = this.stream.skipName("else") ? this.nested(1, () => this.parseConditional()) : null;
      const conditional: Conditional = { kind: "condexpr", line, test, value: expression, otherwise };
      expression = conditional;
      ({ line } = this.stream.current);
    }
    return expression;
  }

  private parseOr(): Expression {
    let { line } = this.stream.current;
    let left = this.parseAnd();
    for (let links = 0; this.stream.skipName("or"); links = this.checkChain(links)) {
      left = { kind: "or", line, left, right: this.parseAnd() };
      ({ line } = this.stream.current);
    }
    return left;
  }

  private parseAnd(): Expression {
    let { line } = this.stream.current;
    let left = this.parseNot();
    for (let links = 0; this.stream.skipName("and"); links = this.checkChain(links)) {
      left = { kind: "and", line, left, right: this.parseNot() };
      ({ line } = this.stream.current);
    }
    return left;
  }

  private parseNot(): Expression {
    if (!this.stream.isName("not")) {
      return this.parseComparison();
    }
    const { line } = this.stream.next();
    return { kind: "not", line, operand: this.nested(1, () => this.parseNot()) };
  }

  private parseComparator(): Comparator | undefined {
    const comparator = comparators[this.stream.current.type];
    if (comparator !== undefined) {
      this.stream.next();
      return comparator;
    }
    if (this.stream.skipName("in")) {
      return "in";
    }
    if (this.stream.isName("not")) {
      const next = this.stream.look();
      if (next.type === "name" && next.value === "in") {
        this.stream.next();
        this.stream.next();
        return "not in";
      }
    }
    return undefined;
  }

  private parseComparison(): Expression {
    const { line } = this.stream.current;
    const first = this.parseSum();
    const rest: { comparator: Comparator; operand: Expression }[] = [];
    let comparator = this.parseComparator();
    while (comparator !== undefined) {
      rest.push({ comparator, operand: this.parseSum() });
      comparator = this.parseComparator();
    }
    return rest.length === 0 ? first : { kind: "compare", line, first, rest };
  }

  /** Operators of one precedence, from left to right. */
  private parseOperators(kinds: Operators, parseOperand: () => Expression): Expression {
    let { line } = this.stream.current;
    let left = parseOperand();
    let kind = kinds[this.stream.current.type];
    for (let links = 0; kind !== undefined; links = this.checkChain(links)) {
      this.stream.next();
      left = { kind, line, left, right: parseOperand() };
      ({ line } = this.stream.current);
      kind = kinds[this.stream.current.type];
    }
    return left;
  }

  private readonly parseUnaryWithFilters = (): Expression => this.parseUnary(true);
  private readonly parsePower = (): Expression => this.parseOperators(powers, this.parseUnaryWithFilters);
  private readonly parseConcat = (): Expression => {
    const { line } = this.stream.current;
    const parts = [this.parseOperators(products, this.parsePower)];
    while (this.stream.skipType("tilde")) {
      parts.push(this.parseOperators(products, this.parsePower));
    }
    const [first] = parts;
    return parts.length === 1 && first !== undefined ? first : { kind: "concat", line, parts };
  };

  private parseSum(): Expression {
    return this.parseOperators(sums, this.parseConcat);
  }

  private parseUnary(withFilters: boolean): Expression {
    const { type, line } = this.stream.current;
    let expression: Expression;
    if (type === "sub" || type === "add") {
      this.stream.next();
      const operand = this.nested(1, () => this.parseUnary(false));
      expression = { kind: type === "sub" ? "neg" : "pos", line, operand };
    } else {
      expression = this.parsePrimary();
    }
    expression = this.parsePostfix(expression);
    return withFilters ? this.parseFiltersAndTests(expression) : expression;
  }

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
    return conditional === false
      ? this.nested(EXPRESSION_FRAMES, () => this.parseOr())
      : this.parseExpression();
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

  private parsePostfix(expression: Expression): Expression {
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

  private parseFiltersAndTests(expression: Expression): Expression {
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
