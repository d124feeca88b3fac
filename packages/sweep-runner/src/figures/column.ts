const SEGMENT = 2 ** 14;

/** A list of numbers that grows without being copied: a run may end with a million requests. NaN is unknown. */
export class Column {
  readonly #segments: Float64Array[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number | null): void {
    const offset = this.#length % SEGMENT;
    if (offset === 0) this.#segments.push(new Float64Array(SEGMENT));
    const segment = this.#segments[this.#segments.length - 1];
    if (segment !== undefined) segment[offset] = value ?? Number.NaN;
    this.#length++;
  }

  /** NaN when it is unknown. */
  at(index: number): number {
    return this.#segments[Math.floor(index / SEGMENT)]?.[index % SEGMENT] ?? Number.NaN;
  }

  /** Null when it is unknown. */
  get(index: number): number | null {
    const value = this.at(index);
    return Number.isNaN(value) ? null : value;
  }
}
