import { reprText } from "../python/repr.ts";
import type { Expression, Load, Name, Statement } from "./ast.ts";
import { ExpressionParser } from "./expression-parser.ts";
import type { TupleOptions } from "./operand-parser.ts";

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

/** Targets of assignments, parameters, and the statements that need another template. */
export abstract class TargetParser extends ExpressionParser {
  protected parseTarget(options: TupleOptions = {}, use: "store" | "param" = "store"): Expression {
    const target = this.parseTuple({ ...options, simplified: true });
    markAs(target, use);
    if (!canAssign(target)) {
      this.stream.fail(`can't assign to ${reprText(target.kind)}`, target.line);
    }
    return target;
  }

  protected parseTargetName(use: "store" | "param" = "store"): Name {
    const { value: name, line } = this.stream.expect("name");
    const target: Name = { kind: "name", line, name, use };
    if (!canAssign(target)) {
      this.stream.fail("can't assign to 'name'", line);
    }
    return target;
  }

  protected parseSignature(): { params: Name[]; defaults: Expression[] } {
    const params: Name[] = [];
    const defaults: Expression[] = [];
    this.stream.expect("lparen");
    while (!this.stream.isType("rparen")) {
      if (params.length > 0) {
        this.stream.expect("comma");
      }
      params.push(this.parseTargetName("param"));
      if (this.stream.skipType("assign")) {
        defaults.push(this.parseExpression());
      } else if (defaults.length > 0) {
        this.stream.fail("non-default argument follows default argument");
      }
    }
    this.stream.expect("rparen");
    return { params, defaults };
  }

  protected parseExtends(): Statement {
    const { line } = this.stream.next();
    return { kind: "extends", line, template: this.parseExpression(), names: [], ignoreMissing: false };
  }

  private isContextClause(): boolean {
    const next = this.stream.isName("with") || this.stream.isName("without") ? this.stream.look() : null;
    return next?.type === "name" && next.value === "context";
  }

  private skipContextClause(): boolean {
    const found = this.isContextClause();
    if (found) {
      this.stream.next();
      this.stream.next();
    }
    return found;
  }

  protected parseInclude(): Statement {
    const { line } = this.stream.next();
    const template = this.parseExpression();
    let ignoreMissing = false;
    if (this.stream.isName("ignore") && this.stream.look().value === "missing") {
      ignoreMissing = true;
      this.stream.next();
      this.stream.next();
    }
    this.skipContextClause();
    return { kind: "include", line, template, names: [], ignoreMissing };
  }

  protected parseImport(): Statement {
    const { line } = this.stream.next();
    const template = this.parseExpression();
    this.stream.expect("name:as");
    const { name } = this.parseTargetName();
    this.skipContextClause();
    return { kind: "import", line, template, names: [name], ignoreMissing: false };
  }

  protected parseFrom(): Statement {
    const { line } = this.stream.next();
    const template = this.parseExpression();
    this.stream.expect("name:import");
    const names: string[] = [];
    for (;;) {
      if (names.length > 0) {
        this.stream.expect("comma");
      }
      if (!this.stream.isType("name")) {
        this.stream.expect("name");
      }
      if (this.skipContextClause()) {
        break;
      }
      const target = this.parseTargetName();
      if (target.name.startsWith("_")) {
        const message = "names starting with an underline can not be imported";
        this.stream.fail(message, target.line, "TemplateAssertionError");
      }
      names.push(this.stream.skipName("as") ? this.parseTargetName().name : target.name);
      if (this.skipContextClause() || !this.stream.isType("comma")) {
        break;
      }
    }
    const load: Load = { kind: "import", line, template, names, ignoreMissing: false };
    return load;
  }
}
