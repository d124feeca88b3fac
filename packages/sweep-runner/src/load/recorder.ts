import { createHash } from "node:crypto";
import { ChunkBuilder } from "../records/chunk-series.ts";
import type { RecordedError, RequestRecord, TokenSource } from "../record.ts";
import type { ExchangeObserver, ObservedChunk, Outcome, PreparedRequest } from "../targets/target.ts";

/** Called with every piece of text as it arrives. */
export type OnText = (text: string, channel: "reasoning" | "content" | "tool") => void;

export interface RecordIdentity {
  readonly id: string;
  readonly phase: "warmup" | "measure";
  readonly scheduledNs: number;
  /** Default 0: the only one. */
  readonly repetition?: number | undefined;
  /** Default 0: the only one. */
  readonly worker?: number | undefined;
}

export interface FinishedRecord {
  readonly record: RequestRecord;
  readonly reasoning: string;
  readonly content: string;
}

/** Collects what one exchange tells and makes its record. Texts live only until the record is made. */
export interface Recorder {
  readonly observer: ExchangeObserver;
  finish(outcome: Outcome): FinishedRecord;
}

export function createRecorder(
  identity: RecordIdentity,
  request: PreparedRequest,
  onText?: OnText,
): Recorder {
  const chunks = new ChunkBuilder();
  const texts = { reasoning: "", content: "", tool: "" };
  let sentNs: number | null = null;
  let headersNs: number | null = null;

  return {
    observer: {
      sent(atNs) {
        sentNs ??= atNs;
      },
      headers(atNs) {
        headersNs = atNs;
      },
      chunk(chunk) {
        chunks.push(chunk.atNs, chunk.kind, textBytes(chunk), chunk.tokens);
        for (const channel of ["reasoning", "content", "tool"] as const) {
          const text = chunk[channel];
          if (text === "") continue;
          texts[channel] += text;
          onText?.(text, channel);
        }
      },
    },
    finish(outcome) {
      const { error, aborted, usage } = outcome;
      const text = texts.reasoning + texts.content + texts.tool;
      const [outputTokens, tokenSource] = countTokens(outcome);
      const record: RequestRecord = {
        type: "request",
        id: identity.id,
        promptId: request.promptId,
        phase: identity.phase,
        state: aborted ? "aborted" : error === null ? "ok" : "failed",
        repetition: identity.repetition ?? 0,
        turn: request.turn ?? null,
        worker: identity.worker ?? 0,
        scheduledNs: identity.scheduledNs,
        sentNs,
        connectNs: outcome.connectNs ?? null,
        headersNs,
        chunks: chunks.series(),
        endNs: outcome.endNs,
        attempts: outcome.attempts ?? (sentNs === null ? 0 : 1),
        status: outcome.status,
        retryAfterS: outcome.retryAfterS ?? null,
        plannedPromptTokens: request.promptTokens,
        plannedOutputTokens: request.outputTokens ?? null,
        finish: outcome.finish,
        usage,
        outputTokens,
        tokenSource,
        textSha256: text === "" ? null : createHash("sha256").update(text).digest("hex"),
        textBytes: Buffer.byteLength(text),
        requestSha256: request.sha256,
        connection: outcome.connection,
        acceptance: outcome.acceptance,
        firstEosIndex: outcome.firstEosIndex,
        error: error === null ? null : withStatus(error, outcome.status),
      };
      return { record, reasoning: texts.reasoning, content: texts.content };
    },
  };
}

/** n: what the server counted, else the token ids that came, else unknown. Chunks are never counted. */
function countTokens({ usage, tokenIdCount }: Outcome): [number | null, TokenSource] {
  const counted = usage?.completionTokens ?? null;
  if (counted !== null) return [counted, "usage"];
  return tokenIdCount === null ? [null, "unknown"] : [tokenIdCount, "token-ids"];
}

function textBytes({ reasoning, content, tool }: ObservedChunk): number {
  return Buffer.byteLength(reasoning) + Buffer.byteLength(content) + Buffer.byteLength(tool);
}

function withStatus(error: RecordedError, status: number | null): RecordedError {
  return error.kind === "http" && status !== null
    ? { kind: "http", message: `HTTP ${status}: ${error.message}` }
    : error;
}
