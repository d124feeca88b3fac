import { PyError } from "../python/errors.ts";
import type { Assign, If, Statement } from "./ast.ts";
import { compileBlock, compileLoad } from "./compile-block.ts";
import { compileFor } from "./compile-for.ts";
import { compileCallBlock, compileMacro } from "./compile-macro.ts";
import { compileSlot } from "./compile-name.ts";
import { compileOutput } from "./compile-output.ts";
import { compileAssignBlock, compileAutoescape, compileFilterBlock, compileWith } from "./compile-scopes.ts";
import { compileTarget } from "./compile-target.ts";
import type { Compiler } from "./compiler.ts";
import type { Frame } from "./frame.ts";
import { Namespace } from "./namespace.ts";
import { BREAK, CONTINUE, NORMAL, type Execute } from "./scope.ts";
import { findAll } from "./scope-analysis.ts";

const nothing: Execute = () => NORMAL;

/** Statements one after the other. */
export function compileBody(compiler: Compiler, frame: Frame, body: readonly Statement[]): Execute {
  const steps = body.map((statement) => compileStatement(compiler, frame, statement));
  const [first, second, third] = steps;
  if (first === undefined) {
    return nothing;
  }
  if (second === undefined) {
    return first;
  }
  if (third === undefined) {
    return (scope) => {
      const completion = first(scope);
      return completion === NORMAL ? second(scope) : completion;
    };
  }
  return (scope) => {
    for (const step of steps) {
      const completion = step(scope);
      if (completion !== NORMAL) {
        return completion;
      }
    }
    return NORMAL;
  };
}

function compileIf(compiler: Compiler, outer: Frame, node: If): Execute {
  const frame = outer.branch();
  compiler.checkNesting(frame, node.line);
  const branches = [node, ...node.elifs].map(({ line, test, body }, index) => {
    const before = compiler.cost;
    const condition = compiler.truth(frame, test);
    // All branches together are one statement.
    const cost = compiler.costSince(before) - (index === 0 ? 0 : 1);
    return { line, condition, cost, body: compiler.body(frame, body) };
  });
  const otherwise = compiler.body(frame, node.otherwise);
  const [only, second] = branches;
  if (only !== undefined && second === undefined) {
    const { line, condition, cost, body } = only;
    return (scope) => {
      scope.rt.line = line;
      scope.rt.budget.step(cost);
      return condition(scope) ? body(scope) : otherwise(scope);
    };
  }
  return (scope) => {
    const { rt } = scope;
    for (const { line, condition, cost, body } of branches) {
      rt.line = line;
      rt.budget.step(cost);
      if (condition(scope)) {
        return body(scope);
      }
    }
    return otherwise(scope);
  };
}

function compileAssign(compiler: Compiler, frame: Frame, node: Assign): Execute {
  const before = compiler.cost;
  const value = compiler.expression(frame, node.value);
  const { line } = node;
  const namespaces: string[] = [];
  findAll([node.target], (part) => {
    if (part.kind === "nsref") {
      namespaces.push(part.name);
    }
  });
  const reads = namespaces.map((name) => compileSlot(compiler, frame, name));
  const write = compileTarget(compiler, frame, node.target);
  const cost = compiler.costSince(before);
  if (reads.length === 0) {
    return (scope) => {
      scope.rt.line = line;
      scope.rt.budget.step(cost);
      write(scope, value(scope));
      return NORMAL;
    };
  }
  return (scope) => {
    scope.rt.line = line;
    scope.rt.budget.step(cost);
    for (const read of reads) {
      if (!(read(scope) instanceof Namespace)) {
        throw new PyError("TemplateRuntimeError", "cannot assign attribute on non-namespace object");
      }
    }
    write(scope, value(scope));
    return NORMAL;
  };
}

function compileStatement(compiler: Compiler, frame: Frame, node: Statement): Execute {
  switch (node.kind) {
    case "output":
      return compileOutput(compiler, frame, node);
    case "for":
      return compileFor(compiler, frame, node);
    case "if":
      return compileIf(compiler, frame, node);
    case "macro":
      return compileMacro(compiler, frame, node);
    case "callblock":
      return compileCallBlock(compiler, frame, node);
    case "filterblock":
      return compileFilterBlock(compiler, frame, node);
    case "assign":
      return compileAssign(compiler, frame, node);
    case "assignblock":
      return compileAssignBlock(compiler, frame, node);
    case "with":
      return compileWith(compiler, frame, node);
    case "autoescape":
      return compileAutoescape(compiler, frame, node);
    case "block":
      return compileBlock(compiler, frame, node);
    case "break":
    case "continue": {
      if (frame.loops === 0) {
        compiler.refuse(
          node.kind === "break" ? "'break' outside loop" : "'continue' not properly in loop",
          node.line,
        );
      }
      const completion = node.kind === "break" ? BREAK : CONTINUE;
      return () => completion;
    }
    default:
      return compileLoad(compiler, frame, node);
  }
}
