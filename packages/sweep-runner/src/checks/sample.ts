/** Counts records of a kind and remembers the first few by name. */
export class Sample {
  count = 0;
  readonly names: string[] = [];
  readonly #kept: number;

  constructor(kept = 5) {
    this.#kept = kept;
  }

  add(name: string): void {
    this.count++;
    if (this.names.length < this.#kept) this.names.push(name);
  }
}

/** Names by how often they came. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }

  get names(): string[] {
    return [...this.#counts.keys()];
  }

  toString(): string {
    return [...this.#counts].map(([name, count]) => `${name}: ${count}`).join(", ");
  }
}
