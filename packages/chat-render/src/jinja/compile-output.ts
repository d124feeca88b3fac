import { PyError } from "../python/errors.ts";
import { escape } from "../python/markup.ts";
import { str } from "../python/repr.ts";
import type { PyValue } from "../python/value.ts";
import type { Expression, Output, TemplateData } from "./ast.ts";
import type { Compiler } from "./compiler.ts";
import { NOT_CONSTANT } from "./constant-folding.ts";
import type { Frame } from "./frame.ts";
import { NORMAL, type Evaluate, type Execute, type Runtime, type Scope } from "./scope.ts";

type Part = string | { readonly line: number; readonly evaluate: Evaluate };

/** The text of a part that is known before the template runs. */
function constantText(compiler: Compiler, part: TemplateData | Expression): string | null {
  if (part.kind === "templatedata") {
    return part.text;
  }
  try {
    const value = compiler.printedConstant(part);
    if (value === NOT_CONSTANT) {
      return null;
    }
    return compiler.escapesConstants ? escape(compiler.ctx, value).text : str(compiler.ctx, value);
  } catch (error) {
    // It fails again when it is reached, which is when Jinja tells it.
    if (error instanceof PyError) {
      return null;
    }
    throw error;
  }
}

function escaped(rt: Runtime, value: PyValue): string {
  return rt.autoescape ? escape(rt, value).text : rt.text(value);
}

/** Text and printed values. */
export function compileOutput(compiler: Compiler, frame: Frame, node: Output): Execute {
  if (frame.checksOutput && compiler.knownExtends) {
    return () => NORMAL;
  }
  const before = compiler.cost;
  const parts: Part[] = [];
  for (const part of node.parts) {
    const text = constantText(compiler, part);
    const last = parts.at(-1);
    if (text !== null && typeof last === "string") {
      parts[parts.length - 1] = last + text;
    } else if (text !== null) {
      parts.push(text);
    } else if (part.kind !== "templatedata") {
      const evaluate = compiler.parenthesized(1, part.line, () => compiler.expression(frame, part));
      parts.push({ line: part.line, evaluate });
    }
  }
  const write = compileParts(compiler, parts, compiler.costSince(before));
  if (!compiler.countsPieces) {
    return write;
  }
  return (scope) => {
    write(scope);
    scope.rt.pieces += parts.length;
    return NORMAL;
  };
}

function compileParts(compiler: Compiler, parts: readonly Part[], cost: number): Execute {
  const print: (scope: Scope, value: PyValue) => void =
    compiler.autoescape === false
      ? ({ rt }, value) => {
          rt.write(typeof value === "string" ? value : rt.text(value));
        }
      : ({ rt }, value) => {
          rt.write(escaped(rt, value));
        };
  const [first, second, third] = parts;
  if (second === undefined) {
    if (first === undefined || typeof first === "string") {
      const text = first ?? "";
      return ({ rt }) => {
        rt.budget.step(cost);
        rt.write(text);
        return NORMAL;
      };
    }
    const { line, evaluate } = first;
    return (scope) => {
      scope.rt.line = line;
      scope.rt.budget.step(cost);
      print(scope, evaluate(scope));
      return NORMAL;
    };
  }
  if (third === undefined && typeof first === "string" && typeof second === "object") {
    const { line, evaluate } = second;
    return (scope) => {
      const { rt } = scope;
      rt.line = line;
      rt.budget.step(cost);
      rt.write(first);
      print(scope, evaluate(scope));
      return NORMAL;
    };
  }
  return (scope) => {
    const { rt } = scope;
    rt.budget.step(cost);
    for (const part of parts) {
      if (typeof part === "string") {
        rt.write(part);
      } else {
        rt.line = part.line;
        print(scope, part.evaluate(scope));
      }
    }
    return NORMAL;
  };
}
