import type { ChoiceOptions, ChoiceWriter, OutputPiece, WireChoice, WireFinish } from "./choice-writer.ts";
import { CompletionLogprobs } from "./logprobs.ts";

/** Choices of `/v1/completions`. */
export class CompletionChoices implements ChoiceWriter {
  readonly #options: ChoiceOptions;
  readonly #logprobs: CompletionLogprobs;
  #begun = false;

  constructor(options: ChoiceOptions) {
    this.#options = options;
    this.#logprobs = new CompletionLogprobs(options.tokenText);
  }

  opening(): null {
    return null;
  }

  piece(piece: OutputPiece): WireChoice | null {
    const { returnTokenIds, returnLogprobs } = this.#options;
    const tells = piece.text !== "" || ((returnTokenIds || returnLogprobs) && piece.tokenIds.length > 0);
    return tells ? { ...this.#choice(piece), finish_reason: null } : null;
  }

  rest(): null {
    return null;
  }

  closing(finish: WireFinish): WireChoice {
    return { index: this.#options.index, text: "", logprobs: null, ...finish };
  }

  whole(output: OutputPiece, finish: WireFinish): WireChoice {
    return { ...this.#choice(output), ...finish };
  }

  #choice({ text, tokenIds, logprobs }: OutputPiece): WireChoice {
    const { index, returnTokenIds, returnLogprobs, promptTokenIds } = this.#options;
    const prompt = this.#begun ? {} : { prompt_token_ids: promptTokenIds };
    this.#begun = true;
    return {
      index,
      text,
      logprobs: returnLogprobs ? this.#logprobs.next(logprobs) : null,
      ...(returnTokenIds ? { ...prompt, token_ids: tokenIds } : {}),
    };
  }
}
