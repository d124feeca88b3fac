import type { ChoiceWriter, WireChoice, WireFinish } from "./choice-writer.ts";

/** Choices of `/v1/completions`. */
export class CompletionChoices implements ChoiceWriter {
  readonly idPrefix = "cmpl-";
  readonly bodyObject = "text_completion";
  readonly chunkObject = "text_completion";

  opening(): null {
    return null;
  }

  text(text: string): WireChoice {
    return { index: 0, text, logprobs: null, finish_reason: null };
  }

  rest(): null {
    return null;
  }

  closing(finish: WireFinish): WireChoice {
    return this.whole("", finish);
  }

  whole(text: string, finish: WireFinish): WireChoice {
    return { index: 0, text, logprobs: null, ...finish };
  }
}
