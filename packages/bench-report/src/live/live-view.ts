import { barChart, histogramChart } from "../charts/bar-chart.ts";
import { timelineCharts } from "../charts/run-charts.ts";
import { count, formatNumber, formatShare, MINIMUM_N } from "../format.ts";
import { acceptanceFields } from "../sections/acceptance.ts";
import { printable } from "../text.ts";
import type { LiveFigure, LiveState } from "./live-run.ts";

/** What stands on the page, by the id of the element: texts and drawings, ready to be put there. */
export interface LiveView {
  readonly isOver: boolean;
  readonly title: string;
  /** 0 to 1; null where it cannot be told. */
  readonly share: number | null;
  readonly tone: "quiet" | "good" | "warn" | "bad";
  readonly texts: Readonly<Record<string, string>>;
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly charts: Readonly<Record<string, string>>;
}

/** Figures of the page: id, what they are, unit. */
export const LIVE_ROWS = [
  ["ttftMs", "TTFT", "ms"],
  ["tpotMs", "TPOT", "ms"],
  ["e2elMs", "E2EL", "ms"],
  ["decode", "decode per request, ctxsweep convention", "tok/s"],
] as const;

/** Findings that are shown: a run has kinds of them, not numbers. */
const MOST_FINDINGS = 40;

/** The page of a run at one moment. Pure; texts are free of what steers a screen. */
export function liveView(state: LiveState): LiveView {
  const { counts, phase, end } = state;
  const failures = counts.failed + counts.dropped;
  const texts: Record<string, string> = {
    phase: phaseText(state),
    progress: progressText(state),
    counts: `${counts.ok} ok, ${counts.failed} failed, ${counts.dropped} dropped, ${counts.aborted} aborted`,
    error: state.firstError === null ? "none" : state.firstError,
    throughput: rateText(state.outputTokensPerS, "tok/s"),
    requests: rateText(state.requestsPerS, "req/s"),
    outputs: besideText(state),
    ...Object.fromEntries(LIVE_ROWS.flatMap(([id]) => figureTexts(id, state.figures[id]))),
    acceptance: acceptanceText(state),
  };
  const isBad = failures > 0 || (end !== null && (end.result === null || counts.ok === 0));
  return {
    isOver: phase === "over",
    title: titleOf(state),
    share: state.share,
    tone: isBad ? "bad" : end?.result?.interrupted === true ? "warn" : phase === "over" ? "good" : "quiet",
    texts: Object.fromEntries(Object.entries(texts).map(([id, text]) => [id, printable(text)])),
    lists: {
      findings: findingTexts(state).map(printable),
      files: filesOf(state).map(printable),
    },
    charts: chartsOf(state),
  };
}

function titleOf({ phase, share, end }: LiveState): string {
  if (phase !== "over")
    return `${share === null ? "…" : `${Math.floor(share * 100)} %`} ${phase} - onpar run`;
  return end?.result === null ? "failed - onpar run" : "over - onpar run";
}

function phaseText({ phase, end }: LiveState): string {
  if (phase === "preparing") return "Preparing: prompts and requests are made, nothing is measured yet.";
  if (phase === "warm-up") return "Warming up: these requests are never measured.";
  if (phase === "measuring") return "Measuring.";
  if (end?.result == null) return `The run is over: nothing could be measured. ${end?.error ?? ""}`.trim();
  const breaches = end.result.findings.filter(({ severity }) => severity === "breach");
  return [
    end.result.interrupted
      ? "The run is over: it was interrupted, and what was measured is kept."
      : "The run is over.",
    end.error === null ? "" : `Not everything could be written: ${end.error}.`,
    breaches.length === 0
      ? ""
      : `It does not stand as stated: ${breaches.map(({ code }) => code).join(", ")} (see Findings).`,
  ]
    .filter((part) => part !== "")
    .join(" ");
}

function progressText({ phase, done, total, elapsedS, leftS }: LiveState): string {
  const of = total > 0 ? `${done} of ${total}` : `${done}`;
  const unit = phase === "preparing" ? "" : " requests";
  const left = phase === "over" ? "" : leftS === null ? ", time left unknown" : `, about ${span(leftS)} left`;
  return `${of}${unit}, ${span(elapsedS)} so far${left}`;
}

function span(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  return whole < 3600
    ? `${Math.floor(whole / 60)} min ${whole % 60} s`
    : `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

function rateText(value: number | null, unit: string): string {
  return value === null ? "unknown" : `${formatNumber(value)} ${unit}`;
}

/** No rate stands without the lengths that it was taken over and the rule that made them. */
function besideText({ lengths, rule }: LiveState): string {
  return lengths === null
    ? `lengths unknown, ${rule}`
    : `${lengths.min}/${formatNumber(lengths.mean)}/${lengths.max} tokens (min/mean/max), ${rule}, ${count(lengths.n, "request")} that ended`;
}

function figureTexts(id: string, { n, p50, p90, p99 }: LiveFigure): [string, string][] {
  const cell = (value: number | null, least: number): string =>
    value === null || n < least ? "-" : formatNumber(value);
  return [
    [`${id}-n`, String(n)],
    [`${id}-p50`, cell(p50, 1)],
    [`${id}-p90`, cell(p90, MINIMUM_N.p90)],
    [`${id}-p99`, cell(p99, MINIMUM_N.p99)],
  ];
}

function acceptanceText({ acceptance, acceptanceMissing }: LiveState): string {
  if (acceptance === null) return acceptanceMissing === null ? "not read yet" : `none: ${acceptanceMissing}`;
  const [rate, length, , source] = acceptanceFields(acceptance);
  return [rate, length, source].map((pair) => (pair === undefined ? "" : `${pair[0]} ${pair[1]}`)).join("; ");
}

function findingTexts({ findings }: LiveState): string[] {
  const order = ["breach", "warning", "note"];
  const sorted = [...findings].sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
  const shown = sorted
    .slice(0, MOST_FINDINGS)
    .map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
  return sorted.length > MOST_FINDINGS ? [...shown, `and ${sorted.length - MOST_FINDINGS} more`] : shown;
}

function filesOf({ end }: LiveState): string[] {
  if (end === null) return [];
  const files = end.files.map(([flag, file]) => `${flag}: ${file}`);
  if (end.result === null) return files;
  return [...files, "The report is on the standard output of the command, unless --quiet."];
}

function chartsOf({ figures, timeline, acceptance }: LiveState): Record<string, string> {
  const requests = "requests";
  const [tokens] = timelineCharts(timeline);
  const drawn = [
    histogramChart(
      { id: "live-ttft", title: "Time to first token", xLabel: "ms", of: requests },
      figures.ttftMs.bins,
    ),
    histogramChart(
      { id: "live-e2el", title: "End-to-end latency", xLabel: "ms", of: requests },
      figures.e2elMs.bins,
    ),
    histogramChart(
      { id: "live-tpot", title: "Time per output token", xLabel: "ms", of: requests },
      figures.tpotMs.bins,
    ),
    tokens === undefined || tokens === null ? null : tokens,
    barChart(
      {
        id: "live-position",
        title: "Accepted by draft position",
        xLabel: "draft position, from 0",
        most: 1,
        format: formatShare,
      },
      (acceptance?.perPositionRate ?? []).map((value, position) => ({ name: String(position), value })),
    ),
  ];
  return Object.fromEntries(LIVE_CHARTS.map((id, index) => [id, drawn[index]?.svg ?? ""]));
}

/** Places of the charts, in order. */
export const LIVE_CHARTS = [
  "chart-ttft",
  "chart-e2el",
  "chart-tpot",
  "chart-tokens",
  "chart-position",
] as const;
