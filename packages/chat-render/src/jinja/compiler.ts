import { PyError } from "../python/errors.ts";
import type { Block, Expression, Statement } from "./ast.ts";
import { constantOf, NOT_CONSTANT, type Constant } from "./constant-folding.ts";
import type { Frame } from "./frame.ts";
import { missingName } from "./missing-names.ts";
import { findAll } from "./scope-analysis.ts";
import type { Evaluate, Execute, Runtime, Scope } from "./scope.ts";

/** Parentheses that Python's tokenizer lets Jinja's code nest. */
const MAX_PARENTHESES = 200;
/** Levels of indentation that it lets it nest. */
const MAX_INDENT = 100;
/** Loops inside each other in one Python function. */
const MAX_LOOPS = 20;

/** How the parts of a template are compiled that hold parts of every kind. */
export interface Compilers {
  readonly expression: (compiler: Compiler, frame: Frame, node: Expression) => Evaluate;
  /** A condition without the bool in between. */
  readonly truth: (compiler: Compiler, frame: Frame, node: Expression) => (scope: Scope) => boolean;
  readonly body: (compiler: Compiler, frame: Frame, body: readonly Statement[]) => Execute;
}

/** What the compiler knows of the whole template. */
export class Compiler {
  /** Computes what needs no variables. */
  readonly ctx: Runtime;
  /** Variables by the number of their slot in `Scope.variables`. */
  readonly names = new Map<string, number>();
  readonly blocks = new Map<string, Block>();
  /** Whether a value that is no text can be written, so that texts have to be counted. */
  readonly countsPieces: boolean;
  readonly hasExtends: boolean;
  /** Whether a template is surely extended from here on. */
  knownExtends = false;
  /** Whether there are dicts written in the template. */
  readonly #hasDicts: boolean;
  /** Whether something is assigned to `loop`. */
  readonly storesLoop: boolean;
  extendsSoFar = 0;
  /** Whether values are escaped here; "runtime" where that is decided while the template runs. */
  autoescape: boolean | "runtime" = false;
  /** The last of them that was known: constants that are printed follow it even where the template decides. */
  escapesConstants = false;
  /** Whether the parts of an expression are compiled in which Jinja computes every constant it finds. */
  folds = false;
  /** The block whose code is compiled; null in the template's own. */
  block: string | null = null;
  /** Expressions compiled so far: the difference is what a statement costs. */
  cost = 0;
  /** The first thing that Python would refuse in Jinja's code, which it reads only when all of it is written. */
  #refusal: PyError | null = null;
  #parentheses = 0;

  readonly #compilers: Compilers;
  readonly #root: readonly Statement[];

  constructor(ctx: Runtime, body: readonly Statement[], compilers: Compilers) {
    this.ctx = ctx;
    this.#compilers = compilers;
    this.#root = body;
    let countsPieces = false;
    let hasExtends = false;
    let hasDicts = false;
    let storesLoop = false;
    findAll(body, (node) => {
      countsPieces ||= node.kind === "filterblock" || (node.kind === "callblock" && node.call !== null);
      hasExtends ||= node.kind === "extends";
      hasDicts ||= node.kind === "dict";
      storesLoop ||= node.kind === "name" && node.use === "store" && node.name === "loop";
      if (node.kind === "block") {
        if (this.blocks.has(node.name)) {
          this.fail(`block '${node.name}' defined twice`, node.line);
        }
        this.blocks.set(node.name, node);
      }
    });
    this.countsPieces = countsPieces;
    this.hasExtends = hasExtends;
    this.#hasDicts = hasDicts;
    this.storesLoop = storesLoop;
  }

  /** Steps of a statement whose expressions were compiled since: one, and more for large ones. */
  costSince(before: number): number {
    return 1 + ((this.cost - before) >> 3);
  }

  expression(frame: Frame, node: Expression): Evaluate {
    return this.#compilers.expression(this, frame, node);
  }

  truth(frame: Frame, node: Expression): (scope: Scope) => boolean {
    return this.#compilers.truth(this, frame, node);
  }

  body(frame: Frame, body: readonly Statement[]): Execute {
    return this.#compilers.body(this, frame, body);
  }

  /** @throws PyError TemplateAssertionError */
  fail(message: string, line: number): never {
    throw new PyError("TemplateAssertionError", message, line);
  }

  /** Notes what Python refuses in the code that Jinja writes. The line is the template's: there is no such code here. */
  refuse(message: string, line: number, pythonClass = "SyntaxError"): void {
    this.#refusal ??= new PyError(pythonClass, `${message} (<template>, line ${line})`, line);
  }

  checkRefusal(): void {
    if (this.#refusal !== null) {
      throw this.#refusal;
    }
  }

  checkNesting(frame: Frame, line: number): void {
    if (frame.indent >= MAX_INDENT) {
      this.refuse("too many levels of indentation", line, "IndentationError");
    }
    if (frame.loops > MAX_LOOPS) {
      this.refuse("too many statically nested blocks", line);
    }
  }

  /** Name of the function that stands for a filter or test that does not exist. */
  missingName(kind: "filter" | "test", name: string): string {
    return missingName(this.#root, this.blocks, this.block, kind, name);
  }

  variable(name: string): number {
    const known = this.names.get(name) ?? this.names.size;
    this.names.set(name, known);
    return known;
  }

  /** Compiles what Jinja's code holds inside `count` pairs of parentheses. */
  parenthesized<Result>(count: number, line: number, compile: () => Result): Result {
    this.#parentheses += count;
    if (this.#parentheses > MAX_PARENTHESES) {
      throw new PyError("SyntaxError", `too many nested parentheses (<template>, line ${line})`, line);
    }
    const result = compile();
    this.#parentheses -= count;
    return result;
  }

  /** What is printed is computed before the template runs even where it is not known whether values are escaped. */
  printedConstant(node: Expression): Constant {
    return this.autoescape === "runtime" ? constantOf(this.ctx, node, false) : this.constant(node);
  }

  /**
   * Jinja computes the dicts within an expression even where nothing reaches them.
   *
   * @throws PyError TypeError for a key that cannot be hashed
   */
  checkDicts(node: Expression): void {
    if (this.#hasDicts && this.autoescape !== "runtime") {
      findAll([node], (part) => {
        if (part.kind === "dict") {
          constantOf(this.ctx, part);
        }
      });
    }
  }

  /** Compiles the parts of an expression that Jinja looks through for constants. */
  folding<Result>(compile: () => Result): Result {
    const before = this.folds;
    this.folds = true;
    const result = compile();
    this.folds = before;
    return result;
  }

  constant(node: Expression): Constant {
    if (this.autoescape === "runtime") {
      return NOT_CONSTANT;
    }
    this.ctx.autoescape = this.autoescape;
    return constantOf(this.ctx, node);
  }
}
