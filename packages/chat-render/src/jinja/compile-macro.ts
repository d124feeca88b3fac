import { codePointCount } from "../python/code-points.ts";
import { PyUndefined, type PyValue } from "../python/value.ts";
import type { CallBlock, Macro as MacroNode } from "./ast.ts";
import { compileCall } from "./compile-call.ts";
import { compileEntry, compileStore } from "./compile-name.ts";
import type { Compiler } from "./compiler.ts";
import type { Frame } from "./frame.ts";
import { Macro, type MacroCode } from "./macro.ts";
import { NORMAL, type Execute, type Scope } from "./scope.ts";
import { analyzeFrame, findUndeclared } from "./scope-analysis.ts";

/** Names that a macro's body can read without declaring them. */
const implicit = ["caller", "kwargs", "varargs"] as const;

/** The function behind a macro or a call block. */
function compileMacroCode(compiler: Compiler, outer: Frame, node: MacroNode | CallBlock): MacroCode {
  const frame = outer.inner("separate");
  frame.checksOutput = false;
  const { symbols, unit } = frame;
  analyzeFrame(symbols, node);
  const names = node.params.map(({ name }) => name);
  const undeclared = findUndeclared(node.body, implicit);
  const explicitCaller = names.indexOf("caller");
  const withoutDefault = names.length - node.defaults.length;
  if (undeclared.has("caller") && explicitCaller >= 0 && explicitCaller < withoutDefault) {
    compiler.fail(
      'When defining macros or call blocks the special "caller" argument must be omitted or be given a default.',
      node.line,
    );
  }
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined) {
    compiler.refuse(`duplicate argument 'l_${symbols.level}_${repeated}' in function definition`, node.line);
  }
  const implicitSlot = (name: (typeof implicit)[number]): number | null => {
    if (!undeclared.has(name) || names.includes(name)) {
      return null;
    }
    symbols.declareParameter(name);
    return symbols.slot(name);
  };
  const [callerSlot, kwargsSlot, varargsSlot] = [
    implicitSlot("caller"),
    implicitSlot("kwargs"),
    implicitSlot("varargs"),
  ];
  analyzeFrame(symbols, node);

  const enter = compileEntry(compiler, frame);
  frame.pending = new Set(symbols.loads.keys());
  const paramSlots = names.map((name) => symbols.slot(name));
  const defaults = names.map((name, index) => {
    const expression = node.defaults[index - withoutDefault];
    const value = expression === undefined ? null : compiler.expression(frame, expression);
    frame.pending?.delete(name);
    const hint = `parameter '${name}' was not provided`;
    return value ?? ((): PyValue => new PyUndefined(name, undefined, hint));
  });
  frame.pending = null;
  const fillDefaults = (scope: Scope): void => {
    enter?.(scope);
    for (let index = 0; index < paramSlots.length; index += 1) {
      const slot = paramSlots[index] ?? 0;
      if (scope.slots[slot] === undefined) {
        scope.slots[slot] = defaults[index]?.(scope);
      }
    }
  };
  const body = compiler.body(frame, node.body);
  const name = node.kind === "macro" ? node.name : null;
  return {
    name,
    params: names,
    paramSlots,
    callerSlot,
    kwargsSlot,
    varargsSlot,
    unit,
    fillDefaults,
    body: (scope) => {
      scope.rt.budget.step();
      return body(scope);
    },
  };
}

/** `{% macro %}` */
export function compileMacro(compiler: Compiler, frame: Frame, node: MacroNode): Execute {
  const code = compileMacroCode(compiler, frame, node);
  const write = compileStore(compiler, frame, node.name);
  return (scope) => {
    scope.rt.budget.step();
    write(scope, new Macro(code, scope));
    return NORMAL;
  };
}

/** `{% call %}` and `{% generation %}` */
export function compileCallBlock(compiler: Compiler, frame: Frame, node: CallBlock): Execute {
  const code = compileMacroCode(compiler, frame, node);
  const { line } = node;
  if (node.call === null) {
    return (scope) => {
      const { rt } = scope;
      rt.line = line;
      rt.budget.step();
      const text = rt.text(new Macro(code, scope).call([], null));
      const start = rt.outputLength;
      rt.spans.push({ start, end: start + text.length, size: codePointCount(text) });
      rt.write(text);
      rt.pieces += 1;
      return NORMAL;
    };
  }
  const before = compiler.cost;
  const { call: called } = node;
  compiler.checkDicts(called);
  const call = compiler.folding(() =>
    compileCall(compiler, frame, called, (scope) => new Macro(code, scope)),
  );
  const cost = compiler.costSince(before);
  return (scope) => {
    scope.rt.line = line;
    scope.rt.budget.step(cost);
    scope.rt.writeUnchecked(call(scope));
    return NORMAL;
  };
}
