import type { RequestRecord } from "../record.ts";
import type { RunResult } from "../result.ts";
import { decodeRateCtxsweep, ttftMs } from "../figures/request-figures.ts";
import {
  countsOf,
  inSeconds,
  medianOf,
  rungAcceptance,
  rungFindings,
  rungOrigin,
  type RungAcceptance,
  type RungFindings,
  type RungOrigin,
} from "./row-figures.ts";

/** One rung of a concurrency ladder: streams that start together, one request each, several times. */
export interface ConcurrencyRow extends RungAcceptance, RungFindings, RungOrigin {
  readonly kind: "concurrency";
  readonly streams: number;
  /** Median over the repetitions of all output tokens / (last end - first start). */
  readonly aggregateTokensPerS: number | null;
  /** Of each repetition, in order. */
  readonly aggregates: readonly (number | null)[];
  /** Median over all streams of n / (stream end - TTFT). */
  readonly perStreamTokensPerS: number | null;
  readonly ttftMedianS: number | null;
  /** Over all repetitions. */
  readonly outputTokensTotal: number | null;
  readonly outputTokens: { readonly min: number; readonly p50: number; readonly max: number } | null;
  readonly finishReasons: Readonly<Record<string, number>>;
  readonly reps: number;
  readonly ok: number;
  readonly failed: number;
}

/** A repetition of a rung. */
export interface ConcurrencyRep {
  readonly records: readonly RequestRecord[];
  readonly result: RunResult;
}

/** Figures of a rung from its repetitions. An aggregate rate in which a stream failed is unknown: it would be that of fewer streams. */
export function concurrencyRow(
  streams: number,
  repetitions: readonly ConcurrencyRep[],
  draftBudget: number | null,
): ConcurrencyRow {
  const results = repetitions.map(({ result }) => result);
  const records = repetitions.flatMap((one) => one.records);
  const ok = records.filter(({ state }) => state === "ok");
  const aggregates = repetitions.map((one) => aggregateRate(one.records));
  const lengths = ok.flatMap(({ outputTokens }) => outputTokens ?? []).toSorted((a, b) => a - b);
  return {
    kind: "concurrency",
    streams,
    aggregateTokensPerS: medianOf(aggregates),
    aggregates,
    perStreamTokensPerS: medianOf(ok.map((record) => decodeRateCtxsweep(record))),
    ttftMedianS: inSeconds(medianOf(ok.map((record) => ttftMs(record)))),
    outputTokensTotal: lengths.length === ok.length ? lengths.reduce((sum, n) => sum + n, 0) : null,
    outputTokens:
      lengths.length === 0
        ? null
        : { min: lengths[0] ?? 0, p50: medianOf(lengths) ?? 0, max: lengths.at(-1) ?? 0 },
    finishReasons: countsOf(ok.map(({ finish }) => finish.reason)),
    reps: repetitions.length,
    ok: ok.length,
    failed: records.length - ok.length,
    ...rungOrigin(results),
    ...rungFindings(results),
    ...rungAcceptance(results, draftBudget),
  };
}

/** Output tokens of all streams / (last end - first start); null when a stream failed or does not tell its tokens. */
export function aggregateRate(records: readonly RequestRecord[]): number | null {
  let tokens = 0;
  let start = Infinity;
  let end = -Infinity;
  for (const { state, outputTokens, sentNs, endNs } of records) {
    if (state !== "ok" || outputTokens === null || sentNs === null) return null;
    tokens += outputTokens;
    start = Math.min(start, sentNs);
    end = Math.max(end, endNs);
  }
  return end > start ? tokens / ((end - start) / 1e9) : null;
}
