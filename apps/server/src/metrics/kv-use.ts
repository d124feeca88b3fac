/** The tokens that one output keeps in the cache. */
export interface KvShare {
  /** Counts the output's tokens; its prompt counts with the first of them. */
  grow(promptTokens: number, outputTokens: number): void;
  close(): void;
}

/** Tokens in the cache that belong to requests under way: what vLLM calls the use of the KV cache. */
export class KvUse {
  #tokens = 0;

  get tokens(): number {
    return this.#tokens;
  }

  open(): KvShare {
    let mine = 0;
    return {
      grow: (promptTokens, outputTokens) => {
        const more = outputTokens + (mine === 0 ? promptTokens : 0);
        mine += more;
        this.#tokens += more;
      },
      close: () => {
        this.#tokens -= mine;
        mine = 0;
      },
    };
  }
}
