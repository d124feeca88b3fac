import type { RunResult } from "../result.ts";
import {
  rungAcceptance,
  rungFindings,
  rungOrigin,
  type RungAcceptance,
  type RungFindings,
  type RungOrigin,
} from "./row-figures.ts";

/** A point of a sweep that is a plain run: what it came to, in figures that can stand beside each other. */
export interface RunRow extends RungAcceptance, RungFindings, RungOrigin {
  readonly kind: "run";
  readonly asked: number;
  readonly ok: number;
  readonly failed: number;
  readonly dropped: number;
  readonly errorRate: number | null;
  readonly concurrency: number | null;
  readonly ttftP50Ms: number | null;
  readonly ttftP99Ms: number | null;
  readonly tpotP50Ms: number | null;
  readonly tpotP99Ms: number | null;
  readonly e2elP50Ms: number | null;
  readonly e2elP99Ms: number | null;
  /** Median of n / (stream end - TTFT). */
  readonly decodeTokensPerS: number | null;
  readonly outputTokensPerS: number | null;
  readonly requestsPerS: number | null;
  readonly outputTokens: { readonly min: number; readonly p50: number; readonly max: number } | null;
  readonly reachedCap: number;
  readonly finishReasons: Readonly<Record<string, number>>;
  readonly effectiveTokensPerStep: number | null;
  /** Share of requests that met every service level; null where none was asked for. */
  readonly goodput: number | null;
  /** Limits on the run as a whole that were missed; null where no service level was asked for. */
  readonly slosMissed: number | null;
  readonly interrupted: boolean;
}

export function runRow(result: RunResult, draftBudget: number | null): RunRow {
  const { summary, interrupted } = result;
  const { counts, latency, rates, outputs } = summary;
  const { lengths } = outputs;
  return {
    kind: "run",
    asked: counts.asked,
    ok: counts.ok,
    failed: counts.failed,
    dropped: counts.dropped,
    errorRate: summary.errorRate,
    concurrency: summary.meanConcurrency,
    ttftP50Ms: latency.ttftMs?.p50 ?? null,
    ttftP99Ms: latency.ttftMs?.p99 ?? null,
    tpotP50Ms: latency.tpotMs?.p50 ?? null,
    tpotP99Ms: latency.tpotMs?.p99 ?? null,
    e2elP50Ms: latency.e2elMs?.p50 ?? null,
    e2elP99Ms: latency.e2elMs?.p99 ?? null,
    decodeTokensPerS: rates.decodeCtxsweep?.p50 ?? null,
    outputTokensPerS: rates.outputTokensPerS,
    requestsPerS: rates.requestsPerS,
    outputTokens: lengths === null ? null : { min: lengths.min, p50: lengths.p50, max: lengths.max },
    reachedCap: outputs.reachedCap,
    finishReasons: outputs.finishReasons,
    effectiveTokensPerStep: summary.acceptance?.effectiveTokensPerStep ?? null,
    goodput: summary.goodput?.share ?? null,
    slosMissed:
      summary.goodput?.slos.filter(({ scope, met, of }) => scope === "run" && met < of).length ?? null,
    interrupted,
    ...rungOrigin([result]),
    ...rungFindings([result]),
    ...rungAcceptance([result], draftBudget),
  };
}
