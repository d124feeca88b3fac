import type { SpecDecodeCounts } from "@onpar/metrics-client";
import type { ChunkKind, RecordedUsage } from "../record.ts";
import type { Finish } from "./finish.ts";

/** What one event of a stream, or one whole answer, carries. */
export interface StreamEvent {
  /** What the chunk is: the answer wins over reasoning when one event holds both. */
  readonly kind: ChunkKind;
  readonly reasoning: string;
  readonly content: string;
  readonly tool: string;
  /** Output token ids of this chunk, when the server sends them: how many. */
  readonly tokenIds: number | null;
  readonly finish: Finish | null;
  readonly usage: RecordedUsage | null;
  readonly acceptance: SpecDecodeCounts | null;
  readonly error: string | null;
}

/** Nothing that is known. */
export const NOTHING: StreamEvent = {
  kind: "empty",
  reasoning: "",
  content: "",
  tool: "",
  tokenIds: null,
  finish: null,
  usage: null,
  acceptance: null,
  error: null,
};

/**
 * How the answers of one interface are read: one file per interface, entered into the table of formats. Runs on the
 * threads that stamp, so it reads and does nothing else.
 */
export interface AnswerFormat {
  /** `sse`: event stream. `lines`: one JSON document per line. */
  readonly framing: "sse" | "lines";
  /** Whether an event is read without a look at those before it. Then events may be read by template. */
  readonly stateless: boolean;
  /** Makes the reader of one answer: what an event says, from its JSON and its `event` field. */
  createReader(): (json: unknown, eventName: string) => StreamEvent;
  /** What an answer says that came whole, because no stream was asked for. */
  readWhole(json: unknown): StreamEvent;
}
