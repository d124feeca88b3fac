import type { ChunkMark, ChunkSeries, RequestRecord } from "../../src/record.ts";
import { packChunks } from "../../src/records/chunk-series.ts";

const MS = 1e6;

/** What a test changes; chunks one by one or as records hold them. */
export type RecordChanges = Partial<Omit<RequestRecord, "chunks">> & {
  readonly chunks?: readonly ChunkMark[] | ChunkSeries;
};

/** A record that is all right, with what a test changes. */
export function record({ chunks = [], ...changes }: RecordChanges = {}): RequestRecord {
  return {
    type: "request",
    id: "measure-0",
    promptId: "p0",
    phase: "measure",
    state: "ok",
    repetition: 0,
    turn: null,
    worker: 0,
    scheduledNs: 0,
    sentNs: 0,
    connectNs: null,
    headersNs: 1,
    endNs: 0,
    attempts: 1,
    status: 200,
    retryAfterS: null,
    plannedPromptTokens: null,
    plannedOutputTokens: null,
    finish: { raw: "stop", reason: "eos" },
    usage: null,
    outputTokens: null,
    tokenSource: "unknown",
    textSha256: null,
    textBytes: 0,
    requestSha256: "0".repeat(64),
    connection: "reused",
    acceptance: null,
    firstEosIndex: null,
    error: null,
    ...changes,
    chunks: isSeries(chunks) ? chunks : packChunks(chunks),
  };
}

function isSeries(chunks: readonly ChunkMark[] | ChunkSeries): chunks is ChunkSeries {
  return "kinds" in chunks;
}

/** Chunks at times in ms; `tokens` 0 stands for a role-only chunk. */
export function chunksAt(...events: readonly (readonly [ms: number, tokens: number | null])[]): ChunkMark[] {
  return events.map(([ms, tokens]) => [
    ms * MS,
    tokens === 0 ? "role" : "content",
    tokens === 0 ? 0 : 1,
    tokens,
  ]);
}
