import type { RunResult } from "@onpar/sweep-runner";

import { breachesOf } from "../breaches.ts";
import type { Chart } from "../charts/chart.ts";
import { contentNameCharts, contentTypeCharts } from "../charts/content-charts.ts";
import { concurrencyCharts, contextCharts } from "../charts/ladder-charts.ts";
import { positionCharts, runCharts } from "../charts/run-charts.ts";
import type { RunDigest } from "../digest/run-digest.ts";
import { acceptancePairs, latencyRows, outputPairs, rateRows } from "../files/run-tables.ts";
import { formatPercent } from "../format.ts";
import { axisPairs, countsLine, sourceLine } from "../result/describe.ts";
import { pointTable } from "../result/point-table.ts";
import type { Result } from "../result/schema.ts";
import { cachePairs } from "../sections/cache.ts";
import { describeClient } from "../sections/client.ts";
import { protocolPairs } from "../sections/protocol.ts";
import { describeOutputs } from "../stopping-rule.ts";
import { dataTable, definitionList, figureOf, listOf, sectionOf, text } from "./markup.ts";
import { htmlPage } from "./page.ts";

/** A result with what else is known of it. */
export interface ReportedResult {
  readonly result: Result;
  /** The run itself, where it is one of this program. */
  readonly run?: RunResult | null;
  /** What its records left, where they were read. */
  readonly digest?: RunDigest | null;
}

/** The charts of a result: a ladder's panels, a run's distributions and timeline, acceptance by position and content. */
export function chartsOf({ result, digest }: ReportedResult): Chart[] {
  return [
    ...contextCharts([result]),
    ...concurrencyCharts([result]),
    ...positionCharts(result),
    ...contentTypeCharts(result),
    ...(digest == null ? [] : [...contentNameCharts(digest.acceptance), ...runCharts(digest)]),
  ];
}

/**
 * A report as one HTML file that needs no network: counts and findings first, charts drawn here, tables that sort, light and dark
 * after the reader's setting.
 */
export function renderHtml(reported: ReportedResult): string {
  const { result, run = null } = reported;
  const title = result.title ?? "Benchmark result";
  const charts = chartsOf(reported);
  return htmlPage(
    title,
    header(result, run),
    [
      chartSection("Ladder", charts, /^(?:context|concurrency)-/),
      pointSection(result),
      ...(run === null ? [] : runSections(run)),
      chartSection("Over time", charts, /^time-/),
      chartSection("Distributions", charts, /^dist-/),
      chartSection("Speculative decoding", charts, /^acceptance-/, run === null ? "" : acceptanceOf(run)),
      sectionOf(
        "protocol",
        "Protocol",
        definitionList(run === null ? axisPairs(result.protocol) : protocolPairs(run)),
      ),
      ...(run === null ? [] : [sectionOf("cache", "Prefix cache", definitionList(cachePairs(run)))]),
      sectionOf(
        "findings",
        "Findings",
        result.findings.length === 0
          ? "<p>none</p>"
          : listOf(result.findings.map(({ severity, code, message }) => `${severity} ${code}: ${message}`)),
      ),
      sectionOf("notes", "Notes", listOf(result.notes)),
    ],
    sourceLine(result),
  );
}

function header(result: Result, run: RunResult | null): string {
  if (run === null) return `<p class="head">${text(countsLine(result))}</p>`;
  const { counts, errorRate } = run.summary;
  const isBad = counts.failed > 0 || counts.ok === 0;
  const counted = `${counts.asked} asked: ${counts.ok} ok, ${counts.failed} failed, ${counts.dropped} dropped, ${counts.aborted} aborted, ${counts.unsent} never sent; error rate ${errorRate === null ? "unknown" : formatPercent(errorRate)}`;
  const breaches = breachesOf(run).map(({ code }) => code);
  return [
    `<p class="head ${isBad ? "bad" : run.interrupted ? "warn" : "good"}">${text(counted)}</p>`,
    run.interrupted
      ? '<p class="warn">Interrupted: figures are over the requests that ended before that.</p>'
      : "",
    breaches.length === 0
      ? ""
      : `<p class="bad">${text(`This run does not stand as stated: ${breaches.join(", ")} (see Findings).`)}</p>`,
    `<p class="${run.summary.client?.clientBound === true ? "bad" : "quiet"}">${text(describeClient(run.summary.client))}</p>`,
  ].join("");
}

/** Several points are a table, one is a list. */
function pointSection(result: Result): string {
  const { head, rows, note } = pointTable(result);
  const [row = []] = rows;
  if (rows.length > 1) {
    const caption = `One row per point${note === "" ? "" : `; ${note}`}`;
    return sectionOf("points", "Points", dataTable(caption, { head, rows }));
  }
  return sectionOf(
    "points",
    "Figures",
    definitionList(head.map((name, column) => [name, row[column] ?? "-"] as const)),
    note === "" ? "" : `<p class="quiet">${text(note)}</p>`,
  );
}

function runSections(run: RunResult): string[] {
  const beside = describeOutputs(run.summary.outputs, run.protocol.stoppingRule);
  const [latency, rates] = [latencyRows(run), rateRows(run, beside)];
  return [
    sectionOf("outputs", "Outputs", definitionList(outputPairs(run))),
    sectionOf(
      "latency",
      "Latency",
      latency.rows.length === 0
        ? "<p>none: no request ended with output</p>"
        : dataTable(`ms; "-" where too few values stand behind a percentile; ${beside}`, latency),
    ),
    sectionOf(
      "rates",
      "Rates",
      rates.rows.length === 0
        ? "<p>none: no request ended with output</p>"
        : dataTable("Each with the outputs that it was taken over", rates),
    ),
  ];
}

function acceptanceOf(run: RunResult): string {
  const { acceptance, acceptanceMissing } = run.summary;
  return acceptance === null
    ? `<p>${text(`none: ${acceptanceMissing ?? "no reason was recorded"}`)}</p>`
    : definitionList(acceptancePairs(acceptance));
}

function chartSection(title: string, charts: readonly Chart[], ids: RegExp, before = ""): string {
  const drawn = charts.filter(({ id }) => ids.test(id)).map(figureOf);
  const id = title.toLowerCase().replaceAll(/\W+/g, "-");
  return sectionOf(
    `charts-${id}`,
    title,
    before,
    drawn.length === 0 ? "" : `<div class="charts">${drawn.join("")}</div>`,
  );
}
