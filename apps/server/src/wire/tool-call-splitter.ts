import { parseJsonBody } from "../http/json-body.ts";

/** A call that a model made. */
export interface ToolCall {
  readonly name: string;
  /** JSON text. */
  readonly arguments: string;
}

/** Text of an output, and the calls that were told apart from it. */
export interface SplitCalls {
  readonly content: string;
  readonly calls: readonly ToolCall[];
}

const opening = "<tool_call>";
const closing = "</tool_call>";
/** Characters of one call; what goes on longer is text. */
const maxCallLength = 262_144;

function callOf(text: string): ToolCall | null {
  try {
    const value = parseJsonBody(Buffer.from(text));
    if (typeof value !== "object" || value === null || !("name" in value)) return null;
    if (typeof value.name !== "string" || value.name === "") return null;
    const args = "arguments" in value ? value.arguments : {};
    return { name: value.name, arguments: typeof args === "string" ? args : JSON.stringify(args) };
  } catch {
    return null;
  }
}

/** Where `marker` begins in `text`, also when it is cut off by the end of the text; -1 when it does not. */
function beginningOf(marker: string, text: string): number {
  const whole = text.indexOf(marker);
  if (whole >= 0) return whole;
  for (let length = Math.min(marker.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(marker.slice(0, length))) return text.length - length;
  }
  return -1;
}

/**
 * Tells calls of the form `<tool_call>{"name": ..., "arguments": {...}}</tool_call>` from the rest of the output.
 * What looks like one and is not stays text.
 */
export class ToolCallSplitter {
  #held = "";

  push(text: string): SplitCalls {
    this.#held += text;
    let content = "";
    const calls: ToolCall[] = [];
    for (;;) {
      const start = beginningOf(opening, this.#held);
      if (start < 0) {
        content += this.#takeText();
        break;
      }
      content += this.#held.slice(0, start);
      this.#held = this.#held.slice(start);
      const end = this.#held.indexOf(closing, opening.length);
      if (end < 0 && this.#held.length <= maxCallLength) break;
      const whole = end < 0 ? this.#held : this.#held.slice(0, end + closing.length);
      const call = end < 0 ? null : callOf(this.#held.slice(opening.length, end));
      if (call === null) content += whole;
      else calls.push(call);
      this.#held = this.#held.slice(whole.length);
    }
    return { content, calls };
  }

  /** What was kept back, when the output is over: a call that was cut off is text. */
  end(): SplitCalls {
    const content = this.#held;
    this.#held = "";
    return { content, calls: [] };
  }

  #takeText(): string {
    const text = this.#held;
    this.#held = "";
    return text;
  }
}
