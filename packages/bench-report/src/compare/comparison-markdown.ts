import { escapeMarkdown, markdownTable } from "../files/markdown-text.ts";
import type { Comparison, RungComparison } from "./compare.ts";
import { headlineTexts, verdictText } from "./comparison-text.ts";
import { changeText, figureTitle, ratioText, sideText } from "./figure-text.ts";

/** Two results beside each other as Markdown, in the order of the terminal's. Ends with a newline. */
export function comparisonMarkdown(comparison: Comparison): string {
  const axes = comparison.axes.map(({ axis, state, a, b }) => [axis, state, a, b]);
  const warnings = [...comparison.warnings, ...new Set(comparison.rungs.flatMap((rung) => rung.warnings))];
  return `${[
    `## ${escapeMarkdown(`${comparison.a} against ${comparison.b}`)}`,
    "",
    `**${escapeMarkdown(verdictText(comparison))}**`,
    ...headlineTexts(comparison).flatMap((line) => ["", escapeMarkdown(line)]),
    ...comparison.rungs.flatMap(rungLines),
    ...(comparison.onlyA.length === 0 ? [] : ["", escapeMarkdown(`Only A: ${comparison.onlyA.join("; ")}`)]),
    ...(comparison.onlyB.length === 0 ? [] : ["", escapeMarkdown(`Only B: ${comparison.onlyB.join("; ")}`)]),
    "",
    "### Axes",
    "",
    ...markdownTable(["axis", "state", "A", "B"], axes),
    ...(warnings.length === 0
      ? []
      : ["", "### Warnings", "", ...warnings.map((warning) => `- ${escapeMarkdown(warning)}`)]),
    "",
    escapeMarkdown(
      `Ratio: B / A; brackets: ${comparison.level * 100} % interval; changes under ${comparison.threshold * 100} % are called small.`,
    ),
  ].join("\n")}\n`;
}

function rungLines({ label, figures, outputs }: RungComparison): string[] {
  const rows = figures.map((one) => [
    figureTitle(one.figure),
    sideText(one.figure, one.a),
    sideText(one.figure, one.b),
    ratioText(one),
    changeText(one),
  ]);
  return [
    "",
    `### ${escapeMarkdown(label)}`,
    "",
    ...markdownTable(["figure", "A", "B", "B / A", "change"], rows),
    "",
    escapeMarkdown(`Outputs: A ${outputs.a} | B ${outputs.b}`),
  ];
}
