import { verdictOf, type ComparisonVerdict } from "@onpar/bench-config";
import type { RunResult } from "@onpar/sweep-runner";

import { compareAxes, type AxisComparison } from "./axes.ts";
import { breachesOf } from "./breaches.ts";
import { formatNumber, formatPercent, formatSpan } from "./format.ts";
import { createPage, section, type Page, type RenderOptions } from "./paint.ts";
import { fields, hanging, table } from "./text.ts";

/** How far two runs may be compared. */
export type Verdict = ComparisonVerdict;

/** What may be said about two runs side by side. */
export interface DifferenceVerdict {
  readonly verdict: Verdict;
  /** Why, in words; for `matched` that no axis differs. */
  readonly reasons: readonly string[];
  readonly axes: readonly AxisComparison[];
}

/**
 * The verdict on two runs, from their resolved protocols. A run that does not stand as stated, and two runs
 * that part in stopping rule, model, workload or endpoint, are not comparable. An unknown axis is never equal.
 */
export function judgeDifference(a: RunResult, b: RunResult): DifferenceVerdict {
  const axes = compareAxes(a, b);
  const broken = (
    [
      ["A", a],
      ["B", b],
    ] as const
  ).flatMap(([name, result]) => {
    const codes = breachesOf(result).map((finding) => finding.code);
    return codes.length === 0 ? [] : [`${name} does not stand as stated (${codes.join(", ")})`];
  });
  const judged = verdictOf(axes);
  if (broken.length > 0) {
    const parting = judged.verdict === "not-comparable" ? judged.reasons : [];
    return { verdict: "not-comparable", reasons: [...broken, ...parting], axes };
  }
  return { ...judged, axes };
}

/**
 * Two runs side by side: the verdict, acceptance and decode rate of both with their difference and the output
 * lengths they were taken over, then the axes on which they part. Ends with a newline. No ratio is printed: that
 * takes a confidence interval.
 */
export function renderDifference(a: RunResult, b: RunResult, options: RenderOptions): string {
  const page = createPage(options);
  const { verdict, reasons, axes } = judgeDifference(a, b);
  const names = {
    matched: "matched",
    "matched-except": "matched except",
    "not-comparable": "not comparable",
  };
  const tone = {
    matched: page.paint.good,
    "matched-except": page.paint.warn,
    "not-comparable": page.paint.bad,
  };
  const parting = axes.filter((axis) => axis.state === "differs");
  const unknown = axes.filter((axis) => axis.state === "unknown").map((axis) => axis.axis);
  return `${[
    ...hanging("", `${names[verdict]}: ${reasons.join("; ")}`, page.width).map((line) =>
      page.paint.strong(tone[verdict](line)),
    ),
    ...section("A beside B", valueLines(a, b, page), page),
    ...section(
      "Axes that differ",
      fieldsOrNone(
        parting.map(({ axis, a, b }) => [axis, `${a} | ${b}`]),
        page,
      ),
      page,
    ),
    ...section(
      "Axes unknown",
      hanging("  ", unknown.length === 0 ? "none" : unknown.join(", "), page.width),
      page,
    ),
  ].join("\n")}\n`;
}

function fieldsOrNone(pairs: readonly (readonly [string, string])[], page: Page): string[] {
  return pairs.length === 0 ? ["  none"] : fields(pairs, page.width);
}

interface Row {
  readonly label: string;
  readonly of: (result: RunResult) => number | null;
  readonly show: (value: number) => string;
  /** Differences of shares are percentage points. */
  readonly showDifference: (value: number) => string;
}

const ROWS: readonly Row[] = [
  {
    label: "acceptance rate",
    of: (result) => result.summary.acceptance?.rate ?? null,
    show: formatPercent,
    showDifference: (value) => `${signed(value * 100, (points) => points.toFixed(1))} points`,
  },
  {
    label: "mean acceptance length",
    of: (result) => result.summary.acceptance?.meanAcceptanceLength ?? null,
    show: formatNumber,
    showDifference: (value) => signed(value, formatNumber),
  },
  {
    label: "decode tok/s, p50",
    of: (result) => result.summary.rates.decodeCtxsweep?.p50 ?? null,
    show: formatNumber,
    showDifference: (value) => signed(value, formatNumber),
  },
];

function valueLines(a: RunResult, b: RunResult, page: Page): string[] {
  const rows = ROWS.map(({ label, of, show, showDifference }) => {
    const [left, right] = [of(a), of(b)];
    return [
      label,
      left === null ? "unknown" : show(left),
      right === null ? "unknown" : show(right),
      left === null || right === null ? "unknown" : showDifference(right - left),
    ];
  });
  const context = [
    ["output tokens", ...[a, b].map((result) => formatSpan(result.summary.outputs.lengths))],
    ["stopping rule", ...[a, b].map((result) => result.protocol.stoppingRule.name)],
    ["ok of asked", ...[a, b].map(({ summary: { counts } }) => `${counts.ok}/${counts.asked}`)],
  ];
  return [
    ...table([["", "A", "B", "B - A"], ...rows, ...context]),
    ...hanging(
      "  ",
      "output tokens: min/p50/max; decode by the ctxsweep convention, n / (stream end - first token)",
      page.width,
    ).map(page.paint.quiet),
  ];
}

function signed(value: number, show: (magnitude: number) => string): string {
  return value < 0 ? `-${show(-value)}` : `+${show(value)}`;
}
