import type { TokenBatch } from "./engine.ts";

/** Batches on their way from the engine to the one who reads them. The reader may be slow: at most `maxTokens` pile up. */
export class BatchStream {
  readonly #batches: TokenBatch[] = [];
  #failure: { readonly error: Error } | null = null;
  #wake: (() => void) | null = null;

  push(batch: TokenBatch): void {
    this.#batches.push(batch);
    this.#wake?.();
  }

  /** Lets the reader throw once it has read what came before. */
  fail(error: Error): void {
    this.#failure ??= { error };
    this.#wake?.();
  }

  async next(): Promise<TokenBatch> {
    for (;;) {
      const batch = this.#batches.shift();
      if (batch !== undefined) return batch;
      if (this.#failure !== null) throw this.#failure.error;
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = null;
    }
  }
}
