import type { Budget } from "../python/budget.ts";
import { recursionError, typeError } from "../python/errors.ts";
import { str } from "../python/repr.ts";
import {
  typeName,
  type PyContext,
  type PyFilter,
  type PyTest,
  type PyValue,
  isMarkup,
} from "../python/value.ts";

/** Macros, callers, blocks and recursive loops inside each other before Python's own stack ends. */
const MAX_CALLS = 198;

/** Characters above which it costs steps to put a text together: the step of the expression pays for less. */
const FREE_CHARS = 1024;

/** Part of the output that a `{% generation %}` block wrote, in UTF-16 units. */
export interface GenerationSpan {
  readonly start: number;
  readonly end: number;
  /** Code points of the block's text. */
  readonly size: number;
}

/** What the output held before a part of the template wrote into a text of its own. */
export interface SavedOutput {
  readonly out: string;
  readonly pieces: number;
  readonly badPiece: string | null;
}

/** One render: its budget, its output and the line it has reached. */
export class Runtime implements PyContext {
  readonly budget: Budget;
  readonly filters: ReadonlyMap<string, PyFilter>;
  readonly tests: ReadonlyMap<string, PyTest>;
  readonly now: Date;
  readonly random: () => number;
  /** What was written, of the template or of the part of it that is captured. */
  out = "";
  /** The statement that runs. */
  line = 1;
  autoescape = false;
  readonly spans: GenerationSpan[] = [];
  /** Texts written, as Jinja would count them. Only kept up where a value that is no text can be among them. */
  pieces = 0;
  /** The template's blocks; null where it has none. */
  blocks: ReadonlyMap<string, (variables: Slot[]) => void> | null = null;
  private badPiece: string | null = null;
  private readonly maxOutput: number;
  private calls = 0;
  private captures = 0;
  private rootLength = 0;

  constructor(context: PyContext) {
    this.budget = context.budget;
    this.filters = context.filters;
    this.tests = context.tests;
    this.now = context.now;
    this.random = context.random;
    this.maxOutput = context.budget.limits.output;
  }

  write(text: string): void {
    this.out += text;
    if (this.out.length > this.maxOutput) {
      this.budget.print(this.out.length);
    }
  }

  /** Writes what Jinja hands on as it is: everything but a str fails when the texts are joined. */
  writeUnchecked(value: PyValue): void {
    if (typeof value === "string" || isMarkup(value)) {
      this.write(typeof value === "string" ? value : value.text);
    } else {
      this.badPiece ??= `sequence item ${this.pieces}: expected str instance, ${typeName(value)} found`;
    }
    this.pieces += 1;
  }

  /** Accounts for a text put together from parts, or compared: JavaScript copies and reads it when it is used. */
  chargeText(length: number): void {
    if (length > FREE_CHARS) {
      if (length > this.budget.limits.size) {
        this.budget.grow(length);
      }
      this.budget.step(length >> 7);
    }
  }

  /** From here on the output goes into a text of its own. */
  capture(): SavedOutput {
    if (this.captures === 0) {
      this.rootLength = this.out.length;
    }
    this.captures += 1;
    const saved: SavedOutput = { out: this.out, pieces: this.pieces, badPiece: this.badPiece };
    this.out = "";
    this.pieces = 0;
    this.badPiece = null;
    return saved;
  }

  /** Ends a capture and gives what was written since. */
  release(saved: SavedOutput): string {
    this.checkPieces();
    const text = this.out;
    this.drop(saved);
    this.chargeText(text.length);
    return text;
  }

  /** Ends a capture whose text is lost. */
  drop(saved: SavedOutput): void {
    this.captures -= 1;
    this.out = saved.out;
    this.pieces = saved.pieces;
    this.badPiece = saved.badPiece;
  }

  checkPieces(): void {
    if (this.badPiece !== null) {
      throw typeError(this.badPiece);
    }
  }

  /** Length of the output outside all captures. */
  get outputLength(): number {
    return this.captures === 0 ? this.out.length : this.rootLength;
  }

  /** A text as it is printed. */
  text(value: PyValue): string {
    return typeof value === "string" ? value : str(this, value);
  }

  renderBlock(name: string, variables: Slot[]): void {
    this.blocks?.get(name)?.(variables);
  }

  enterCall(): void {
    this.calls += 1;
    if (this.calls > MAX_CALLS) {
      throw recursionError();
    }
  }

  leaveCall(): void {
    this.calls -= 1;
  }
}

/** A variable without a value is undefined here: Jinja's `missing`. */
export type Slot = PyValue | undefined;

/** One run of a function of the compiled template. */
export class Scope {
  readonly rt: Runtime;
  /** The run that the function was made in. */
  readonly up: Scope | null;
  /** The template's variables, by the number that the compiler gave their names. */
  readonly variables: Slot[];
  readonly slots: Slot[];

  constructor(rt: Runtime, up: Scope | null, variables: Slot[], size: number) {
    this.rt = rt;
    this.up = up;
    this.variables = variables;
    const slots: Slot[] = [];
    for (let index = 0; index < size; index += 1) {
      slots.push(undefined);
    }
    this.slots = slots;
  }
}

/** A compiled expression. */
export type Evaluate = (scope: Scope) => PyValue;

/** How a statement ended. */
export const NORMAL = 0;
export const BREAK = 1;
export const CONTINUE = 2;
export type Completion = typeof NORMAL | typeof BREAK | typeof CONTINUE;

/** A compiled statement. */
export type Execute = (scope: Scope) => Completion;
