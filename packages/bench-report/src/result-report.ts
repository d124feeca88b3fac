import { createPage, section, type RenderOptions } from "./paint.ts";
import { axisPairs, countsLine, sourceLine } from "./result/describe.ts";
import { pointTable } from "./result/point-table.ts";
import type { Result } from "./result/schema.ts";
import { displayWidth, fields, hanging, table } from "./text.ts";

/**
 * A result of any harness as text for a terminal: counts first, one row per point, then the protocol with every axis that is
 * unknown. Where the columns do not fit, each point is a block of its own. Ends with a newline.
 */
export function renderResultReport(result: Result, options: RenderOptions): string {
  const page = createPage(options);
  const { paint, width } = page;
  const { head, rows } = pointTable(result);
  const lines = table([head, ...rows]);
  const fits = lines.every((line) => displayWidth(line) <= width);
  const points = fits
    ? lines.map((line, index) => (index === 0 ? paint.quiet(line) : line))
    : rows.flatMap((row, index) => [
        ...(index === 0 ? [] : [""]),
        ...fields(
          row.flatMap((cell, column) => (cell === "-" ? [] : [[head[column] ?? "", cell] as const])),
          width,
        ),
      ]);
  const pairs = axisPairs(result.protocol);
  const unknown = pairs.filter(([, words]) => words === "unknown").map(([axis]) => axis);
  const findings = result.findings.map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
  return `${[
    ...hanging("", [result.title, countsLine(result)].filter((part) => part !== null).join(": "), width).map(
      paint.strong,
    ),
    ...section(result.points.length === 1 ? "Figures" : "Points", points, page),
    ...section(
      "Protocol",
      [
        ...fields(
          pairs.filter(([, words]) => words !== "unknown"),
          width,
        ),
        ...(unknown.length === 0 ? [] : hanging("  unknown: ", unknown.join(", "), width).map(paint.warn)),
      ],
      page,
    ),
    ...section(
      "Findings",
      findings.flatMap((line) => hanging("  ", line, width)),
      page,
    ),
    ...section(
      "Notes",
      result.notes.flatMap((note) => hanging("  ", note, width)),
      page,
    ),
    ...section("Where this comes from", hanging("  ", sourceLine(result), width), page),
  ].join("\n")}\n`;
}
