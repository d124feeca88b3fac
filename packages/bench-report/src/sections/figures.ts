import type { Distribution, RunResult } from "@onpar/sweep-runner";

import { formatNumber, MINIMUM_N, percentileCell } from "../format.ts";
import type { Page } from "../paint.ts";
import { describeOutputs } from "../stopping-rule.ts";
import { displayWidth, hanging, table } from "../text.ts";

/** Milliseconds, with n beside the statistics of each row. */
export function latencyLines(result: RunResult, page: Page): string[] {
  const { summary, protocol } = result;
  const { latency } = summary;
  const isOpen = protocol.load.kind !== "closed-loop";
  const measured = [
    ["TTFT", latency.ttftMs],
    ...optional("first answer token", latency.firstAnswerMs, summary.outputs.reasoningTokens !== null),
    ["TPOT", latency.tpotMs],
    ["ITL per chunk", latency.itlChunkMs],
    ["ITL per token", latency.itlTokenMs],
    ["E2EL", latency.e2elMs],
    ...optional("TTFT from schedule", latency.ttftFromScheduleMs, isOpen),
    ...optional("E2EL from schedule", latency.e2elFromScheduleMs, isOpen),
    ...optional("client queue", latency.queueMs, latency.queueMs !== null),
  ] as const;
  const rows = measured.flatMap(([label, values]) => (values === null ? [] : [{ label, values }]));
  if (rows.length === 0) return ["  none: no request ended with output"];
  const lines = latencyTable(rows, page.width);
  const missing = measured.filter(([, values]) => values === null).map(([label]) => label);
  return [
    ...lines,
    ...(missing.length === 0 ? [] : hanging("  ", `not measurable here: ${missing.join(", ")}`, page.width)),
    ...leftOut(
      rows.map((row) => row.values),
      ["p90", "p99"],
      page,
    ),
    ...hanging("  ", describeOutputs(result.summary.outputs, result.protocol.stoppingRule), page.width),
  ].map((line, index) => (index === 0 || index > rows.length ? page.paint.quiet(line) : line));
}

interface LatencyRow {
  readonly label: string;
  readonly values: Distribution;
}

const STATISTICS: Readonly<Record<string, (values: Distribution) => string>> = {
  min: ({ min }) => formatNumber(min),
  mean: ({ mean }) => formatNumber(mean),
  p50: ({ p50 }) => formatNumber(p50),
  p90: (values) => percentileCell(values, "p90"),
  p99: (values) => percentileCell(values, "p99"),
  max: ({ max }) => formatNumber(max),
};

/** Statistics that a narrow terminal does without, the first to go first. */
const SPARED = ["min", "mean", "max", "p90"];

/** As many statistics as fit into a line; below 80 columns the least is left out in any case. */
function latencyTable(rows: readonly LatencyRow[], width: number): string[] {
  for (let gone = width >= 80 ? 0 : 1; ; gone++) {
    const shown = Object.entries(STATISTICS).filter(([name]) => !SPARED.slice(0, gone).includes(name));
    const lines = table([
      ["ms", "n", ...shown.map(([name]) => name)],
      ...rows.map(({ label, values }) => [label, String(values.n), ...shown.map(([, cell]) => cell(values))]),
    ]);
    if (gone === SPARED.length || lines.every((line) => displayWidth(line) <= width)) return lines;
  }
}

/** A row that says something of this run only where a condition holds. */
function optional(
  label: string,
  values: Distribution | null,
  isTold: boolean,
): (readonly [string, Distribution | null])[] {
  return isTold ? [[label, values]] : [];
}

/** Every rate by the name of its convention, with the output lengths and the stopping rule in the same place. */
export function rateLines(result: RunResult, page: Page): string[] {
  const { rates } = result.summary;
  const beside = describeOutputs(result.summary.outputs, result.protocol.stoppingRule);
  const perRequest = [
    ["decode, ctxsweep", rates.decodeCtxsweep],
    ["decode, vllm", rates.decodeVllm],
  ] as const;
  const wholeRun = [
    ["output throughput", rates.outputTokensPerS, "tok/s"],
    ["total throughput", rates.totalTokensPerS, "tok/s"],
    ["requests", rates.requestsPerS, "req/s"],
  ] as const;
  const lines: string[] = [];
  for (const [label, values] of perRequest) {
    if (values === null) continue;
    const statistics = [
      `p50 ${formatNumber(values.p50)}`,
      `mean ${formatNumber(values.mean)}`,
      `min ${formatNumber(values.min)}`,
      ...(values.n >= MINIMUM_N.p90 ? [`p90 ${formatNumber(values.p90)}`] : []),
      `max ${formatNumber(values.max)}`,
    ];
    lines.push(...rateBlock(label, `tok/s (n ${values.n})`, statistics.join(", "), beside, page));
  }
  for (const [label, value, unit] of wholeRun) {
    if (value !== null)
      lines.push(...rateBlock(label, `${unit} (whole run)`, formatNumber(value), beside, page));
  }
  const { steady } = result.summary;
  if (steady?.outputTokensPerS != null) {
    const where = `tok/s (steady window, ${formatNumber(steady.startS)} to ${formatNumber(steady.endS)} s)`;
    lines.push(...rateBlock("output, steady", where, formatNumber(steady.outputTokensPerS), beside, page));
  }
  if (lines.length === 0) return ["  none: no request ended with output"];
  return [
    ...lines,
    ...hanging(
      "  ",
      "ctxsweep: n / (stream end - first token); vllm: (n - 1) / (last token - first token); both per request.",
      page.width,
    ).map(page.paint.quiet),
  ];
}

function rateBlock(label: string, unit: string, value: string, beside: string, page: Page): string[] {
  const { width, paint } = page;
  const start = `  ${label.padEnd(17)}  ${value} ${unit}`;
  if (start.length + 4 + beside.length <= width) return [`${start}  ${paint.quiet(`[${beside}]`)}`];
  if (start.length <= width) return [start, ...hanging("    ", `[${beside}]`, width).map(paint.quiet)];
  return [
    `  ${label}, ${unit}`,
    ...hanging("    ", value, width),
    ...hanging("    ", `[${beside}]`, width).map(paint.quiet),
  ];
}

function leftOut(
  rows: readonly Distribution[],
  percentiles: readonly ("p90" | "p99")[],
  page: Page,
): string[] {
  const missing = percentiles.filter((name) => rows.some((row) => row.n < MINIMUM_N[name]));
  if (missing.length === 0) return [];
  const needs = missing.map((name) => `${name} needs n >= ${MINIMUM_N[name]}`).join(", ");
  return hanging("  ", `"-" is left out: ${needs}`, page.width);
}
