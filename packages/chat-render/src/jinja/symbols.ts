/** How a frame fills a variable when it is entered. */
export type Load =
  /** It is given a value by what made the frame. */
  | "parameter"
  /** It is looked up in the variables of the template. */
  | "resolve"
  /** It starts with the value that an outer frame has. */
  | "alias"
  | "undefined";

/**
 * A function of the compiled template: the template itself, a block, a macro, the body of a recursive loop, the test of
 * a loop. Frames inside it share its slots, as Jinja's frames share the local variables of a Python function.
 */
export class FunctionUnit {
  readonly depth: number;
  /** Whether functions were made inside it, which may read its slots after a frame was left. */
  hasInner = false;
  readonly #slots = new Map<string, number>();

  constructor(parent: FunctionUnit | null) {
    this.depth = parent === null ? 0 : parent.depth + 1;
    if (parent !== null) {
      parent.hasInner = true;
    }
  }

  get size(): number {
    return this.#slots.size;
  }

  slot(name: string, level: number): number {
    const key = `${level} ${name}`;
    const known = this.#slots.get(key) ?? this.#slots.size;
    this.#slots.set(key, known);
    return known;
  }
}

/**
 * The names that a frame refers to. Jinja decides while it compiles whether a name is looked up, or starts with an outer
 * value, or is undefined; what it decides shows in the result, so the rules are the same.
 */
export class Symbols {
  readonly unit: FunctionUnit;
  readonly parent: Symbols | null;
  readonly level: number;
  /** Names of this frame and how they are filled. */
  readonly loads: Map<string, Load>;
  /** Names that are assigned in this frame. */
  readonly stores: Set<string>;

  constructor(unit: FunctionUnit, parent: Symbols | null, model?: Symbols) {
    this.unit = unit;
    this.parent = parent;
    this.level = parent === null ? 0 : parent.level + 1;
    this.loads = new Map(model?.loads);
    this.stores = new Set(model?.stores);
  }

  copy(): Symbols {
    return new Symbols(this.unit, this.parent, this);
  }

  /** The frame that a name belongs to. */
  find(name: string): Symbols | null {
    if (this.loads.has(name)) {
      return this;
    }
    return this.parent === null ? null : this.parent.find(name);
  }

  slot(name: string): number {
    return this.unit.slot(name, this.level);
  }

  store(name: string): void {
    this.stores.add(name);
    if (!this.loads.has(name)) {
      this.loads.set(name, this.#isOuter(name) ? "alias" : "undefined");
    }
  }

  declareParameter(name: string): void {
    this.stores.add(name);
    this.loads.set(name, "parameter");
  }

  load(name: string): void {
    if (this.find(name) === null) {
      this.loads.set(name, "resolve");
    }
  }

  #isOuter(name: string): boolean {
    return this.parent !== null && this.parent.find(name) !== null;
  }

  /** Takes over what the branches of an `if` found: a name set in only some of them needs a value for the others. */
  mergeBranches(branches: readonly Symbols[]): void {
    const stored = new Set(branches.flatMap((branch) => [...branch.stores]));
    for (const name of this.stores) {
      stored.delete(name);
    }
    for (const branch of branches) {
      for (const [name, load] of branch.loads) {
        this.loads.set(name, load);
      }
      for (const name of branch.stores) {
        this.stores.add(name);
      }
    }
    for (const name of stored) {
      this.loads.set(name, this.#isOuter(name) ? "alias" : "resolve");
    }
  }
}
