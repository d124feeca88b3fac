import { createPage, section, type Page, type RenderOptions } from "../paint.ts";
import { displayWidth, fields, hanging, table } from "../text.ts";
import type { Comparison, FigureComparison, RungComparison } from "./compare.ts";
import { changeText, figureTitle, ratioText, sideText } from "./figure-text.ts";

const NAMES = {
  matched: "matched",
  "matched-except": "matched except",
  "not-comparable": "not comparable",
} as const;

/** Figures that the first lines tell of a single rung. */
const HEADLINE = ["decodeCtxsweep", "outputTokensPerS", "ttftMs", "tpotMs", "acceptanceLength"] as const;

/** The verdict in words: `matched except load differs (…); hardware unknown`. */
export function verdictText({ verdict, reasons }: Comparison): string {
  return verdict === "matched"
    ? `matched: ${reasons.join("; ")}`
    : `${NAMES[verdict]}: ${reasons.join("; ")}`;
}

/**
 * Two results beside each other as text for a terminal: the verdict, then what changed, figures rung by rung with output lengths
 * beside them, axes, warnings. Two that are not comparable get no ratio. Ends with a newline.
 */
export function renderComparison(comparison: Comparison, options: RenderOptions): string {
  const page = createPage(options);
  const { paint, width } = page;
  const tone = { matched: paint.good, "matched-except": paint.warn, "not-comparable": paint.bad };
  const differing = comparison.axes.filter(({ state }) => state === "differs");
  const unknown = comparison.axes.filter(({ state }) => state === "unknown").map(({ axis }) => axis);
  const warnings = [...comparison.warnings, ...new Set(comparison.rungs.flatMap((rung) => rung.warnings))];
  return `${[
    ...hanging("", verdictText(comparison), width).map((line) =>
      paint.strong(tone[comparison.verdict](line)),
    ),
    ...fields(
      [
        ["A", comparison.a],
        ["B", comparison.b],
      ],
      width,
    ),
    ...headlines(comparison, page),
    ...comparison.rungs.flatMap((rung) => rungSection(rung, page)),
    ...section("Rungs of one side only", onlyLines(comparison, page), page),
    ...section(
      "Axes that differ",
      differing.length === 0
        ? ["  none"]
        : fields(
            differing.map(({ axis, a, b }) => [axis, `${a} | ${b}`]),
            width,
          ),
      page,
    ),
    ...section(
      "Axes unknown",
      hanging("  ", unknown.length === 0 ? "none" : unknown.join(", "), width),
      page,
    ),
    ...section(
      "Warnings",
      warnings.flatMap((warning) => hanging("  ", warning, width).map(paint.warn)),
      page,
    ),
    "",
    ...hanging(
      "",
      `ratio: B / A; brackets: ${comparison.level * 100} % interval; changes under ${comparison.threshold * 100} % are called small`,
      width,
    ).map(paint.quiet),
  ].join("\n")}\n`;
}

/** What changed, in a sentence each; nothing of two that cannot be compared. */
export function headlineTexts({ verdict, rungs }: Comparison): string[] {
  const [rung] = rungs;
  if (verdict === "not-comparable" || rung === undefined) return [];
  if (rungs.length > 1) {
    const all = rungs.flatMap(({ figures }) => figures);
    const times = (change: FigureComparison["change"]): string =>
      `${all.filter((one) => one.change === change).length} ${change}`;
    return [
      `${rungs.length} rungs, ${all.length} figures: ${(["better", "worse", "changed", "below threshold", "within noise", "unknown"] as const).map(times).join(", ")}`,
    ];
  }
  return HEADLINE.flatMap((name) => {
    const one = rung.figures.find(({ figure }) => figure === name);
    return one === undefined || one.ratio === null || one.ci === null
      ? []
      : [
          `${figureTitle(name)}: ${ratioText(one)}, ${changeText(one)} [A ${rung.outputs.a} | B ${rung.outputs.b}]`,
        ];
  });
}

function headlines(comparison: Comparison, { width, paint }: Page): string[] {
  return headlineTexts(comparison).flatMap((line) => hanging("  ", line, width).map(paint.strong));
}

function rungSection(rung: RungComparison, page: Page): string[] {
  const { width, paint } = page;
  const rows = rung.figures.map((one) => [
    figureTitle(one.figure),
    sideText(one.figure, one.a),
    sideText(one.figure, one.b),
    ratioText(one),
    changeText(one),
  ]);
  const lines = table([["", "A", "B", "B / A", ""], ...rows]);
  const fits = lines.every((line) => displayWidth(line) <= width);
  const shown = fits
    ? lines.map((line, index) =>
        index === 0 ? paint.quiet(line) : toned(line, rung.figures[index - 1], page),
      )
    : rung.figures.flatMap((one) =>
        hanging(
          `  ${figureTitle(one.figure)}: `,
          `A ${sideText(one.figure, one.a)}; B ${sideText(one.figure, one.b)}${one.ratio === null ? "" : `; B / A ${ratioText(one)}: ${changeText(one)}`}`,
          width,
        ).map((line) => toned(line, one, page)),
      );
  return section(
    rung.label,
    [
      ...shown,
      ...hanging("  ", `outputs: A ${rung.outputs.a} | B ${rung.outputs.b}`, width).map(paint.quiet),
    ],
    page,
  );
}

function toned(line: string, one: FigureComparison | undefined, { paint }: Page): string {
  if (one?.change === "worse") return paint.bad(line);
  return one?.change === "better" ? paint.good(line) : line;
}

function onlyLines({ onlyA, onlyB }: Comparison, { width }: Page): string[] {
  return [
    ...(onlyA.length === 0 ? [] : hanging("  A: ", onlyA.join("; "), width)),
    ...(onlyB.length === 0 ? [] : hanging("  B: ", onlyB.join("; "), width)),
  ];
}
