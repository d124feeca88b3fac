import type { ChoiceOptions, ChoiceWriter, OutputPiece, WireChoice, WireFinish } from "./choice-writer.ts";
import { chatLogprobs } from "./logprobs.ts";
import { ReasoningSplitter } from "./reasoning-splitter.ts";
import { ToolCallSplitter, type CallPart, type SplitCalls } from "./tool-call-splitter.ts";

/** What becomes of calls in the output: parsed out of it, left as text, or the whole output is the arguments of one. */
export type CallReading = "parsed" | "text" | { readonly forced: string };

export interface ChatChoiceOptions extends ChoiceOptions {
  readonly calls: CallReading;
  readonly randomId: () => string;
}

/** One element of `delta.tool_calls`: a call begins with its id and its name, and goes on with its index alone. */
interface WireCall {
  readonly index: number;
  readonly id?: string;
  readonly type?: "function";
  readonly function: { readonly name?: string; readonly arguments: string };
}

/** Calls put together from their pieces, as `message.tool_calls` has them. */
function wholeCalls(pieces: readonly WireCall[]): readonly Omit<WireCall, "index">[] {
  const calls: Omit<WireCall, "index">[] = [];
  for (const { index, function: piece, ...fields } of pieces) {
    const begun = calls[index];
    if (begun === undefined) calls.push({ ...fields, function: piece });
    else {
      const { name, arguments: args } = begun.function;
      const whole = { ...(name === undefined ? {} : { name }), arguments: args + piece.arguments };
      calls[index] = { ...begun, function: whole };
    }
  }
  return calls;
}

interface ChatPiece {
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly WireCall[];
}

function reasoningFields(reasoning: string): Record<string, string> {
  // Two names for one thing: clients written against vLLM since 2026 read the first, everyone else the second.
  return reasoning === "" ? {} : { reasoning, reasoning_content: reasoning };
}

/** Choices of `/v1/chat/completions`. */
export class ChatChoices implements ChoiceWriter {
  readonly #options: ChatChoiceOptions;
  readonly #reasoning = new ReasoningSplitter();
  readonly #calls: ToolCallSplitter | null;
  #callCount = 0;

  constructor(options: ChatChoiceOptions) {
    this.#options = options;
    this.#calls = options.calls === "parsed" ? new ToolCallSplitter() : null;
  }

  opening(): WireChoice {
    return this.#chunk({ role: "assistant", content: "" });
  }

  piece(piece: OutputPiece): WireChoice | null {
    return this.#delta(piece.text === "" ? null : this.#push(piece.text), piece);
  }

  rest(): WireChoice | null {
    return this.#delta(this.#end(), null);
  }

  closing(finish: WireFinish): WireChoice {
    return { ...this.#chunk({}), ...this.#finish(finish) };
  }

  whole(output: OutputPiece, finish: WireFinish): WireChoice {
    const pushed = this.#push(output.text);
    const rest = this.#end();
    const calls = wholeCalls([...pushed.calls, ...rest.calls]);
    const content = pushed.content + rest.content;
    const { returnLogprobs, returnTokenIds, index } = this.#options;
    return {
      index,
      message: {
        role: "assistant",
        content: calls.length > 0 && content.trim() === "" ? null : content,
        ...reasoningFields(pushed.reasoning + rest.reasoning),
        ...(calls.length === 0 ? {} : { tool_calls: calls }),
      },
      logprobs: returnLogprobs ? chatLogprobs(output.logprobs, this.#options.tokenText) : null,
      ...(returnTokenIds ? { token_ids: output.tokenIds } : {}),
      ...this.#finish(finish),
    };
  }

  #finish(finish: WireFinish): WireFinish {
    // A call that was forced is no decision of the model: OpenAI ends it with `stop`.
    const called = this.#callCount > 0 && this.#options.calls === "parsed";
    return called && finish.finish_reason === "stop" ? { ...finish, finish_reason: "tool_calls" } : finish;
  }

  #push(text: string): ChatPiece {
    const { calls } = this.#options;
    if (typeof calls === "object") {
      const name = this.#callCount === 0 ? calls.forced : null;
      return { reasoning: "", content: "", calls: [this.#wireCall({ name, arguments: text })] };
    }
    const split = this.#reasoning.push(text);
    return this.#withCalls(split.reasoning, this.#calls?.push(split.content), split.content);
  }

  #end(): ChatPiece {
    const split = this.#reasoning.end();
    const pushed = this.#calls?.push(split.content);
    const told = this.#withCalls(split.reasoning, pushed, split.content);
    const left = this.#calls?.end();
    if (left === undefined) return told;
    const calls = left.calls.map((call) => this.#wireCall(call));
    return { ...told, content: told.content + left.content, calls: [...told.calls, ...calls] };
  }

  #withCalls(reasoning: string, split: SplitCalls | undefined, content: string): ChatPiece {
    if (split === undefined) return { reasoning, content, calls: [] };
    const calls = split.calls.map((call) => this.#wireCall(call));
    return { reasoning, content: split.content, calls };
  }

  #wireCall({ name, arguments: args }: CallPart): WireCall {
    if (name === null) return { index: this.#callCount - 1, function: { arguments: args } };
    const index = this.#callCount;
    this.#callCount += 1;
    const id = `call_${this.#options.randomId()}`;
    return { index, id, type: "function", function: { name, arguments: args } };
  }

  #delta(told: ChatPiece | null, piece: OutputPiece | null): WireChoice | null {
    const delta = {
      ...reasoningFields(told?.reasoning ?? ""),
      ...(told === null || told.content === "" ? {} : { content: told.content }),
      ...(told === null || told.calls.length === 0 ? {} : { tool_calls: told.calls }),
    };
    const extra = piece === null || piece.tokenIds.length === 0 ? {} : this.#extra(piece);
    if (Object.keys(delta).length === 0 && Object.keys(extra).length === 0) return null;
    return { ...this.#chunk(delta), ...extra };
  }

  #extra({ tokenIds, logprobs }: OutputPiece): WireChoice {
    const { returnLogprobs, returnTokenIds, tokenText } = this.#options;
    return {
      ...(returnLogprobs ? { logprobs: chatLogprobs(logprobs, tokenText) } : {}),
      ...(returnTokenIds ? { token_ids: tokenIds } : {}),
    };
  }

  #chunk(delta: Readonly<Record<string, unknown>>): WireChoice {
    return { index: this.#options.index, delta, logprobs: null, finish_reason: null };
  }
}
