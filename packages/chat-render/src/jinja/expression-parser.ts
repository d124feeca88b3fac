import type { Binary, Comparator, Conditional, Expression } from "./ast.ts";
import { OperandParser } from "./operand-parser.ts";
import { EXPRESSION_FRAMES } from "./parser-base.ts";
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

/** Expressions, with the precedence of Jinja. */
export abstract class ExpressionParser extends OperandParser {
  parseExpression(): Expression {
    return this.nested(EXPRESSION_FRAMES, () => this.parseConditional());
  }

  parseUnconditional(): Expression {
    return this.nested(EXPRESSION_FRAMES, () => this.parseOr());
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
}
