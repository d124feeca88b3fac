import type { AcceptanceSummary, Distribution, RunResult } from "@onpar/sweep-runner";

import type { ChartTable } from "../charts/chart.ts";
import { formatNumber, formatPercent, formatSpan, percentileCell } from "../format.ts";
import { describeRule } from "../stopping-rule.ts";

/** What the rule did: lengths seen, how many reached the cap, how outputs ended. */
export function outputPairs({ summary: { outputs }, protocol }: RunResult): [string, string][] {
  const { lengths, finishReasons, reachedCap, tokenSource } = outputs;
  const ended = Object.entries(finishReasons).map(([reason, times]) => `${reason} ${times}`);
  return [
    ["rule", describeRule(protocol.stoppingRule)],
    ["lengths, min/p50/max", `${formatSpan(lengths)} tokens, counted by ${tokenSource}`],
    ["at the cap", lengths === null ? "unknown" : `${reachedCap} of ${lengths.n}`],
    ["ended by", ended.length === 0 ? "no output ended" : ended.join(", ")],
  ];
}

/** Milliseconds, n beside every statistic; percentiles that too few values stand behind are left out. */
export function latencyRows({ summary: { latency } }: RunResult): ChartTable {
  const rows = (
    [
      ["TTFT", latency.ttftMs],
      ["TPOT", latency.tpotMs],
      ["ITL per chunk", latency.itlChunkMs],
      ["ITL per token", latency.itlTokenMs],
      ["E2EL", latency.e2elMs],
      ["client queue", latency.queueMs],
    ] as const
  ).flatMap(([label, values]) => (values === null ? [] : [latencyRow(label, values)]));
  return { head: ["ms", "n", "mean", "p50", "p90", "p99", "max"], rows };
}

function latencyRow(label: string, values: Distribution): string[] {
  return [
    label,
    String(values.n),
    formatNumber(values.mean),
    formatNumber(values.p50),
    percentileCell(values, "p90"),
    percentileCell(values, "p99"),
    formatNumber(values.max),
  ];
}

/** Every rate by the name of its convention, with the outputs that it was taken over. */
export function rateRows({ summary: { rates } }: RunResult, beside: string): ChartTable {
  const rows: string[][] = [];
  for (const [label, values] of [
    ["decode, ctxsweep convention (p50 per request)", rates.decodeCtxsweep],
    ["decode, vllm convention (p50 per request)", rates.decodeVllm],
  ] as const) {
    if (values !== null) rows.push([label, `${formatNumber(values.p50)} tok/s (n ${values.n})`, beside]);
  }
  for (const [label, value, unit] of [
    ["output throughput", rates.outputTokensPerS, "tok/s"],
    ["total throughput", rates.totalTokensPerS, "tok/s"],
    ["requests", rates.requestsPerS, "req/s"],
  ] as const) {
    if (value !== null) rows.push([label, `${formatNumber(value)} ${unit}`, beside]);
  }
  return { head: ["rate", "value", "over"], rows };
}

/** Rate, length and positions of acceptance with their formulas. */
export function acceptancePairs(acceptance: AcceptanceSummary): [string, string][] {
  const { rate, meanAcceptanceLength, acceptedTokens, draftTokens, verifySteps, source } = acceptance;
  return [
    [
      "acceptance rate, A / D",
      `${rate === null ? "unknown" : formatPercent(rate)} = ${acceptedTokens} / ${draftTokens}`,
    ],
    [
      "accepted per pass, 1 + A / V",
      `${meanAcceptanceLength === null ? "unknown" : formatNumber(meanAcceptanceLength)} (V ${verifySteps ?? "unknown"})`,
    ],
    [
      "by position",
      (acceptance.perPositionRate ?? []).map((share) => share.toFixed(3)).join(" ") || "unknown",
    ],
    ["read from", source],
  ];
}
