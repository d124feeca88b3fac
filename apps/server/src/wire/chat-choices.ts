import type { ChoiceWriter, WireChoice, WireFinish } from "./choice-writer.ts";
import { ReasoningSplitter, type SplitText } from "./reasoning-splitter.ts";

function textFields({ reasoning, content }: SplitText): Record<string, string> {
  return {
    // Two names for one thing: clients written against vLLM since 2026 read the first, everyone else the second.
    ...(reasoning === "" ? {} : { reasoning, reasoning_content: reasoning }),
    ...(content === "" ? {} : { content }),
  };
}

/** Choices of `/v1/chat/completions`. */
export class ChatChoices implements ChoiceWriter {
  readonly idPrefix = "chatcmpl-";
  readonly bodyObject = "chat.completion";
  readonly chunkObject = "chat.completion.chunk";
  readonly #splitter = new ReasoningSplitter();

  opening(): WireChoice {
    return this.#chunk({ role: "assistant", content: "" });
  }

  text(text: string): WireChoice | null {
    return this.#textChunk(this.#splitter.push(text));
  }

  rest(): WireChoice | null {
    return this.#textChunk(this.#splitter.end());
  }

  closing(finish: WireFinish): WireChoice {
    return { ...this.#chunk({}), ...finish };
  }

  whole(text: string, finish: WireFinish): WireChoice {
    const pushed = this.#splitter.push(text);
    const rest = this.#splitter.end();
    const reasoning = pushed.reasoning + rest.reasoning;
    const content = pushed.content + rest.content;
    return {
      index: 0,
      message: { role: "assistant", content, ...textFields({ reasoning, content: "" }) },
      logprobs: null,
      ...finish,
    };
  }

  #textChunk(split: SplitText): WireChoice | null {
    return split.reasoning === "" && split.content === "" ? null : this.#chunk(textFields(split));
  }

  #chunk(delta: Record<string, string>): WireChoice {
    return { index: 0, delta, logprobs: null, finish_reason: null };
  }
}
