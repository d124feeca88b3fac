import type { RunResult } from "@onpar/sweep-runner";

import type { ChartTable } from "../charts/chart.ts";

import { breachesOf } from "../breaches.ts";
import { count, formatNumber, formatPercent } from "../format.ts";
import { cachePairs } from "../sections/cache.ts";
import { describeClient } from "../sections/client.ts";
import { protocolPairs } from "../sections/protocol.ts";
import { describeOutputs, describeRule } from "../stopping-rule.ts";
import { escapeMarkdown, markdownFields, markdownTable } from "./markdown-text.ts";
import { acceptancePairs, latencyRows, outputPairs, rateRows } from "./run-tables.ts";

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
    ...tableLines(latencyRows(run)),
    "",
    "### Rates",
    "",
    ...tableLines(rateRows(run, beside)),
    "",
    "### Speculative decoding",
    "",
    ...acceptanceLines(run),
    "",
    "### Prefix cache",
    "",
    ...markdownFields(cachePairs(run)),
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

/** A table, or what stands where there is none. */
function tableLines({ head, rows }: ChartTable): string[] {
  return rows.length === 0 ? ["none: no request ended with output"] : markdownTable(head, rows);
}

function acceptanceLines({ summary: { acceptance, acceptanceMissing } }: RunResult): string[] {
  return acceptance === null
    ? [escapeMarkdown(`none: ${acceptanceMissing ?? "no reason was recorded"}`)]
    : markdownFields(acceptancePairs(acceptance));
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
