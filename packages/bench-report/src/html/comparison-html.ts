import { concurrencyCharts, contextCharts } from "../charts/ladder-charts.ts";
import { ratioChart } from "../charts/ratio-chart.ts";
import type { Comparison, RungComparison } from "../compare/compare.ts";
import { headlineTexts, verdictText } from "../compare/comparison-text.ts";
import { changeText, figureTitle, ratioText, sideText } from "../compare/figure-text.ts";
import type { Side } from "../compare/rungs.ts";
import { joinResults } from "../result/from-run.ts";
import { dataTable, definitionList, figureOf, listOf, sectionOf, text } from "./markup.ts";
import { htmlPage } from "./page.ts";

/** Charts of single rungs beyond these are left out: the tables have them all. */
const MOST_RATIO_CHARTS = 12;

/**
 * Two results beside each other as one HTML file that needs no network: the verdict first, ratios with their intervals, both
 * ladders over each other, every figure and every axis.
 */
export function renderComparisonHtml(comparison: Comparison, a: Side, b: Side): string {
  const { verdict, rungs, axes, warnings, onlyA, onlyB } = comparison;
  const sides = [a, b].map(({ name, results }) => joinResults(results, name));
  const overlays = [...contextCharts(sides), ...concurrencyCharts(sides)];
  const ratios = rungs.flatMap((_, index) =>
    index < MOST_RATIO_CHARTS ? (ratioChart(comparison, index) ?? []) : [],
  );
  const tone = { matched: "good", "matched-except": "warn", "not-comparable": "bad" }[verdict];
  const header = [
    `<p class="head ${tone}">${text(verdictText(comparison))}</p>`,
    definitionList([
      ["A", a.name],
      ["B", b.name],
    ]),
    ...headlineTexts(comparison).map((line) => `<p>${text(line)}</p>`),
  ].join("");
  const only = [...onlyA.map((label) => `A only: ${label}`), ...onlyB.map((label) => `B only: ${label}`)];
  return htmlPage(
    `${a.name} against ${b.name}`,
    header,
    [
      sectionOf("ratios", "Ratios", charts(ratios.map(figureOf))),
      sectionOf("overlays", "Both over each other", charts(overlays.map(figureOf))),
      sectionOf("figures", "Figures", ...rungs.map(rungTable)),
      sectionOf("only", "Rungs of one side only", listOf(only)),
      sectionOf(
        "axes",
        "Axes",
        dataTable("Every axis of the two protocols", {
          head: ["axis", "state", "A", "B"],
          rows: axes.map(({ axis, state, a: one, b: other }) => [axis, state, one, other]),
        }),
      ),
      sectionOf(
        "warnings",
        "Warnings",
        listOf([...warnings, ...new Set(rungs.flatMap((rung) => rung.warnings))]),
      ),
    ],
    `Ratio: B / A; brackets: ${comparison.level * 100} % interval; changes under ${comparison.threshold * 100} % are called small.`,
  );
}

function rungTable({ label, figures, outputs }: RungComparison): string {
  return dataTable(`${label}; outputs: A ${outputs.a} | B ${outputs.b}`, {
    head: ["figure", "A", "B", "B / A", "change"],
    rows: figures.map((one) => [
      figureTitle(one.figure),
      sideText(one.figure, one.a),
      sideText(one.figure, one.b),
      ratioText(one),
      changeText(one),
    ]),
  });
}

function charts(drawn: readonly string[]): string {
  return drawn.length === 0 ? "" : `<div class="charts">${drawn.join("")}</div>`;
}
