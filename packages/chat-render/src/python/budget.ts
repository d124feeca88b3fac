/** What one render may use. */
export interface BudgetLimits {
  /** Steps: one is about one evaluated expression, one item touched, or 32 characters copied. */
  readonly steps: number;
  /** Characters (UTF-16 units) of output. */
  readonly output: number;
  /** Characters of one string, and items of one list, that an expression makes. */
  readonly size: number;
  /** Macros, calls and recursive loops inside each other. */
  readonly depth: number;
}

export const defaultLimits: BudgetLimits = {
  steps: 1_000_000,
  output: 8_000_000,
  size: 8_000_000,
  depth: 200,
};

export type BudgetCode = "STEP_LIMIT" | "OUTPUT_LIMIT" | "SIZE_LIMIT" | "DEPTH_LIMIT";

/** A render that wanted more than its limits. */
export class BudgetError extends Error {
  override readonly name = "BudgetError";
  readonly code: BudgetCode;
  /** The template's line, from 1, where the runtime knows it. */
  line?: number;

  constructor(code: BudgetCode, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * Counts what a render uses. Operations that can explode ask before they work, by the size of what they would make, so
 * that a hostile template ends by count and not by time.
 */
export class Budget {
  readonly limits: BudgetLimits;
  private stepsLeft: number;
  private outputLeft: number;
  private depth = 0;

  constructor(limits: BudgetLimits = defaultLimits) {
    this.limits = limits;
    this.stepsLeft = limits.steps;
    this.outputLeft = limits.output;
  }

  /** Steps used so far. */
  get used(): number {
    return this.limits.steps - this.stepsLeft;
  }

  step(cost = 1): void {
    if (!((this.stepsLeft -= cost) >= 0)) {
      throw new BudgetError("STEP_LIMIT", `the template needs more than ${this.limits.steps} steps`);
    }
  }

  /** Before a string of `chars` characters is made (or read through). */
  grow(chars: number): void {
    if (!(chars <= this.limits.size)) {
      throw new BudgetError(
        "SIZE_LIMIT",
        `the template makes a text of ${chars} characters, more than ${this.limits.size}`,
      );
    }
    this.step(chars >> 5);
  }

  /** Before a list of `items` items is made. */
  collect(items: number): void {
    if (!(items <= this.limits.size)) {
      throw new BudgetError(
        "SIZE_LIMIT",
        `the template makes a list of ${items} items, more than ${this.limits.size}`,
      );
    }
    this.step(items);
  }

  /** Before `chars` characters are added to the output. */
  print(chars: number): void {
    if (!((this.outputLeft -= chars) >= 0)) {
      throw new BudgetError("OUTPUT_LIMIT", `the template prints more than ${this.limits.output} characters`);
    }
  }

  enter(): void {
    if (++this.depth > this.limits.depth) {
      throw new BudgetError(
        "DEPTH_LIMIT",
        `the template nests its calls more than ${this.limits.depth} deep`,
      );
    }
  }

  leave(): void {
    this.depth -= 1;
  }
}
