import { iterate, listOf } from "../python/iterate.ts";
import { PyIterator } from "../python/objects.ts";
import { isList, PyMarkup, PyTuple, type PyValue, isObject } from "../python/value.ts";
import type { Expression, For } from "./ast.ts";
import { compileEntry, compileExit, compileSlot, type WriteSlot } from "./compile-name.ts";
import { compileTarget } from "./compile-target.ts";
import type { Compiler } from "./compiler.ts";
import type { Frame } from "./frame.ts";
import { LoopContext, type Recurse } from "./loop-context.ts";
import { BREAK, NORMAL, Scope, type Completion, type Evaluate, type Execute } from "./scope.ts";
import { analyzeLoop, findAll, findUndeclared } from "./scope-analysis.ts";
import type { FunctionUnit } from "./symbols.ts";

/** Whether the body can see `loop`. */
function usesLoop(compiler: Compiler, node: For): boolean {
  let scoped = false;
  if (compiler.blocks.size > 0) {
    findAll([node], (part) => {
      scoped ||= part.kind === "block" && part.scoped;
    });
  }
  return node.recursive || scoped || findUndeclared(node.body, ["loop"]).has("loop");
}

function checkTargets(compiler: Compiler, node: For): void {
  if (!compiler.storesLoop) {
    return;
  }
  findAll([node], (part) => {
    if (part.kind === "name" && part.use === "store" && part.name === "loop") {
      compiler.fail("Can't assign to special loop variable in for-loop target", part.line);
    }
  });
}

/** A target read back, as the test of a loop hands its items on. */
function compileReadBack(compiler: Compiler, frame: Frame, target: Expression): Evaluate {
  if (target.kind === "tuple") {
    const items = target.items.map((item) => compileReadBack(compiler, frame, item));
    return (scope) => new PyTuple(items.map((item) => item(scope)));
  }
  const read = target.kind === "name" ? compileSlot(compiler, frame, target.name) : () => null;
  return (scope) => read(scope) ?? null;
}

/** The items that pass the test of a loop. Each is tested when its turn comes, after the rounds before it. */
function compileFiltered(
  compiler: Compiler,
  outer: Frame,
  node: For,
): ((scope: Scope, items: PyValue) => PyValue) | null {
  if (node.test === null) {
    return null;
  }
  const frame = outer.inner("separate");
  analyzeLoop(frame.symbols, node, "test");
  const enter = compileEntry(compiler, frame);
  const write = compileTarget(compiler, frame, node.target);
  const test = compiler.truth(frame, node.test);
  const readBack = compileReadBack(compiler, frame, node.target);
  const { unit } = frame;
  return (scope, items) => {
    const { rt } = scope;
    const inner = new Scope(rt, scope, scope.variables, unit.size);
    enter?.(inner);
    let iterator: Iterator<PyValue> | null = null;
    return new PyIterator({
      next: () => {
        iterator ??= iterate(rt, items);
        for (let step = iterator.next(); step.done !== true; step = iterator.next()) {
          rt.budget.step();
          write(inner, step.value);
          if (test(inner)) {
            return { done: false, value: readBack(inner) };
          }
        }
        return { done: true, value: undefined };
      },
    });
  };
}

interface Round {
  /** The target, and then the names of the frame. */
  readonly begin: WriteSlot;
  readonly body: Execute;
  readonly line: number;
}

/** Whether a round ran to its end: what follows `else` runs only where none did. */
type Rounds = (scope: Scope, items: PyValue) => boolean;

function plainRounds({ begin, body, line }: Round): Rounds {
  return (scope, items) => {
    const { rt } = scope;
    let ran = false;
    const run = (item: PyValue): Completion => {
      rt.line = line;
      rt.budget.step();
      begin(scope, item);
      const completion = body(scope);
      ran ||= completion === NORMAL;
      return completion;
    };
    if (!isList(items) && isObject(items)) {
      const iterator = iterate(rt, items);
      for (let step = iterator.next(); step.done !== true; step = iterator.next()) {
        if (run(step.value) === BREAK) {
          break;
        }
      }
      return ran;
    }
    for (const item of listOf(rt, items)) {
      if (run(item) === BREAK) {
        break;
      }
    }
    return ran;
  };
}

/** Rounds with a `loop`, which `writeLoop` stores. */
function extendedRounds({ begin, body, line }: Round, writeLoop: WriteSlot) {
  return (scope: Scope, items: PyValue, recurse: Recurse | null, depth: number): boolean => {
    const { rt } = scope;
    let ran = false;
    const loop = new LoopContext(rt, items, recurse, depth);
    for (let item = loop.advance(); item !== undefined; item = loop.advance()) {
      rt.line = line;
      rt.budget.step();
      writeLoop(scope, loop);
      begin(scope, item);
      const completion = body(scope);
      if (completion === NORMAL) {
        ran = true;
      } else if (completion === BREAK) {
        break;
      }
    }
    return ran;
  };
}

/** `{% for %}` */
export function compileFor(compiler: Compiler, frame: Frame, node: For): Execute {
  const before = compiler.cost;
  const loopFrame = frame.inner(node.recursive ? "separate" : "here");
  const extended = usesLoop(compiler, node);
  if (extended) {
    loopFrame.symbols.declareParameter("loop");
  }
  analyzeLoop(loopFrame.symbols, node, "body");
  const filtered = compileFiltered(compiler, frame, node);
  checkTargets(compiler, node);
  const iterable = compiler.expression(frame, node.iterable);
  const cost = compiler.costSince(before);

  loopFrame.loops += 1;
  loopFrame.indent += 1;
  compiler.checkNesting(loopFrame, node.line);
  const write = compileTarget(compiler, loopFrame, node.target);
  const enter = compileEntry(compiler, loopFrame);
  const begin: WriteSlot =
    enter === null
      ? write
      : (scope, item) => {
          write(scope, item);
          enter(scope);
        };
  const round: Round = { begin, body: compiler.body(loopFrame, node.body), line: node.line };
  const loopSlot = extended ? loopFrame.symbols.slot("loop") : 0;
  const writeLoop: WriteSlot = (scope, loop) => {
    scope.slots[loopSlot] = loop;
  };
  const exit = compileExit(loopFrame);
  const otherwise = compileElse(compiler, frame, node, loopFrame.unit);
  const { line } = node;

  if (node.recursive) {
    return compileRecursive(loopFrame, {
      iterable,
      filtered,
      rounds: extendedRounds(round, writeLoop),
      otherwise,
      line,
      cost,
    });
  }
  const plain = plainRounds(round);
  const withLoop = extended ? extendedRounds(round, writeLoop) : null;
  const rounds: Rounds = withLoop === null ? plain : (scope, items) => withLoop(scope, items, null, 0);
  return (scope) => {
    const { rt } = scope;
    rt.line = line;
    rt.budget.step(cost);
    const items = iterable(scope);
    const ran = rounds(scope, filtered === null ? items : filtered(scope, items));
    exit(scope);
    return ran || otherwise === null ? NORMAL : otherwise(scope);
  };
}

function compileElse(compiler: Compiler, outer: Frame, node: For, unit: FunctionUnit): Execute | null {
  if (node.otherwise.length === 0) {
    return null;
  }
  // What follows `else` stands behind the loop: a `break` there is one of the loop around.
  const frame = outer.inner(unit === outer.unit ? "here" : unit);
  frame.indent = outer.indent + 1;
  analyzeLoop(frame.symbols, node, "else");
  const enter = compileEntry(compiler, frame);
  const body = compiler.body(frame, node.otherwise);
  const exit = compileExit(frame);
  return (scope) => {
    enter?.(scope);
    const completion = body(scope);
    exit(scope);
    return completion;
  };
}

interface RecursiveLoop {
  readonly iterable: Evaluate;
  readonly filtered: ((scope: Scope, items: PyValue) => PyValue) | null;
  readonly rounds: ReturnType<typeof extendedRounds>;
  readonly otherwise: Execute | null;
  readonly line: number;
  readonly cost: number;
}

/** A recursive loop is a function that gives the text of its rounds. */
function compileRecursive(frame: Frame, parts: RecursiveLoop): Execute {
  const { iterable, filtered, rounds, otherwise, line, cost } = parts;
  const { unit } = frame;
  return (outer) => {
    const { rt } = outer;
    const recurse: Recurse = (items, depth) => {
      const scope = new Scope(rt, outer, outer.variables, unit.size);
      const lineBefore = rt.line;
      rt.enterCall();
      const saved = rt.capture();
      const ran = rounds(scope, filtered === null ? items : filtered(outer, items), recurse, depth);
      if (!ran) {
        otherwise?.(scope);
      }
      const text = rt.release(saved);
      rt.leaveCall();
      rt.line = lineBefore;
      return rt.autoescape ? new PyMarkup(text) : text;
    };
    rt.line = line;
    rt.budget.step(cost);
    rt.writeUnchecked(recurse(iterable(outer), 0));
    return NORMAL;
  };
}
