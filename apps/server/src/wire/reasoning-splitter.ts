/** A piece of output, told apart; either may be empty. */
export interface SplitText {
  readonly reasoning: string;
  readonly content: string;
}

const opening = "<think>";
const closing = "</think>";

/** Length of the longest end of `text` that could still grow into `marker`. */
function heldLength(text: string, marker: string): number {
  for (let length = Math.min(text.length, marker.length - 1); length > 0; length -= 1) {
    if (text.endsWith(marker.slice(0, length))) return length;
  }
  return 0;
}

/**
 * Tells reasoning from content in streamed output. Only an output that BEGINS with `<think>` has reasoning: a later
 * `<think>` is text that the model writes about. The markers are left out; nothing else is changed or trimmed, so
 * the parts put together with their markers are the output, byte for byte.
 */
export class ReasoningSplitter {
  #state: "undecided" | "reasoning" | "content" = "undecided";
  #held = "";

  /** What can be told apart after `text`; keeps back what could still be part of a marker. */
  push(text: string): SplitText {
    let pending = this.#held + text;
    this.#held = "";
    if (this.#state === "undecided") {
      if (pending.length < opening.length && opening.startsWith(pending)) {
        this.#held = pending;
        return { reasoning: "", content: "" };
      }
      this.#state = pending.startsWith(opening) ? "reasoning" : "content";
      if (this.#state === "reasoning") pending = pending.slice(opening.length);
    }
    if (this.#state === "content") return { reasoning: "", content: pending };

    const end = pending.indexOf(closing);
    if (end >= 0) {
      this.#state = "content";
      return { reasoning: pending.slice(0, end), content: pending.slice(end + closing.length) };
    }
    const held = heldLength(pending, closing);
    this.#held = pending.slice(pending.length - held);
    return { reasoning: pending.slice(0, pending.length - held), content: "" };
  }

  /** What was kept back, when the output is over. */
  end(): SplitText {
    const held = this.#held;
    this.#held = "";
    return this.#state === "reasoning" ? { reasoning: held, content: "" } : { reasoning: "", content: held };
  }
}
