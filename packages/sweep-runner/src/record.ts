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
  readonly state: "ok" | "failed" | "aborted";
  /** When the request was due; in a closed loop, when its worker became free. */
  readonly scheduledNs: number;
  readonly sentNs: number | null;
  readonly headersNs: number | null;
  readonly chunks: readonly ChunkMark[];
  /** End of the stream. */
  readonly endNs: number;
  /** HTTP status; null in process or when none arrived. */
  readonly status: number | null;
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

/** What an event of a stream is. An event with text or a token is named by its channel, whatever else it carries. */
export type ChunkKind =
  | "role"
  | "reasoning"
  | "content"
  | "tool"
  | "usage"
  | "finish"
  | "error"
  | "done"
  | "empty";

/** One event of the stream: arrival (ns), kind, text bytes (UTF-8), tokens when they are known. */
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
