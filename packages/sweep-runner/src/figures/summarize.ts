import { checkSpecDecodeInvariants, type Acceptance } from "@onpar/metrics-client";
import {
  clientQueueMs,
  decodeRateCtxsweep,
  decodeRateVllm,
  e2elFromScheduleMs,
  e2elMs,
  itlChunkGapsMs,
  itlTokenGapsMs,
  ratePerS,
  peakOutputRate,
  runDurationS,
  timeToFirstAnswerMs,
  tpotVllmMs,
  ttftFromScheduleMs,
  ttftMs,
} from "./request-figures.ts";
import { distribution } from "./percentiles.ts";
import type { RequestRecord } from "../record.ts";
import type { AcceptanceSummary, OutputSummary, RequestCounts, RunSummary } from "../result.ts";

/** What a summary needs beside the records. */
export interface SummaryContext {
  /** Requests that the run was to measure. */
  readonly asked: number;
  /** Output cap in tokens. */
  readonly cap: number;
  readonly acceptance: Acceptance | null;
  /** Why there is no acceptance, in words. */
  readonly acceptanceMissing: string | null;
}

/**
 * The figures of a run, from its records and nothing else but the acceptance, which joins from the side. Pure. Failed
 * and aborted requests are counted and are in no latency and no rate.
 */
export function summarize(records: readonly RequestRecord[], context: SummaryContext): RunSummary {
  const measured = records.filter((record) => record.phase === "measure");
  const ok = measured.filter((record) => record.state === "ok");
  const counts = countRequests(records, context.asked);
  const durationS = runDurationS(measured);
  const outputTokens = sumKnown(ok.map((record) => record.outputTokens));
  const promptTokens = sumKnown(ok.map((record) => record.usage?.promptTokens ?? null));
  const ended = counts.ok + counts.failed + counts.dropped;
  return {
    counts,
    errorRate: ended === 0 ? null : (counts.failed + counts.dropped) / ended,
    statuses: {},
    resent: 0,
    cacheHitRate: null,
    meanConcurrency: null,
    steady: null,
    steadyMissing: null,
    goodput: null,
    spread: null,
    client: null,
    errors: tally(measured.flatMap((record) => (record.error === null ? [] : [record.error.kind]))),
    durationS,
    outputs: summarizeOutputs(ok, context.cap),
    promptTokens: distribution(ok.map((record) => record.usage?.promptTokens ?? null)),
    cachedPromptTokens: sumKnown(ok.map((record) => record.usage?.cachedPromptTokens ?? null)),
    latency: {
      ttftMs: distribution(ok.map(ttftMs)),
      tpotMs: distribution(ok.map(tpotVllmMs)),
      itlChunkMs: distribution(flatten(ok, itlChunkGapsMs)),
      itlTokenMs: distribution(tokenGaps(ok)),
      e2elMs: distribution(ok.map(e2elMs)),
      firstAnswerMs: distribution(ok.map(timeToFirstAnswerMs)),
      ttftFromScheduleMs: distribution(ok.map(ttftFromScheduleMs)),
      e2elFromScheduleMs: distribution(ok.map(e2elFromScheduleMs)),
      queueMs: distribution(ok.map(clientQueueMs)),
      connectMs: distribution(ok.map(({ connectNs }) => (connectNs === null ? null : connectNs / 1e6))),
    },
    rates: {
      decodeCtxsweep: distribution(ok.map(decodeRateCtxsweep)),
      decodeVllm: distribution(ok.map(decodeRateVllm)),
      outputTokensPerS: ratePerS(outputTokens, durationS * 1000),
      totalTokensPerS:
        outputTokens === null || promptTokens === null
          ? null
          : ratePerS(outputTokens + promptTokens, durationS * 1000),
      requestsPerS: ended === 0 ? null : ratePerS(ok.length, durationS * 1000),
      peakOutputTokensPerS: peakOutputRate(
        ok,
        measured.reduce((first, { sentNs }) => Math.min(first, sentNs ?? first), Number.MAX_SAFE_INTEGER),
      ),
      prefill: null,
      prefillUncached: null,
    },
    acceptance: summarizeAcceptance(measured, context.acceptance),
    acceptanceMissing:
      context.acceptance === null ? (context.acceptanceMissing ?? "no source was read") : null,
  };
}

/** asked = ok + failed + dropped + aborted + unsent. */
export function countRequests(records: readonly RequestRecord[], asked: number): RequestCounts {
  const counts = { ok: 0, failed: 0, dropped: 0, aborted: 0 };
  let warmup = 0;
  for (const record of records) {
    if (record.phase === "warmup") warmup++;
    else counts[record.state]++;
  }
  return {
    asked,
    ...counts,
    unsent: asked - counts.ok - counts.failed - counts.dropped - counts.aborted,
    warmup,
  };
}

/**
 * Tokens per decode step as the client got them: (G - R) / S. S = G - R - A where steps are not exposed, and at least V,
 * since every verify step is a decode step: engines count tokens accepted past the end in A, which makes S too small.
 */
export function effectiveTokensPerStep(
  outputTokens: number,
  requests: number,
  counts: Pick<Acceptance, "acceptedTokens" | "verifySteps">,
): number | null {
  const afterFirst = outputTokens - requests;
  const steps = Math.max(afterFirst - counts.acceptedTokens, counts.verifySteps ?? 0);
  return afterFirst <= 0 || steps <= 0 ? null : afterFirst / steps;
}

function summarizeAcceptance(
  measured: readonly RequestRecord[],
  acceptance: Acceptance | null,
): AcceptanceSummary | null {
  if (acceptance === null) return null;
  // Counters hold what failed requests drafted too, while their output is not known: then the two do not belong together.
  const comparable =
    measured.every((record) => record.state === "ok") && checkSpecDecodeInvariants(acceptance).length === 0;
  const tokens = comparable ? sumKnown(measured.map((record) => record.outputTokens)) : null;
  const producers = measured.filter((record) => (record.outputTokens ?? 0) > 0).length;
  return {
    ...acceptance,
    effectiveTokensPerStep: tokens === null ? null : effectiveTokensPerStep(tokens, producers, acceptance),
  };
}

function summarizeOutputs(ok: readonly RequestRecord[], cap: number): OutputSummary {
  const sources = [...new Set(ok.map((record) => record.tokenSource))];
  return {
    lengths: distribution(ok.map((record) => record.outputTokens)),
    reachedCap: ok.filter((record) => record.outputTokens === cap).length,
    finishReasons: tally(ok.map((record) => record.finish.reason)),
    reasoningTokens: sumKnown(ok.map(({ usage }) => usage?.reasoningTokens ?? null)),
    tokenSource: sources.length === 0 ? "unknown" : sources.sort().join(", "),
  };
}

/** Null as soon as one record with tokens does not tell them per chunk: a series of some requests would be another series. */
function tokenGaps(ok: readonly RequestRecord[]): number[] {
  const all: number[] = [];
  for (const record of ok) {
    const gaps = itlTokenGapsMs(record);
    if (gaps === null) return [];
    for (const gap of gaps) all.push(gap);
  }
  return all;
}

function* flatten(
  records: readonly RequestRecord[],
  series: (record: RequestRecord) => number[],
): Generator<number> {
  for (const record of records) yield* series(record);
}

/** The sum, or null when the list is empty or a value is unknown: a partial sum would pass for the whole. */
function sumKnown(values: readonly (number | null)[]): number | null {
  let sum = 0;
  for (const value of values) {
    if (value === null) return null;
    sum += value;
  }
  return values.length === 0 ? null : sum;
}

function tally(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
