import { parseJsonBody } from "../http/json-body.ts";
import { ObjectEnd } from "./object-end.ts";

/** A piece of a call that a model makes. */
export interface CallPart {
  /** Given with the first piece of a call. */
  readonly name: string | null;
  /** JSON text, or the next piece of it. */
  readonly arguments: string;
}

/** Text of an output, and the calls that were told apart from it. */
export interface SplitCalls {
  readonly content: string;
  readonly calls: readonly CallPart[];
}

const opening = "<tool_call>";
const closing = "</tool_call>";
/** Characters of one call that are kept back; what goes on longer is text. */
const maxCallLength = 262_144;
/** Characters before the arguments in which a call can show that it is one. */
const maxHeadLength = 4096;
/** As models write calls: the name first. From here on nothing need be kept back. */
const head = /^<tool_call>\s*\{\s*"name"\s*:\s*("(?:[^"\\]|\\.)+")\s*,\s*"arguments"\s*:\s*(?=\{)/;
/** What stands between the arguments of a call and its end. */
const tail = /^\s*\}?\s*$/;

function parsedName(text: string | undefined): string | null {
  try {
    const name: unknown = JSON.parse(text ?? "");
    return typeof name === "string" ? name : null;
  } catch {
    return null;
  }
}

/** A call that shows what it is only when it is whole. */
function callOf(text: string): CallPart | null {
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
 * Tells calls of the form `<tool_call>{"name": ..., "arguments": {...}}</tool_call>` from the rest of the output. A call is told as
 * soon as its name and the beginning of its arguments are there, and its arguments as they come, as the model writes them. What
 * looks like a call until then and is not stays text.
 */
export class ToolCallSplitter {
  #state: "text" | "call" | "arguments" | "tail" = "text";
  #held = "";
  #object = new ObjectEnd();
  #content = "";
  #calls: CallPart[] = [];

  push(text: string): SplitCalls {
    this.#held += text;
    while (this.#advance());
    return this.#told();
  }

  /** What was kept back, when the output is over: what had not shown to be a call is text. */
  end(): SplitCalls {
    if (this.#state === "arguments") this.#argue(this.#held);
    else if (this.#state !== "tail" || !tail.test(this.#held)) this.#content += this.#held;
    this.#held = "";
    this.#state = "text";
    return this.#told();
  }

  #told(): SplitCalls {
    const told = { content: this.#content, calls: this.#calls };
    this.#content = "";
    this.#calls = [];
    return told;
  }

  /** Reads on in what is held; false when more text is needed for that. */
  #advance(): boolean {
    if (this.#state === "text") return this.#readText();
    if (this.#state === "call") return this.#readHead() || this.#readWhole();
    return this.#state === "arguments" ? this.#readArguments() : this.#readTail();
  }

  #readText(): boolean {
    const start = beginningOf(opening, this.#held);
    this.#content += this.#take(start < 0 ? this.#held.length : start);
    if (this.#held.length < opening.length) return false;
    this.#state = "call";
    return true;
  }

  #readHead(): boolean {
    const [found, quoted] = head.exec(this.#held.slice(0, maxHeadLength)) ?? [];
    const name = found === undefined || found.includes(closing) ? null : parsedName(quoted);
    if (found === undefined || name === null) return false;
    this.#take(found.length);
    this.#calls.push({ name, arguments: "" });
    this.#object = new ObjectEnd();
    this.#state = "arguments";
    return true;
  }

  #readWhole(): boolean {
    const end = this.#held.indexOf(closing, opening.length);
    if (end < 0 && this.#held.length <= maxCallLength) return false;
    const whole = this.#take(end < 0 ? this.#held.length : end + closing.length);
    const call = end < 0 ? null : callOf(whole.slice(opening.length, end));
    if (call === null) this.#content += whole;
    else this.#calls.push(call);
    this.#state = "text";
    return true;
  }

  #readArguments(): boolean {
    // The marker ends a call wherever it stands: a model that forgets a brace is not followed to the end of the output.
    const marker = beginningOf(closing, this.#held);
    const piece = marker < 0 ? this.#held : this.#held.slice(0, marker);
    const end = this.#object.find(piece);
    this.#argue(this.#take(end ?? piece.length));
    if (end !== null || this.#held.startsWith(closing)) {
      this.#state = "tail";
      return true;
    }
    return false;
  }

  #readTail(): boolean {
    const end = this.#held.indexOf(closing);
    if (end < 0 && this.#held.length <= maxCallLength) return false;
    if (end < 0) this.#content += this.#take(this.#held.length);
    else this.#take(end + closing.length);
    this.#state = "text";
    return true;
  }

  /** Adds to the arguments of the call that is under way. */
  #argue(piece: string): void {
    if (piece === "") return;
    const last = this.#calls.pop();
    this.#calls.push({ name: last?.name ?? null, arguments: (last?.arguments ?? "") + piece });
  }

  #take(length: number): string {
    const taken = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return taken;
  }
}
