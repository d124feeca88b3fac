import { truth } from "../python/truth.ts";
import { PyMarkup, type PyValue } from "../python/value.ts";
import type { AssignBlock, Autoescape, Filter, FilterBlock, With } from "./ast.ts";
import { compileFilter } from "./compile-call.ts";
import { compileEntry, compileExit } from "./compile-name.ts";
import { compileTarget } from "./compile-target.ts";
import type { Compiler } from "./compiler.ts";
import type { Frame } from "./frame.ts";
import { NORMAL, type Evaluate, type Execute, type SavedOutput, type Scope } from "./scope.ts";
import { analyzeFrame } from "./scope-analysis.ts";

/** The filter of a block, whose arguments Jinja looks through for constants. */
function compileBlockFilter(compiler: Compiler, frame: Frame, filter: Filter, text: () => PyValue): Evaluate {
  compiler.checkDicts(filter);
  return compiler.folding(() => compileFilter(compiler, frame, filter, text));
}

/** A body that writes into a text of its own, which `use` is given. */
function capturing(body: Execute, use: (scope: Scope, text: string) => void): Execute {
  return (scope) => {
    const { rt } = scope;
    const saved: SavedOutput = rt.capture();
    const completion = body(scope);
    if (completion !== NORMAL) {
      rt.drop(saved);
      return completion;
    }
    use(scope, rt.release(saved));
    return NORMAL;
  };
}

export function compileAssignBlock(compiler: Compiler, frame: Frame, node: AssignBlock): Execute {
  const inner = frame.inner();
  inner.checksOutput = false;
  analyzeFrame(inner.symbols, node);
  const enter = compileEntry(compiler, inner);
  const body = compiler.body(inner, node.body);
  const write = compileTarget(compiler, frame, node.target);
  let text = "";
  const filter = node.filter === null ? null : compileBlockFilter(compiler, inner, node.filter, () => text);
  const exit = compileExit(inner);
  return capturing(
    (scope) => {
      scope.rt.budget.step();
      enter?.(scope);
      return body(scope);
    },
    (scope, written) => {
      const { rt } = scope;
      rt.line = node.line;
      text = written;
      const value = filter === null ? written : filter(scope);
      write(scope, rt.autoescape ? new PyMarkup(rt.text(value)) : value);
      exit(scope);
    },
  );
}

export function compileFilterBlock(compiler: Compiler, frame: Frame, node: FilterBlock): Execute {
  const inner = frame.inner();
  analyzeFrame(inner.symbols, node);
  const enter = compileEntry(compiler, inner);
  const body = compiler.body(inner, node.body);
  let text: PyValue = "";
  const filter = compileBlockFilter(compiler, inner, node.filter, () => text);
  const exit = compileExit(inner);
  return capturing(
    (scope) => {
      scope.rt.budget.step();
      enter?.(scope);
      return body(scope);
    },
    (scope, written) => {
      const { rt } = scope;
      rt.line = node.line;
      text = rt.autoescape ? new PyMarkup(written) : written;
      rt.writeUnchecked(filter(scope));
      exit(scope);
    },
  );
}

export function compileWith(compiler: Compiler, frame: Frame, node: With): Execute {
  const inner = frame.inner();
  analyzeFrame(inner.symbols, node);
  const enter = compileEntry(compiler, inner);
  const before = compiler.cost;
  const values = node.values.map((value) => compiler.expression(frame, value));
  const cost = compiler.costSince(before);
  const targets = node.targets.map((target) => compileTarget(compiler, inner, target));
  const body = compiler.body(inner, node.body);
  const exit = compileExit(inner);
  const { line } = node;
  return (scope) => {
    scope.rt.line = line;
    scope.rt.budget.step(cost);
    enter?.(scope);
    values.forEach((value, index) => {
      targets[index]?.(scope, value(scope));
    });
    const completion = body(scope);
    exit(scope);
    return completion;
  };
}

export function compileAutoescape(compiler: Compiler, outer: Frame, node: Autoescape): Execute {
  const frame = outer.inner();
  analyzeFrame(frame.symbols, node);
  const enter = compileEntry(compiler, frame);
  const value = compiler.expression(frame, node.value);
  const saved = compiler.autoescape;
  const savedConstants = compiler.escapesConstants;
  const constant = node.value.kind === "const" ? truth(node.value.value) : null;
  compiler.autoescape = saved === "runtime" ? saved : (constant ?? "runtime");
  compiler.escapesConstants = constant ?? savedConstants;
  const body = compiler.body(frame, node.body);
  compiler.autoescape = saved;
  compiler.escapesConstants = savedConstants;
  const exit = compileExit(frame);
  return (scope) => {
    const { rt } = scope;
    rt.budget.step();
    enter?.(scope);
    const before = rt.autoescape;
    rt.autoescape = truth(value(scope));
    const completion = body(scope);
    if (completion !== NORMAL) {
      // A loop that is left here leaves it as it is.
      return completion;
    }
    rt.autoescape = before;
    exit(scope);
    return NORMAL;
  };
}
