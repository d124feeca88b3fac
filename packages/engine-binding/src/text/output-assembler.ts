import type { FinishReason } from "../engine.ts";
import type { IncrementalDetokenizer } from "./incremental-detokenizer.ts";
import { StopMatcher } from "./stop-matcher.ts";

/** What ends an output. */
export interface OutputRules {
  readonly maxTokens: number;
  readonly minTokens: number;
  readonly ignoreEos: boolean;
  readonly eosTokenIds: ReadonlySet<number>;
  readonly stopTokenIds: ReadonlySet<number>;
  readonly stop: readonly string[];
}

export interface OutputEnd {
  readonly reason: Exclude<FinishReason, "abort">;
  readonly matched: string | number | null;
}

/** What one batch of generated tokens adds to the output. */
export interface OutputPiece {
  readonly tokenIds: readonly number[];
  readonly text: string;
  readonly end: OutputEnd | null;
}

/**
 * Turns generated tokens into output and decides where it ends. The order of the rules is vLLM's: EOS, stop token, stop
 * string, cap; a token that ends the output stays in its ids, a stop token's own text and a stop string are not shown.
 */
export class OutputAssembler {
  readonly #rules: OutputRules;
  readonly #detokenizer: IncrementalDetokenizer;
  readonly #stops: StopMatcher;
  #count = 0;
  #firstEosIndex: number | null = null;

  constructor(rules: OutputRules, detokenizer: IncrementalDetokenizer) {
    this.#rules = rules;
    this.#detokenizer = detokenizer;
    this.#stops = new StopMatcher(rules.stop);
  }

  /** Output tokens so far, an ending EOS included. */
  get count(): number {
    return this.#count;
  }

  /** Index of the first EOS produced. */
  get firstEosIndex(): number | null {
    return this.#firstEosIndex;
  }

  /** Takes tokens up to the one that ends the output; those after it are left out. */
  push(tokens: readonly number[]): OutputPiece {
    const tokenIds: number[] = [];
    let text = "";
    for (const token of tokens) {
      const index = this.#count++;
      tokenIds.push(token);
      const isEos = this.#rules.eosTokenIds.has(token);
      if (isEos) this.#firstEosIndex ??= index;
      const mayEnd = index >= this.#rules.minTokens;
      if (mayEnd && isEos && !this.#rules.ignoreEos) {
        return { tokenIds, text: text + this.flush(), end: { reason: "eos", matched: token } };
      }
      if (mayEnd && this.#rules.stopTokenIds.has(token)) {
        return { tokenIds, text: text + this.flush(), end: { reason: "stop-token", matched: token } };
      }
      const piece = this.#stops.push(this.#detokenizer.push(token), mayEnd);
      text += piece.text;
      if (piece.matched !== null) {
        return { tokenIds, text, end: { reason: "stop-string", matched: piece.matched } };
      }
      if (this.#count >= this.#rules.maxTokens) {
        return { tokenIds, text: text + this.flush(), end: { reason: "length", matched: null } };
      }
    }
    return { tokenIds, text, end: null };
  }

  /** Text held back, to be shown because the output ends here. */
  flush(): string {
    const last = this.#stops.push(this.#detokenizer.flush(), false);
    return last.text + this.#stops.flush();
  }
}
