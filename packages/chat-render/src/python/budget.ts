/** What one render may use. */
export interface BudgetLimits {
  /** Steps: one is about one evaluated expression, one item touched, or 32 characters copied. */
  readonly steps: number;
  /** Time for work that the size of the conversation does not explain (`Pace`). */
  readonly milliseconds: number;
  /** Characters (UTF-16 units) of output. */
  readonly output: number;
  /** Characters of one string, and items of one list, that an expression makes. */
  readonly size: number;
  /** Macros, calls and recursive loops inside each other. */
  readonly depth: number;
}

export const defaultLimits: BudgetLimits = {
  steps: 100_000_000,
  milliseconds: 120,
  output: 8_000_000,
  size: 8_000_000,
  depth: 200,
};

export type BudgetCode = "STEP_LIMIT" | "TIME_LIMIT" | "OUTPUT_LIMIT" | "SIZE_LIMIT" | "DEPTH_LIMIT";

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

/** Steps that every render has without a look at the clock. */
const FREE_STEPS = 250_000;

/** Steps that are granted for each character and each value of the input: walks letter by letter take 8 for each. */
const STEPS_PER_UNIT = 12;

/** The slowest kind of work does about as many. */
const STEPS_PER_MILLISECOND = 5000;

/**
 * How long the renders of one call go on. Work in proportion to the input is always done, also where the machine is
 * busy, so that honest templates end at the same place everywhere; what is more than that ends by the clock.
 */
export class Pace {
  private readonly clock: () => number;
  private readonly milliseconds: number;
  private readonly end: number;
  private readonly inputSize: () => number;
  private free = FREE_STEPS;
  private isMeasured = false;

  /**
   * @param clock milliseconds of a clock that never goes back
   * @param inputSize characters and values of the input; asked once, and only where a render takes long
   */
  constructor(clock: () => number, milliseconds: number, inputSize: () => number) {
    this.clock = clock;
    this.milliseconds = milliseconds;
    this.end = clock() + milliseconds;
    this.inputSize = inputSize;
  }

  /** Before `steps` more are taken. */
  grant(steps: number): void {
    if (steps > this.free && !this.isMeasured) {
      this.isMeasured = true;
      this.free += this.inputSize() * STEPS_PER_UNIT;
    }
    if (steps <= this.free) {
      this.free -= steps;
    } else if (!(steps <= (this.end - this.clock()) * STEPS_PER_MILLISECOND)) {
      throw new BudgetError(
        "TIME_LIMIT",
        `the template takes more than ${this.milliseconds} ms, and more steps than its conversation explains`,
      );
    }
  }
}

/** Steps that a budget takes from its pace at once. */
const STRIDE = 10_000;

/**
 * Counts what a render uses. Operations that can explode ask before they work, by the size of what they would make, so
 * that a hostile template ends by count and not by time.
 */
export class Budget {
  readonly limits: BudgetLimits;
  private readonly pace: Pace | null;
  private granted: number;
  /** Of those that were granted. */
  private stepsLeft: number;
  private outputLeft: number;
  private depth = 0;

  /** Without a pace, time does not count. */
  constructor(limits: BudgetLimits = defaultLimits, pace: Pace | null = null) {
    this.limits = limits;
    this.pace = pace;
    this.granted = pace === null ? limits.steps : 0;
    this.stepsLeft = this.granted;
    this.outputLeft = limits.output;
  }

  step(cost = 1): void {
    if (!((this.stepsLeft -= cost) >= 0)) {
      this.takeMore(-this.stepsLeft);
    }
  }

  /** Takes the steps that are short, and some more. */
  private takeMore(short: number): void {
    const most = this.limits.steps - this.granted;
    if (!(short <= most)) {
      throw new BudgetError("STEP_LIMIT", `the template needs more than ${this.limits.steps} steps`);
    }
    const steps = Math.min(short + STRIDE, most);
    this.pace?.grant(steps);
    this.granted += steps;
    this.stepsLeft += steps;
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
