/** The last so many things, the oldest first. Older ones are forgotten, so that a watch may run for weeks. */
export class Ring<T> {
  readonly #capacity: number;
  #items: T[] = [];
  #start = 0;
  #dropped = 0;

  /** @throws {RangeError} for a capacity that is no whole number of at least 1 */
  constructor(capacity: number) {
    if (!Number.isSafeInteger(capacity) || capacity < 1) {
      throw new RangeError(`a ring holds at least 1 thing, not ${capacity}`);
    }
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#items.length;
  }

  /** How many were forgotten. */
  get dropped(): number {
    return this.#dropped;
  }

  push(item: T): void {
    if (this.#items.length < this.#capacity) {
      this.#items.push(item);
      return;
    }
    this.#items[this.#start] = item;
    this.#start = (this.#start + 1) % this.#capacity;
    this.#dropped++;
  }

  toArray(): T[] {
    return [...this.#items.slice(this.#start), ...this.#items.slice(0, this.#start)];
  }
}
