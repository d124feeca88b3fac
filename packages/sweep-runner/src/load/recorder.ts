import { hash } from "node:crypto";
import type { RecordedError, RequestRecord, RequestState, TokenSource } from "../record.ts";
import { CHANNELS, seriesOf, StreamTrace, type OnText, type TraceColumns } from "../stream/stream-trace.ts";
import type { LiveAnswers } from "../targets/live-answers.ts";
import type { ExchangeObserver, Outcome, PreparedRequest } from "../targets/target.ts";

export type { OnText } from "../stream/stream-trace.ts";

export interface RecordIdentity {
  readonly id: string;
  readonly phase: "warmup" | "measure";
  readonly scheduledNs: number;
  /** Default 0: the only one. */
  readonly repetition?: number | undefined;
  /** Default 0: the only one. */
  readonly worker?: number | undefined;
}

/** What the thread that sent a request knows of it in the end. */
export interface Exchanged {
  readonly sentNs: number | null;
  readonly headersNs: number | null;
  readonly outcome: Outcome;
  readonly columns: TraceColumns;
  /** UTF-8. */
  readonly texts: Readonly<Record<(typeof CHANNELS)[number], Buffer>>;
}

/** Collects what one exchange tells, on the thread that stamps. */
export class Recorder implements ExchangeObserver {
  readonly trace: StreamTrace;
  #sentNs: number | null = null;
  #headersNs: number | null = null;

  constructor(onText?: OnText) {
    this.trace = new StreamTrace(onText);
  }

  sent(atNs: number): void {
    this.#sentNs ??= atNs;
  }

  headers(atNs: number): void {
    this.#headersNs = atNs;
  }

  finish(outcome: Outcome): Exchanged {
    const { trace } = this;
    return {
      sentNs: this.#sentNs,
      headersNs: this.#headersNs,
      outcome,
      columns: trace,
      texts: {
        reasoning: trace.text("reasoning"),
        content: trace.text("content"),
        tool: trace.text("tool"),
      },
    };
  }
}

/** Keeps what a turn was answered for the turns after it: its answer, without its reasoning. False where there is none. */
export function takeAnswer(
  answers: LiveAnswers,
  index: number,
  first: number,
  exchanged: Exchanged,
): boolean {
  const { outcome, texts } = exchanged;
  const answered = outcome.error === null && !outcome.aborted && outcome.dropped !== true;
  if (answered) answers.take(index, first, () => texts.content.toString("utf8"));
  else answers.end(first);
  return answered;
}

/**
 * The record of a request that has ended. Hashes, so not for the thread that stamps other requests meanwhile.
 *
 * @param keepText whether the record holds the whole output text
 */
export function makeRecord(
  identity: RecordIdentity,
  request: PreparedRequest,
  exchanged: Exchanged,
  keepText = false,
): RequestRecord {
  const { outcome, texts } = exchanged;
  const { error, usage, retries = 0 } = outcome;
  const [outputTokens, tokenSource] = countTokens(outcome);
  const textBytes = CHANNELS.reduce((sum, channel) => sum + texts[channel].length, 0);
  return {
    type: "request",
    id: identity.id,
    promptId: request.promptId,
    phase: identity.phase,
    state: stateOf(outcome),
    repetition: identity.repetition ?? 0,
    turn: request.turn ?? null,
    worker: identity.worker ?? 0,
    scheduledNs: identity.scheduledNs,
    sentNs: exchanged.sentNs,
    connectNs: outcome.connectNs ?? null,
    headersNs: exchanged.headersNs,
    chunks: seriesOf(exchanged.columns),
    endNs: outcome.endNs,
    attempts: outcome.attempts ?? (exchanged.sentNs === null ? 0 : 1),
    ...(retries === 0 ? {} : { retries }),
    status: outcome.status,
    retryAfterS: outcome.retryAfterS ?? null,
    plannedPromptTokens: request.promptTokens,
    plannedOutputTokens: request.outputTokens ?? null,
    finish: outcome.finish,
    usage,
    outputTokens,
    tokenSource,
    textSha256: textBytes === 0 ? null : hashOf(texts),
    textBytes,
    ...(keepText ? { text: CHANNELS.map((channel) => texts[channel].toString("utf8")).join("") } : {}),
    requestSha256: request.sha256,
    connection: outcome.connection,
    acceptance: outcome.acceptance,
    firstEosIndex: outcome.firstEosIndex,
    error: error === null ? null : withStatus(error, outcome.status),
  };
}

function stateOf({ dropped, aborted, error }: Outcome): RequestState {
  if (dropped === true) return "dropped";
  if (aborted) return "aborted";
  return error === null ? "ok" : "failed";
}

function hashOf(texts: Exchanged["texts"]): string {
  const parts = CHANNELS.map((channel) => texts[channel]).filter((text) => text.length > 0);
  return hash("sha256", parts.length === 1 ? (parts[0] ?? "") : Buffer.concat(parts), "hex");
}

/** n: what the server counted, else the token ids that came, else unknown. Chunks are never counted. */
function countTokens({ usage, tokenIdCount }: Outcome): [number | null, TokenSource] {
  const counted = usage?.completionTokens ?? null;
  if (counted !== null) return [counted, "usage"];
  return tokenIdCount === null ? [null, "unknown"] : [tokenIdCount, "token-ids"];
}

function withStatus(error: RecordedError, status: number | null): RecordedError {
  return error.kind === "http" && status !== null
    ? { kind: "http", message: `HTTP ${status}: ${error.message}` }
    : error;
}
