import type { TokenBatch } from "./engine.ts";

/** Read items are cut off the list when they are this many, and most of it. */
const CUT = 1024;

/** Batches on their way from the engine to the one who reads them. The reader may be slow: at most `maxTokens` pile up. */
export class BatchStream<T extends object = TokenBatch> {
  #items: T[] = [];
  #read = 0;
  #failure: { readonly error: Error } | null = null;
  #wake: (() => void) | null = null;

  push(item: T): void {
    this.#items.push(item);
    this.#wake?.();
  }

  /** Lets the reader throw once it has read what came before. */
  fail(error: Error): void {
    this.#failure ??= { error };
    this.#wake?.();
  }

  async next(): Promise<T> {
    for (;;) {
      const item = this.#items[this.#read];
      if (item !== undefined) {
        this.#read++;
        this.#cut();
        return item;
      }
      if (this.#failure !== null) throw this.#failure.error;
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = null;
    }
  }

  /** Cuts off what was read, seldom enough to cost nothing. */
  #cut(): void {
    const all = this.#read === this.#items.length;
    if (!all && (this.#read < CUT || this.#read * 2 < this.#items.length)) return;
    this.#items = all ? [] : this.#items.slice(this.#read);
    this.#read = 0;
  }
}
