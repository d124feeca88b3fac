import type { OnText } from "@onpar/sweep-runner";

const OPENING = "<think>";
const CLOSING = "</think>";

/** Tells reasoning from content in text that comes piece by piece. */
export interface ReasoningSplit {
  /** Takes the next piece, and passes on what can be told apart by now. */
  readonly push: (text: string) => void;
  /** Passes on what was kept back because it could have become a marker. */
  readonly end: () => void;
}

/**
 * Splits the output of an engine in this process as a server splits its own: an output that begins with `<think>` is
 * reasoning up to `</think>`; a later `<think>` is text that the model writes about. The markers are left out, and nothing
 * is trimmed.
 */
export function splitReasoning(onText: OnText): ReasoningSplit {
  let state: "start" | "reasoning" | "content" = "start";
  let held = "";
  const pass = (text: string, channel: "reasoning" | "content") => {
    if (text !== "") onText(text, channel);
  };
  return {
    push(text) {
      held += text;
      if (state === "start") {
        if (held.length < OPENING.length && OPENING.startsWith(held)) return;
        state = held.startsWith(OPENING) ? "reasoning" : "content";
        if (state === "reasoning") held = held.slice(OPENING.length);
      }
      if (state === "reasoning") {
        const end = held.indexOf(CLOSING);
        const told = end >= 0 ? end : held.length - beginningOf(CLOSING, held);
        pass(held.slice(0, told), "reasoning");
        held = held.slice(told);
        if (end < 0) return;
        held = held.slice(CLOSING.length);
        state = "content";
      }
      pass(held, "content");
      held = "";
    },
    end() {
      pass(held, state === "reasoning" ? "reasoning" : "content");
      held = "";
    },
  };
}

/** Length of the longest end of a text that a marker may begin with. */
function beginningOf(marker: string, text: string): number {
  let length = Math.min(text.length, marker.length - 1);
  while (length > 0 && !text.endsWith(marker.slice(0, length))) length -= 1;
  return length;
}
