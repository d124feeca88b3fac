import type { Slo, SloRequestMetric, SloRunMetric } from "@onpar/bench-config";
import type { GoodputSummary, RunSummary, SloResult } from "../result.ts";
import { quantileType7 } from "./percentiles.ts";
import { ratePerS } from "./request-figures.ts";
import type { RequestTable } from "./request-table.ts";
import { ROW_FIGURES, type RowFigure } from "./row-figures.ts";
import { meets } from "./slo.ts";
import type { ValueSink } from "./value-sink.ts";

type RowMetric = Exclude<SloRequestMetric, "itl">;

const FIGURE_OF: Readonly<Record<RowMetric, RowFigure>> = {
  ttft: ROW_FIGURES.ttft,
  ttfa: ROW_FIGURES.firstAnswer,
  // One token has no time between tokens that could be too long.
  tpot: (table, row) => (table.outputTokens.get(row) === 1 ? 0 : ROW_FIGURES.tpot(table, row)),
  e2el: ROW_FIGURES.e2el,
  queue: ROW_FIGURES.queue,
  "ttft-scheduled": ROW_FIGURES.ttftFromSchedule,
  "e2el-scheduled": ROW_FIGURES.e2elFromSchedule,
  decode: ROW_FIGURES.decodeVllm,
};

export interface GoodputInput {
  readonly table: RequestTable;
  /** Rows of requests that ended well. */
  readonly okRows: Uint32Array;
  readonly slos: readonly Slo[];
  /** Chunk gaps of the run, for limits on their percentiles. */
  readonly gaps: ValueSink;
  /** Everything else, for limits on figures of the run. */
  readonly summary: Omit<RunSummary, "goodput">;
}

/**
 * Requests that keep every limit which is judged for each request. A figure that is not known keeps none; failed and dropped
 * requests keep none. Limits on the run are judged beside them and take no request away. Null without limits.
 */
export function goodput(input: GoodputInput): GoodputSummary | null {
  const { table, okRows, slos, summary } = input;
  if (slos.length === 0) return null;
  const { counts, durationS } = summary;
  const ended = counts.ok + counts.failed + counts.dropped;
  const judged = slos.flatMap((slo) => {
    const figure = slo.scope === "request" ? rowFigure(slo) : null;
    return figure === null ? [] : [{ slo, figure, met: 0, unknown: 0 }];
  });
  let met = 0;
  let tokens: number | null = 0;
  for (const row of okRows) {
    let all = true;
    for (const one of judged) {
      const value = one.figure(table, row);
      if (value === null) one.unknown++;
      if (value !== null && meets(one.slo, value)) one.met++;
      else all = false;
    }
    if (!all) continue;
    met++;
    const output = table.outputTokens.get(row);
    tokens = tokens === null || output === null ? null : tokens + output;
  }
  const share = judged.length > 0 && ended > 0 ? met / ended : null;
  const results = slos.map((slo): SloResult => {
    const own = judged.find((one) => one.slo === slo);
    return own === undefined
      ? judgeRun(slo, runValue(slo, share, input))
      : { slo: slo.text, scope: "request", met: own.met, of: ended, unknown: own.unknown, value: null };
  });
  if (judged.length === 0)
    return { slos: results, met: null, share: null, requestsPerS: null, outputTokensPerS: null };
  const durationMs = durationS * 1000;
  return {
    slos: results,
    met,
    share,
    requestsPerS: ratePerS(met, durationMs),
    outputTokensPerS: ratePerS(tokens, durationMs),
  };
}

function judgeRun(slo: Slo, value: number | null): SloResult {
  const kept = value !== null && meets(slo, value);
  return { slo: slo.text, scope: "run", met: kept ? 1 : 0, of: 1, unknown: value === null ? 1 : 0, value };
}

function rowFigure({ metric }: Slo): RowFigure | null {
  return isRowMetric(metric) ? FIGURE_OF[metric] : null;
}

function isRowMetric(metric: string): metric is RowMetric {
  return Object.hasOwn(FIGURE_OF, metric);
}

function runValue(slo: Slo, share: number | null, input: GoodputInput): number | null {
  const { metric, statistic } = slo;
  if (metric === "itl") return statistic === null ? null : input.gaps.statistic(statistic);
  if (isRowMetric(metric)) return rowStatistic(statistic, FIGURE_OF[metric], input);
  return figureOfRun(metric, share, input.summary);
}

function figureOfRun(
  metric: Exclude<SloRunMetric, "itl">,
  share: number | null,
  { errorRate, rates, acceptance }: GoodputInput["summary"],
): number | null {
  const figures: Readonly<Record<typeof metric, number | null>> = {
    "error-rate": errorRate,
    goodput: share,
    "requests-per-s": rates.requestsPerS,
    "output-tokens-per-s": rates.outputTokensPerS,
    "total-tokens-per-s": rates.totalTokensPerS,
    "acceptance-rate": acceptance?.rate ?? null,
    "acceptance-length": acceptance?.meanAcceptanceLength ?? null,
  };
  return figures[metric];
}

function rowStatistic(
  statistic: Slo["statistic"],
  figure: RowFigure,
  { table, okRows }: GoodputInput,
): number | null {
  const known: number[] = [];
  for (const row of okRows) {
    const value = figure(table, row);
    if (value !== null) known.push(value);
  }
  if (known.length === 0) return null;
  if (statistic === "mean") return known.reduce((sum, value) => sum + value, 0) / known.length;
  return quantileType7(Float64Array.from(known).sort(), statistic ?? 0.5);
}
