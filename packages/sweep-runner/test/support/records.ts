import type { ChunkMark, RequestRecord } from "../../src/record.ts";

const MS = 1e6;

/** A record that is all right, with what a test changes. */
export function record(changes: Partial<RequestRecord> = {}): RequestRecord {
  return {
    type: "request",
    id: "measure-0",
    promptId: "p0",
    phase: "measure",
    state: "ok",
    scheduledNs: 0,
    sentNs: 0,
    headersNs: 1,
    chunks: [],
    endNs: 0,
    status: 200,
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
  };
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
