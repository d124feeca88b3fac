import type { SpecDecodeCounts } from "@onpar/metrics-client";

/**
 * What one request leaves behind: one JSON line, appended when the request ends. Records are the truth; every
 * figure is computed from them. Offsets are integer nanoseconds from the start of the run on one monotonic clock,
 * taken when the bytes arrived.
 */
export interface RequestRecord {
  readonly type: "request";
  /** Unique in the run, for example `measure-12`. */
  readonly id: string;
  readonly promptId: string;
  /** Warm-up requests are recorded and never measured. */
  readonly phase: "warmup" | "measure";
  /**
   * `dropped`: came due and was never sent, because as many requests as may be were in flight until it was too late.
   * `aborted`: cut off by the end of the run.
   */
  readonly state: RequestState;
  /** Repetition of the load that the request belongs to, from 0. */
  readonly repetition: number;
  /** The conversation that the request is a turn of, and which one, from 0; null for a request of its own. */
  readonly turn: { readonly conversation: string; readonly index: number } | null;
  /** Which worker sent it, from 0. */
  readonly worker: number;
  /** When the request was due; in a closed loop, when its worker became free. */
  readonly scheduledNs: number;
  /** On a connection that stands; null when it was never sent. */
  readonly sentNs: number | null;
  /** How long opening the connection took, TLS included, ns; null on one that stood already and in process. */
  readonly connectNs: number | null;
  readonly headersNs: number | null;
  readonly chunks: ChunkSeries;
  /** End of the stream; of a dropped request, when it was given up. */
  readonly endNs: number;
  /** How often it was sent, from 1; 0 when it never was. More than 1 only after a stale connection or where retries are asked for. */
  readonly attempts: number;
  /** How often it was sent again after a refusal, which retries are asked for; its times count from the first sending. Absent for never. */
  readonly retries?: number;
  /** HTTP status; null in process or when none arrived. */
  readonly status: number | null;
  /** `Retry-After` of the answer, s; null without it. */
  readonly retryAfterS: number | null;
  /** Prompt tokens that were counted before sending; null where nobody counted. */
  readonly plannedPromptTokens: number | null;
  /** Output cap of this request, tokens; null when it is that of the run. */
  readonly plannedOutputTokens: number | null;
  readonly finish: { readonly raw: string | null; readonly reason: FinishKind };
  /** As the server sent it. */
  readonly usage: RecordedUsage | null;
  /** n, the output tokens that figures are computed with. */
  readonly outputTokens: number | null;
  readonly tokenSource: TokenSource;
  /** sha256 (hex) of the whole output text, reasoning first. */
  readonly textSha256: string | null;
  readonly textBytes: number;
  readonly text?: string;
  /** sha256 (hex) of the request body. */
  readonly requestSha256: string;
  readonly connection: "new" | "reused" | null;
  /** When the server or engine gives counts per request. */
  readonly acceptance: SpecDecodeCounts | null;
  /** Index of the first EOS in the output; only an in-process engine knows it under ignored EOS. */
  readonly firstEosIndex: number | null;
  readonly error: RecordedError | null;
}

export type RequestState = "ok" | "failed" | "dropped" | "aborted";

/**
 * The events of a stream, column by column: a million records must be read in seconds, and a line must stay readable.
 * All columns have one entry per event.
 */
export interface ChunkSeries {
  /** One letter per event: r role, t reasoning, c content, o tool, u usage, f finish, e error, d done, w whole, "." empty. */
  readonly kinds: string;
  /** Arrival, ns: of the first event since the start of the run, of every other one since the event before it. */
  readonly gapsNs: readonly number[];
  /** Bytes of text (UTF-8). */
  readonly bytes: readonly number[];
  /** Tokens, null where an event does not tell; null when no event does. */
  readonly tokens: readonly (number | null)[] | null;
}

/**
 * What an event of a stream is. An event with text or a token is named by its channel, whatever else it carries; an answer
 * that was not streamed is one event, `whole`, which says nothing about its first token.
 */
export type ChunkKind =
  | "role"
  | "reasoning"
  | "content"
  | "tool"
  | "usage"
  | "finish"
  | "error"
  | "done"
  | "whole"
  | "empty";

/** One event of a stream: arrival (ns since the start of the run), kind, text bytes (UTF-8), tokens when they are known. */
export type ChunkMark = readonly [atNs: number, kind: ChunkKind, bytes: number, tokens: number | null];

/** Why an output ended, over all servers' spellings. `stop` is EOS or a stop string where the server does not say which. */
export type FinishKind = "eos" | "stop" | "stop-string" | "length" | "tool-calls" | "abort" | "unknown";

/** Where the count of output tokens comes from; `tokenizer` is one tokenisation of the whole text. */
export type TokenSource = "usage" | "token-ids" | "tokenizer" | "unknown";

/** Counts of tokens as the server or engine gave them; null where it gave none. */
export interface RecordedUsage {
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly cachedPromptTokens: number | null;
  /** Inside `completionTokens`. */
  readonly reasoningTokens: number | null;
}

/** What went wrong: status outside 2xx, an error inside the answer, the connection, the deadline, an answer cut off, an answer without output, the in-process engine. */
export type ErrorKind =
  | "http"
  | "stream-error"
  | "transport"
  | "timeout"
  | "truncated"
  | "no-output"
  | "engine";

/** Why a request failed, in one line. */
export interface RecordedError {
  readonly kind: ErrorKind;
  readonly message: string;
}
