/** OpenAI's `finish_reason`. */
export type WireFinishReason = "stop" | "length";

/** How an output ended, as clients read it. */
export interface WireFinish {
  readonly finish_reason: WireFinishReason;
  /** vLLM's field: the stop string or token id that matched; null for EOS and for the cap. */
  readonly stop_reason: string | number | null;
}

/** One element of `choices`. */
export type WireChoice = Readonly<Record<string, unknown>>;

/** Turns the text of one output into `choices` of one endpoint; holds what the endpoint needs between batches. */
export interface ChoiceWriter {
  readonly idPrefix: string;
  /** `object` of the whole answer and of a stream's chunks. */
  readonly bodyObject: string;
  readonly chunkObject: string;
  /** The choice that opens a stream, or null when the endpoint has none. */
  opening(): WireChoice | null;
  /** New text; null when none of it can be shown yet. */
  text(text: string): WireChoice | null;
  /** Text that was kept back until the end; null when none was. */
  rest(): WireChoice | null;
  /** The choice that ends a stream. */
  closing(finish: WireFinish): WireChoice;
  /** The one choice of an answer that is not streamed. */
  whole(text: string, finish: WireFinish): WireChoice;
}
