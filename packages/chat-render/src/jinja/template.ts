import { recursionError } from "../python/errors.ts";
import { PyMarkup, type PyContext, type PyValue } from "../python/value.ts";
import type { Statement } from "./ast.ts";
import { noParentBlock, TemplateReference } from "./block-reference.ts";
import { compileExpression, compileTruth } from "./compile-expression.ts";
import { compileEntry } from "./compile-name.ts";
import { compileBody } from "./compile-statement.ts";
import { Compiler, type Compilers } from "./compiler.ts";
import { Frame } from "./frame.ts";
import { globals } from "./globals.ts";
import { parse } from "./statement-parser.ts";
import { analyzeTemplate, findUndeclared } from "./scope-analysis.ts";
import { Runtime, Scope, type Execute, type GenerationSpan, type Slot } from "./scope.ts";

const compilers: Compilers = { expression: compileExpression, truth: compileTruth, body: compileBody };

/** The code of the template or of one of its blocks. */
interface Code {
  readonly frame: Frame;
  readonly enter: ((scope: Scope) => void) | null;
  readonly body: Execute;
  readonly selfSlot: number | null;
  readonly superSlot: number | null;
}

export interface TemplateResult {
  readonly text: string;
  readonly spans: readonly GenerationSpan[];
}

/** A template as functions, to be run as often as wanted. */
export interface CompiledSource {
  readonly body: readonly Statement[];
  /** Names that the template looks up among its variables. */
  readonly names: readonly string[];
  /** @throws PyError as Python would, BudgetError */
  readonly run: (rt: Runtime, variables: ReadonlyMap<string, PyValue>) => TemplateResult;
}

/** JavaScript's own stack ends where Python's does, only at another depth. */
export function withRecursionErrors<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    if (error instanceof RangeError && /call stack/u.test(error.message)) {
      throw recursionError();
    }
    throw error;
  }
}

function compileCode(compiler: Compiler, body: readonly Statement[], block: string | null): Code {
  const frame = Frame.root();
  const { symbols } = frame;
  const implicit = findUndeclared(body, block === null ? ["self"] : ["self", "super"]);
  const slotOf = (name: string): number | null => {
    if (!implicit.has(name)) {
      return null;
    }
    symbols.declareParameter(name);
    return symbols.slot(name);
  };
  const selfSlot = slotOf("self");
  const superSlot = slotOf("super");
  compiler.block = block;
  frame.toplevel = block === null;
  frame.rootlevel = block === null;
  frame.checksOutput = block === null && compiler.hasExtends;
  analyzeTemplate(symbols, body);
  const enter = compileEntry(compiler, frame);
  return { frame, enter, body: compiler.body(frame, body), selfSlot, superSlot };
}

function runCode(code: Code, rt: Runtime, variables: Slot[], block: string | null): void {
  const scope = new Scope(rt, null, variables, code.frame.unit.size);
  if (code.selfSlot !== null) {
    scope.slots[code.selfSlot] = selfOf(rt, variables);
  }
  if (code.superSlot !== null) {
    scope.slots[code.superSlot] = noParentBlock(block ?? "");
  }
  code.enter?.(scope);
  code.body(scope);
}

function selfOf(rt: Runtime, variables: Slot[]): TemplateReference {
  return new TemplateReference(
    (name) => rt.blocks?.has(name) === true,
    (name) => {
      rt.enterCall();
      const saved = rt.capture();
      rt.renderBlock(name, variables);
      const text = rt.release(saved);
      rt.leaveCall();
      return rt.autoescape ? new PyMarkup(text) : text;
    },
  );
}

/**
 * Parses and compiles a template.
 *
 * @param ctx computes what needs no variables
 * @throws PyError as Jinja would
 */
export function compileSource(ctx: PyContext, template: string): CompiledSource {
  return withRecursionErrors(() => {
    const body = parse(template);
    const compiler = new Compiler(new Runtime(ctx), body, compilers);
    const main = compileCode(compiler, body, null);
    const blocks = new Map(
      [...compiler.blocks].map(([name, block]) => [name, compileCode(compiler, block.body, name)]),
    );
    compiler.checkRefusal();
    const names = [...compiler.names.keys()];
    return {
      body,
      names,
      run: (rt, given) =>
        withRecursionErrors(() => {
          const variables = names.map(
            (name): Slot => given.get(name) ?? (given.has(name) ? null : globals.get(name)),
          );
          rt.blocks = blocks.size === 0 ? null : blockRunners(rt, blocks);
          runCode(main, rt, variables, null);
          rt.checkPieces();
          return { text: rt.out, spans: rt.spans };
        }),
    };
  });
}

function blockRunners(
  rt: Runtime,
  blocks: ReadonlyMap<string, Code>,
): Map<string, (variables: Slot[]) => void> {
  return new Map(
    [...blocks].map(([name, code]) => [
      name,
      (variables: Slot[]) => {
        runCode(code, rt, variables, name);
      },
    ]),
  );
}
