import type { OutputLogprobs } from "@onpar/engine-binding";

/** Text of one token, special ones shown. */
export type TokenText = (tokenId: number) => string;

interface WireToken {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[];
}

function wireToken(tokenId: number, logprob: number, textOf: TokenText): WireToken {
  const token = textOf(tokenId);
  return { token, logprob: finite(logprob), bytes: [...Buffer.from(token)] };
}

/** JSON has no infinity; OpenAI's floor for a token that cannot come. */
function finite(logprob: number): number {
  return Math.max(logprob, -9999);
}

/** `logprobs` of a chat choice. */
export function chatLogprobs(entries: readonly OutputLogprobs[], textOf: TokenText): object {
  return {
    content: entries.map(({ tokenId, logprob, top }) => ({
      ...wireToken(tokenId, logprob, textOf),
      top_logprobs: top.map((one) => wireToken(one.tokenId, one.logprob, textOf)),
    })),
    refusal: null,
  };
}

/** `logprobs` of a completion choice; offsets count characters of the output's token texts, from `offset` on. */
export class CompletionLogprobs {
  readonly #textOf: TokenText;
  #offset = 0;

  constructor(textOf: TokenText) {
    this.#textOf = textOf;
  }

  next(entries: readonly OutputLogprobs[]): object {
    const tokens = entries.map(({ tokenId }) => this.#textOf(tokenId));
    const offsets = tokens.map((token) => {
      const at = this.#offset;
      this.#offset += token.length;
      return at;
    });
    return {
      tokens,
      token_logprobs: entries.map(({ logprob }) => finite(logprob)),
      top_logprobs: entries.map(({ tokenId, logprob, top }) =>
        Object.fromEntries(
          [{ tokenId, logprob }, ...top].map((one) => [this.#textOf(one.tokenId), finite(one.logprob)]),
        ),
      ),
      text_offset: offsets,
    };
  }
}
