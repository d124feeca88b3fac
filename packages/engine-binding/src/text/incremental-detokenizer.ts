/** What an unfinished UTF-8 sequence decodes to. */
const REPLACEMENT = "\uFFFD";
/** A character has at most four bytes and a token at least one: more pending tokens than this are not one character. */
const MAX_PENDING_TOKENS = 16;

/**
 * Text of tokens that arrive one by one, such that the pieces together are the text of all of them. Tokens are decoded
 * with the few that came before, because tokenizers decide on spaces by their neighbours, and text is held back while it
 * ends in an unfinished character (a byte-level vocabulary splits characters between tokens).
 */
export class IncrementalDetokenizer {
  readonly #detokenize: (tokens: readonly number[]) => string;
  /** Tokens whose text was shown and that only give context, then those whose text was not shown yet. */
  #window: number[];
  #shownTokens: number;
  #shownText: string;

  /** @param context the tokens before the first one, usually the last few of the prompt. */
  constructor(detokenize: (tokens: readonly number[]) => string, context: readonly number[] = []) {
    this.#detokenize = detokenize;
    this.#window = [...context];
    this.#shownTokens = context.length;
    this.#shownText = detokenize(context);
    // a prompt that ends inside a character: its text cannot be told apart from what completes it
    if (this.#shownText.endsWith(REPLACEMENT)) this.#restart();
  }

  /** The text that became certain with this token; often empty. */
  push(token: number): string {
    this.#window.push(token);
    const text = this.#detokenize(this.#window);
    if (text === this.#shownText) {
      // a token without text (a special one): keep it out of the window, which would grow without bound otherwise
      if (this.#window.length === this.#shownTokens + 1) this.#window.pop();
      return "";
    }
    const pending = this.#window.length - this.#shownTokens;
    if (text.endsWith(REPLACEMENT) && pending <= MAX_PENDING_TOKENS) return "";
    return this.#show(text);
  }

  /** The text held back, with U+FFFD for an unfinished character, to be shown because nothing follows. */
  flush(): string {
    if (this.#window.length === this.#shownTokens) return "";
    return this.#show(this.#detokenize(this.#window));
  }

  #show(text: string): string {
    const piece = text.slice(this.#shownText.length);
    if (text.endsWith(REPLACEMENT)) {
      this.#restart();
    } else {
      this.#window = this.#window.slice(this.#shownTokens);
      this.#shownTokens = this.#window.length;
      this.#shownText = this.#detokenize(this.#window);
    }
    return piece;
  }

  #restart(): void {
    this.#window = [];
    this.#shownTokens = 0;
    this.#shownText = "";
  }
}
