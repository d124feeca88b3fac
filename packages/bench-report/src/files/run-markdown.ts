import type { Distribution, RunResult } from "@onpar/sweep-runner";

import { breachesOf } from "../breaches.ts";
import { count, formatNumber, formatPercent, formatSpan, percentileCell } from "../format.ts";
import { describeClient } from "../sections/client.ts";
import { protocolPairs } from "../sections/protocol.ts";
import { describeOutputs, describeRule } from "../stopping-rule.ts";
import { escapeMarkdown, markdownFields, markdownTable } from "./markdown-text.ts";

/**
 * A run as Markdown, for an issue or a page: whoever has nothing else can tell what was asked, what was resolved, how outputs
 * ended, how many requests failed, and whether the client was the limit. Ends with a newline.
 */
export function runMarkdown(run: RunResult, title = "Benchmark run"): string {
  const { summary, protocol, system, tool } = run;
  const beside = describeOutputs(summary.outputs, protocol.stoppingRule);
  const engine = [system.engine ?? "unknown engine", system.version]
    .filter((part) => part !== null)
    .join(" ");
  return `${[
    `## ${escapeMarkdown(title)}`,
    "",
    ...headlines(run),
    "",
    "### Protocol",
    "",
    ...markdownFields(protocolPairs(run)),
    "",
    "### Outputs",
    "",
    ...markdownFields(outputPairs(run)),
    "",
    "### Latency, ms",
    "",
    ...latencyTable(run),
    "",
    "### Rates",
    "",
    ...rateTable(run, beside),
    "",
    "### Speculative decoding",
    "",
    ...acceptanceLines(run),
    "",
    "### Client",
    "",
    escapeMarkdown(describeClient(summary.client)),
    "",
    "### Findings",
    "",
    ...findingLines(run),
    "",
    escapeMarkdown(
      `${engine}${system.baseUrl === null ? ", in the client's process" : ""}; ${tool.name} ${tool.version}; started ${run.startedAt}; measured for ${formatNumber(summary.durationS)} s`,
    ),
  ].join("\n")}\n`;
}

function headlines(run: RunResult): string[] {
  const { counts, errorRate } = run.summary;
  const failures = `${counts.asked} asked: ${counts.ok} ok, ${counts.failed} failed, ${counts.dropped} dropped, ${counts.aborted} aborted, ${counts.unsent} never sent; error rate ${errorRate === null ? "unknown: no request ended" : formatPercent(errorRate)}`;
  const breaches = breachesOf(run).map(({ code }) => code);
  const errors = Object.entries(run.summary.errors).map(([kind, times]) => `${kind}: ${times}`);
  return [
    `**${escapeMarkdown(failures)}**`,
    ...(errors.length === 0 ? [] : ["", escapeMarkdown(`Errors: ${errors.join(", ")}`)]),
    ...(run.interrupted
      ? ["", "**Interrupted**: figures are over the requests that ended before that."]
      : []),
    ...(breaches.length === 0
      ? []
      : [
          "",
          `**This run does not stand as stated**: ${escapeMarkdown(breaches.join(", "))} (see Findings).`,
        ]),
  ];
}

function outputPairs({ summary: { outputs }, protocol }: RunResult): [string, string][] {
  const { lengths, finishReasons, reachedCap, tokenSource } = outputs;
  const ended = Object.entries(finishReasons).map(([reason, times]) => `${reason} ${times}`);
  return [
    ["rule", describeRule(protocol.stoppingRule)],
    ["lengths, min/p50/max", `${formatSpan(lengths)} tokens, counted by ${tokenSource}`],
    ["at the cap", lengths === null ? "unknown" : `${reachedCap} of ${lengths.n}`],
    ["ended by", ended.length === 0 ? "no output ended" : ended.join(", ")],
  ];
}

function latencyTable({ summary: { latency } }: RunResult): string[] {
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
  if (rows.length === 0) return ["none: no request ended with output"];
  return markdownTable(["", "n", "mean", "p50", "p90", "p99", "max"], rows);
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

function rateTable({ summary: { rates } }: RunResult, beside: string): string[] {
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
  return rows.length === 0
    ? ["none: no request ended with output"]
    : markdownTable(["rate", "value", "over"], rows);
}

function acceptanceLines({ summary: { acceptance, acceptanceMissing } }: RunResult): string[] {
  if (acceptance === null) return [escapeMarkdown(`none: ${acceptanceMissing ?? "no reason was recorded"}`)];
  const { rate, meanAcceptanceLength, acceptedTokens, draftTokens, verifySteps, source } = acceptance;
  return markdownFields([
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
  ]);
}

function findingLines({ findings }: RunResult): string[] {
  if (findings.length === 0) return ["none"];
  return findings.map(({ severity, code, message }) =>
    severity === "note"
      ? `- note ${escapeMarkdown(`${code}: ${message}`)}`
      : `- **${severity}** ${escapeMarkdown(`${code}: ${message}`)}`,
  );
}

/** Short: for a page that holds several, such as the summary of a job. */
export function runSummaryMarkdown(run: RunResult, title = "Benchmark run"): string {
  const { summary, protocol } = run;
  const { counts, rates, latency, acceptance } = summary;
  const beside = describeOutputs(summary.outputs, protocol.stoppingRule);
  const rows: [string, string][] = [
    ["requests", `${counts.ok} of ${counts.asked} ok, ${counts.failed} failed`],
    ["rule", describeRule(protocol.stoppingRule)],
    ["outputs", beside],
    ["TTFT p50", latency.ttftMs === null ? "unknown" : `${formatNumber(latency.ttftMs.p50)} ms`],
    ["TPOT p50", latency.tpotMs === null ? "unknown" : `${formatNumber(latency.tpotMs.p50)} ms`],
    [
      "output throughput",
      rates.outputTokensPerS === null
        ? "unknown"
        : `${formatNumber(rates.outputTokensPerS)} tok/s [${beside}]`,
    ],
    [
      "accepted per pass",
      acceptance?.meanAcceptanceLength == null
        ? `unknown: ${summary.acceptanceMissing ?? "not read"}`
        : formatNumber(acceptance.meanAcceptanceLength),
    ],
    ["client", describeClient(summary.client)],
    ["findings", count(run.findings.length, "finding")],
  ];
  return `${[`### ${escapeMarkdown(title)}`, "", ...markdownFields(rows)].join("\n")}\n`;
}
