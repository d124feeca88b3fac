import { eachOutputChunk, streamTimes, WHOLE, type Timed } from "./stream-times.ts";

/**
 * Figures of one request, each named with its convention. Null means that the record does not tell: a figure that is
 * not known is never 0. Times in ms, rates per second.
 */

const NS_PER_MS = 1e6;
const NS_PER_S = 1e9;

/** Time to first token: first chunk that carries tokens (reasoning, content or tool call), from sending. */
export function ttftMs(record: Timed): number | null {
  return between(record.sentNs, streamTimes(record).firstNs);
}

/** Time to the first token of the answer, reasoning left out, from sending. */
export function timeToFirstAnswerMs(record: Timed): number | null {
  return between(record.sentNs, streamTimes(record).firstAnswerNs);
}

/**
 * End-to-end latency: last output chunk, from sending; also the one that says that EOS or a stop string ended the output.
 * Null without a chunk that carries tokens.
 */
export function e2elMs(record: Timed): number | null {
  return between(record.sentNs, streamTimes(record).lastNs);
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
  return between(record.scheduledNs, streamTimes(record).firstNs);
}

/** E2EL from the due time instead of from sending. */
export function e2elFromScheduleMs(record: Timed): number | null {
  return between(record.scheduledNs, streamTimes(record).lastNs);
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

/** Outputs with fewer tokens have no rate under the ctxsweep convention, which drops them. */
export const CTXSWEEP_MINIMUM_TOKENS = 8;

/**
 * Decode rate, ctxsweep convention: n / (stream end - TTFT), tokens per second. Null for n < 8, which that harness drops, and
 * for an output that came in one chunk: nothing is seen of its decoding, and only the closing of the stream would be timed.
 */
export function decodeRateCtxsweep(record: Timed): number | null {
  const { firstNs, outputChunks } = streamTimes(record);
  return decodeRateToEnd(
    between(record.sentNs, firstNs),
    streamEndMs(record),
    record.outputTokens,
    outputChunks,
  );
}

/** The formula of {@link decodeRateCtxsweep} on figures that are known already, ms. */
export function decodeRateToEnd(
  ttft: number | null,
  end: number | null,
  outputTokens: number | null,
  outputChunks: number,
): number | null {
  if (ttft === null || end === null || outputTokens === null) return null;
  if (outputTokens < CTXSWEEP_MINIMUM_TOKENS || outputChunks < 2) return null;
  return ratePerS(outputTokens, end - ttft);
}

/** Decode rate, vllm convention: (n - 1) / (E2EL - TTFT), tokens per second; null for n < 2. */
export function decodeRateVllm(record: Timed): number | null {
  return decodeRateToLast(ttftMs(record), e2elMs(record), record.outputTokens);
}

/** The formula of {@link decodeRateVllm} on figures that are known already, ms. */
export function decodeRateToLast(
  ttft: number | null,
  e2el: number | null,
  outputTokens: number | null,
): number | null {
  if (ttft === null || e2el === null || outputTokens === null || outputTokens < 2) return null;
  return ratePerS(outputTokens - 1, e2el - ttft);
}

/** Inter-token latency by chunks: gaps between output chunks. Under speculation not a token latency. */
export function itlChunkGapsMs(record: Timed): number[] {
  const gaps: number[] = [];
  eachChunkGapMs(record, (gap) => gaps.push(gap));
  return gaps;
}

/** {@link itlChunkGapsMs} without the list. */
export function eachChunkGapMs(record: Timed, take: (gap: number) => void): void {
  let before: number | null = null;
  eachOutputChunk(record, (atNs) => {
    if (before !== null) take((atNs - before) / NS_PER_MS);
    before = atNs;
  });
}

/**
 * Inter-token latency by tokens: the gap before a chunk divided by the tokens that it carries, once for each of them;
 * tokens beside the first one of the first chunk came at once (0). n - 1 values whose mean is TPOT. Null when a chunk
 * does not tell its tokens.
 */
export function itlTokenGapsMs(record: Timed): number[] | null {
  const gaps: number[] = [];
  const known = eachTokenGapMs(record, (gap, times) => {
    for (let token = 0; token < times; token++) gaps.push(gap);
  });
  return known ? gaps : null;
}

/**
 * {@link itlTokenGapsMs} without the list: each gap with the number of tokens that it stands for.
 *
 * @returns false when a chunk does not tell its tokens; what was taken until then is no whole series
 */
export function eachTokenGapMs(record: Timed, take: (gap: number, times: number) => void): boolean {
  let before: number | null = null;
  let known = true;
  eachOutputChunk(record, (atNs, tokens, carries, letter) => {
    if (!carries || !known || letter === WHOLE) return;
    if (tokens === null) {
      known = false;
      return;
    }
    if (tokens === 0) return;
    if (before === null) {
      if (tokens > 1) take(0, tokens - 1);
    } else take((atNs - before) / NS_PER_MS / tokens, tokens);
    before = atNs;
  });
  return known;
}

/**
 * Prefill rate, tokens per second: prompt tokens / TTFT. It describes the server only for a request that ran alone; with
 * others in flight it is their share of it. `cached` tokens were not computed: leave them out to get the rate of those that were.
 */
export function prefillRate(
  ttft: number | null,
  promptTokens: number | null,
  cached: number | null = 0,
): number | null {
  return promptTokens === null || cached === null || promptTokens <= cached
    ? null
    : ratePerS(promptTokens - cached, ttft);
}

/** Count per second of a time in ms; null when either is unknown or the time is not positive. */
export function ratePerS(count: number | null, durationMs: number | null): number | null {
  return count === null || durationMs === null || durationMs <= 0 ? null : (count * 1000) / durationMs;
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

function between(fromNs: number | null, toNs: number | null): number | null {
  return fromNs === null || toNs === null ? null : (toNs - fromNs) / NS_PER_MS;
}
