import type { SpecDecodeCounts } from "@onpar/metrics-client";
import { NO_FINISH, type Finish } from "./finish.ts";
import { readStreamEvent, type StreamEvent } from "./openai-events.ts";
import type { RecordedError, RecordedUsage } from "../record.ts";
import { parseJson } from "./server-message.ts";
import { createSseReader, type SseEvent, type SseReader } from "./sse.ts";
import type { ObservedChunk } from "../targets/target.ts";

/** The state of one streamed completion, fed with the bytes of its body. */
export interface CompletionStream {
  readonly reader: SseReader;
  /** `[DONE]` has come; what follows is not part of the answer. */
  readonly done: boolean;
  /** Arrival of `[DONE]`, ns. */
  readonly doneNs: number | null;
  /** The server said that the answer is complete: a finish reason or `[DONE]`. */
  readonly complete: boolean;
  readonly finish: Finish;
  readonly usage: RecordedUsage | null;
  /** Output tokens by their ids; null when not every chunk with text carried ids. */
  readonly tokenIdCount: number | null;
  readonly acceptance: SpecDecodeCounts | null;
  readonly error: RecordedError | null;
  /** What is wrong with an answer that ended here without an error of the server; null when it is whole. */
  verdict(): RecordedError | null;
}

/** @param onChunk called for every event of the stream, in order */
export function createCompletionStream(onChunk: (chunk: ObservedChunk) => void): CompletionStream {
  const state = {
    doneNs: null as number | null,
    finish: NO_FINISH,
    usage: null as RecordedUsage | null,
    acceptance: null as SpecDecodeCounts | null,
    error: null as RecordedError | null,
    events: 0,
    tokenIds: 0,
    everyTextHadIds: true,
    sawText: false,
  };
  const tokensOf = createChunkTokens();

  const take = (event: StreamEvent, atNs: number): void => {
    if (event.finish !== null) state.finish = event.finish;
    if (event.usage !== null) state.usage = mergeUsage(state.usage, event.usage);
    if (event.acceptance !== null) state.acceptance = event.acceptance;
    if (event.error !== null) state.error ??= { kind: "stream-error", message: event.error };
    const hasText = event.reasoning !== "" || event.content !== "" || event.tool !== "";
    if (hasText) {
      state.sawText = true;
      if (event.tokenIds === null) state.everyTextHadIds = false;
    }
    state.tokenIds += event.tokenIds ?? 0;
    const { kind, reasoning, content, tool } = event;
    onChunk({ atNs, kind, reasoning, content, tool, tokens: tokensOf(event, hasText) });
  };

  const onEvent = (event: SseEvent): void => {
    if (state.doneNs !== null) return;
    const data = event.data.trim();
    // Heartbeats: by the standard an empty data line is an event, here it says nothing.
    if (data === "") return;
    state.events++;
    if (data === "[DONE]") {
      state.doneNs = event.atNs;
      onChunk({ atNs: event.atNs, kind: "done", reasoning: "", content: "", tool: "", tokens: null });
      return;
    }
    const json = parseJson(data);
    if (json !== undefined) return take(readStreamEvent(json, event.name), event.atNs);
    // The last event of a stream that broke off inside it: the stream is cut, the event is not wrong.
    if (event.cutOff) return;
    if (event.name === "error") return take(readStreamEvent({ error: data }, "error"), event.atNs);
    state.error ??= { kind: "stream-error", message: `an event is not JSON: ${data.slice(0, 120)}` };
  };

  return {
    reader: createSseReader(onEvent),
    get done() {
      return state.doneNs !== null;
    },
    get doneNs() {
      return state.doneNs;
    },
    get complete() {
      return state.doneNs !== null || state.finish.raw !== null;
    },
    get finish() {
      return state.finish;
    },
    get usage() {
      return state.usage;
    },
    get tokenIdCount() {
      return state.everyTextHadIds && state.tokenIds > 0 ? state.tokenIds : null;
    },
    get acceptance() {
      return state.acceptance;
    },
    get error() {
      return state.error;
    },
    verdict() {
      if (state.error !== null) return state.error;
      if (state.events === 0) return { kind: "no-output", message: "the answer holds no event" };
      if (state.doneNs === null && state.finish.raw === null) {
        return { kind: "truncated", message: "the stream ended without a finish reason and without [DONE]" };
      }
      if (state.finish.reason === "abort") {
        return {
          kind: "stream-error",
          message: `the server gave the request up (finish reason ${state.finish.raw})`,
        };
      }
      const tokens = state.usage?.completionTokens ?? 0;
      if (!state.sawText && state.tokenIds === 0 && tokens === 0 && state.finish.raw === null) {
        return { kind: "no-output", message: "the stream ended without a token and without a finish reason" };
      }
      return null;
    },
  };
}

/**
 * Tokens of each chunk: from token ids, or from `usage` where it grows with every chunk. A usage that comes only at
 * the end says nothing about its chunk, so the first chunk with text decides whether it grows.
 */
function createChunkTokens(): (event: StreamEvent, hasText: boolean) => number | null {
  let counted = 0;
  let everyTextHadUsage = true;
  return (event, hasText) => {
    if (event.tokenIds !== null) return event.tokenIds;
    const total = event.usage?.completionTokens ?? null;
    if (hasText && total === null) everyTextHadUsage = false;
    if (total === null || !everyTextHadUsage || event.kind === "usage" || event.kind === "error") return null;
    const tokens = total - counted;
    if (!hasText && counted === 0) return null;
    counted = total;
    return tokens >= 0 ? tokens : null;
  };
}

/** The last value that is not null wins: some servers repeat usage and leave fields out. */
function mergeUsage(before: RecordedUsage | null, after: RecordedUsage): RecordedUsage {
  return {
    promptTokens: after.promptTokens ?? before?.promptTokens ?? null,
    completionTokens: after.completionTokens ?? before?.completionTokens ?? null,
    cachedPromptTokens: after.cachedPromptTokens ?? before?.cachedPromptTokens ?? null,
    reasoningTokens: after.reasoningTokens ?? before?.reasoningTokens ?? null,
  };
}
