import type { ChunkMark, RequestRecord } from "../record.ts";
import { carriesTokens, chunkMarks } from "../records/chunk-series.ts";

/**
 * Figures of one request, each named with its convention. Null means that the record does not tell: a figure that is
 * not known is never 0. Times in ms, rates per second.
 */

const NS_PER_MS = 1e6;
const NS_PER_S = 1e9;

/** What a figure needs of a record; the chunks are in order of arrival. */
export type Timed = Pick<
  RequestRecord,
  "scheduledNs" | "sentNs" | "chunks" | "endNs" | "outputTokens" | "finish"
>;

/**
 * The chunks that the output arrived with: those that carry tokens, and the one that says that EOS or a stop string ended
 * it. That one has no text, because the text is withheld, but the server decoded and counted the token; without it a
 * server would seem faster the shorter its outputs are, and a stream would differ from the same engine in process.
 */
export function outputChunks({ chunks, finish }: Timed): ChunkMark[] {
  const withheld = finish.reason === "eos" || finish.reason === "stop" || finish.reason === "stop-string";
  return chunkMarks(chunks).filter((mark) => carriesTokens(mark) || (withheld && mark[1] === "finish"));
}

/** Time to first token: first chunk that carries tokens (reasoning, content or tool call), from sending. */
export function ttftMs(record: Timed): number | null {
  const first = chunkMarks(record.chunks).find(carriesTokens);
  return between(record.sentNs, first?.[0]);
}

/** Time to the first token of the answer, reasoning left out, from sending. */
export function timeToFirstAnswerMs(record: Timed): number | null {
  const first = chunkMarks(record.chunks).find((mark) => mark[1] === "content" && carriesTokens(mark));
  return between(record.sentNs, first?.[0]);
}

/** End-to-end latency: last of {@link outputChunks}, from sending. Null without a chunk that carries tokens. */
export function e2elMs(record: Timed): number | null {
  return between(record.sentNs, lastOutputNs(record));
}

function lastOutputNs(record: Timed): number | undefined {
  return chunkMarks(record.chunks).some(carriesTokens) ? outputChunks(record).at(-1)?.[0] : undefined;
}

/** End of the stream, from sending: usage, `[DONE]` and the closing of the answer included. */
export function streamEndMs(record: Timed): number | null {
  return between(record.sentNs, record.endNs);
}

/** How long a request waited in the client: sending, from its due time. */
export function clientQueueMs(record: Timed): number | null {
  return between(record.scheduledNs, record.sentNs);
}

/** TTFT from the due time instead of from sending. */
export function ttftFromScheduleMs(record: Timed): number | null {
  return between(record.scheduledNs, chunkMarks(record.chunks).find(carriesTokens)?.[0]);
}

/** E2EL from the due time instead of from sending. */
export function e2elFromScheduleMs(record: Timed): number | null {
  return between(record.scheduledNs, lastOutputNs(record));
}

/** Time per output token, vllm convention: (E2EL - TTFT) / (n - 1). Null for n < 2 and for a record that runs backwards. */
export function tpotVllmMs(record: Timed): number | null {
  return tpotVllm(ttftMs(record), e2elMs(record), record.outputTokens);
}

/** The formula of {@link tpotVllmMs} on figures that are known already; same unit as its arguments. */
export function tpotVllm(
  ttft: number | null,
  e2el: number | null,
  outputTokens: number | null,
): number | null {
  if (ttft === null || e2el === null || outputTokens === null || outputTokens < 2 || e2el < ttft) return null;
  return (e2el - ttft) / (outputTokens - 1);
}

/**
 * Decode rate, ctxsweep convention: n / (stream end - TTFT), tokens per second. Null for n < 2 and for an output that came
 * in one chunk: nothing is seen of its decoding, and only the closing of the stream would be timed.
 */
export function decodeRateCtxsweep(record: Timed): number | null {
  const ttft = ttftMs(record);
  const end = streamEndMs(record);
  const n = record.outputTokens;
  if (ttft === null || end === null || n === null || n < 2 || outputChunks(record).length < 2) return null;
  return ratePerS(n, end - ttft);
}

/** Decode rate, vllm convention: (n - 1) / (E2EL - TTFT), tokens per second; null for n < 2. */
export function decodeRateVllm(record: Timed): number | null {
  const ttft = ttftMs(record);
  const e2el = e2elMs(record);
  const n = record.outputTokens;
  return ttft === null || e2el === null || n === null || n < 2 ? null : ratePerS(n - 1, e2el - ttft);
}

/** Inter-token latency by chunks: gaps between {@link outputChunks}. Under speculation not a token latency. */
export function itlChunkGapsMs(record: Timed): number[] {
  const gaps: number[] = [];
  let before: number | null = null;
  for (const mark of outputChunks(record)) {
    if (before !== null) gaps.push((mark[0] - before) / NS_PER_MS);
    before = mark[0];
  }
  return gaps;
}

/**
 * Inter-token latency by tokens: the gap before a chunk divided by the tokens that it carries, once for each of them;
 * tokens beside the first one of the first chunk came at once (0). n - 1 values whose mean is TPOT. Null when a chunk
 * does not tell its tokens.
 */
export function itlTokenGapsMs(record: Timed): number[] | null {
  const gaps: number[] = [];
  let before: number | null = null;
  for (const mark of chunkMarks(record.chunks)) {
    if (!carriesTokens(mark)) continue;
    const [atNs, , , tokens] = mark;
    if (tokens === null) return null;
    if (tokens === 0) continue;
    const gap = before === null ? 0 : (atNs - before) / NS_PER_MS / tokens;
    for (let token = before === null ? 1 : 0; token < tokens; token++) gaps.push(gap);
    before = atNs;
  }
  return gaps;
}

/** Count per second of a time in ms; null when either is unknown or the time is not positive. */
export function ratePerS(count: number | null, durationMs: number | null): number | null {
  return count === null || durationMs === null || durationMs <= 0 ? null : (count * 1000) / durationMs;
}

/**
 * Highest output rate over buckets of `bucketMs` from `startNs`, in tokens (not chunks) per second. Never below the mean
 * over whole buckets; for a run shorter than one bucket it is the mean itself. Null when a chunk of one of the records
 * does not tell its tokens.
 */
export function peakOutputRate(records: readonly Timed[], startNs: number, bucketMs = 1000): number | null {
  const buckets = new Map<number, number>();
  const width = bucketMs * NS_PER_MS;
  let total = 0;
  let lastNs = startNs;
  for (const { chunks } of records) {
    for (const mark of chunkMarks(chunks)) {
      if (!carriesTokens(mark)) continue;
      const [atNs, , , tokens] = mark;
      if (tokens === null) return null;
      const bucket = Math.floor((atNs - startNs) / width);
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + tokens);
      total += tokens;
      lastNs = Math.max(lastNs, atNs);
    }
  }
  if (total === 0) return null;
  const spanMs = (lastNs - startNs) / NS_PER_MS;
  if (spanMs < bucketMs) return ratePerS(total, spanMs);
  let fullest = 0;
  for (const tokens of buckets.values()) fullest = Math.max(fullest, tokens);
  return (fullest * 1000) / bucketMs;
}

/** First send to last end, s; 0 when nothing was sent. */
export function runDurationS(records: readonly Timed[]): number {
  let start = Infinity;
  let end = -Infinity;
  for (const { sentNs, endNs } of records) {
    if (sentNs === null) continue;
    start = Math.min(start, sentNs);
    end = Math.max(end, endNs);
  }
  return end > start ? (end - start) / NS_PER_S : 0;
}

function between(fromNs: number | null, toNs: number | null | undefined): number | null {
  return fromNs === null || toNs === null || toNs === undefined ? null : (toNs - fromNs) / NS_PER_MS;
}
