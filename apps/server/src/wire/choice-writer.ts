import type { OutputLogprobs } from "@onpar/engine-binding";

/** OpenAI's `finish_reason`. */
export type WireFinishReason = "stop" | "length" | "tool_calls";

/** How an output ended, as clients read it. */
export interface WireFinish {
  readonly finish_reason: WireFinishReason;
  /** vLLM's field: the stop string or token id that matched; null for EOS and for the cap. */
  readonly stop_reason: string | number | null;
}

/** One element of `choices`. */
export type WireChoice = Readonly<Record<string, unknown>>;

/** What became known of an output: by one batch, or by all of them. */
export interface OutputPiece {
  readonly text: string;
  readonly tokenIds: readonly number[];
  /** One entry per token id where the request asked for them. */
  readonly logprobs: readonly OutputLogprobs[];
}

/** What a request asked to be told of every output. */
export interface ChoiceOptions {
  /** Place of the output among those of its request. */
  readonly index: number;
  /** Prompt of the output. */
  readonly promptTokenIds: readonly number[];
  readonly returnTokenIds: boolean;
  readonly returnLogprobs: boolean;
  /** Text of one token, special ones shown. */
  readonly tokenText: (tokenId: number) => string;
}

/** Turns one output into `choices` of one endpoint; holds what the endpoint needs between batches. */
export interface ChoiceWriter {
  /** The choice that opens a stream, or null when the endpoint has none. */
  opening(): WireChoice | null;
  /** What one batch brought; null when none of it can be shown yet. */
  piece(piece: OutputPiece): WireChoice | null;
  /** Text that was kept back until the end; null when none was. */
  rest(): WireChoice | null;
  /** The choice that ends a stream. */
  closing(finish: WireFinish): WireChoice;
  /** The one choice of an answer that is not streamed. */
  whole(output: OutputPiece, finish: WireFinish): WireChoice;
}

/** What the answers of one endpoint have in common. */
export interface EndpointNames {
  readonly idPrefix: string;
  /** `object` of the whole answer and of a stream's chunks. */
  readonly bodyObject: string;
  readonly chunkObject: string;
}

export const chatNames: EndpointNames = {
  idPrefix: "chatcmpl-",
  bodyObject: "chat.completion",
  chunkObject: "chat.completion.chunk",
};

export const completionNames: EndpointNames = {
  idPrefix: "cmpl-",
  bodyObject: "text_completion",
  chunkObject: "text_completion",
};
