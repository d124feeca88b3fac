import { createPage, section, type Page, type RenderOptions } from "./paint.ts";
import { axisPairs, countsLine, sourceLine } from "./result/describe.ts";
import { pointTable, type PointTable } from "./result/point-table.ts";
import type { Result } from "./result/schema.ts";
import { displayWidth, fields, hanging, table } from "./text.ts";

/** Columns that say where a point stands; the first part of the table repeats them. */
const PLACES = new Set(["profile", "context", "in flight", "req/s asked", "temperature", "boot"]);

/**
 * One row per point. What is the same in all of several points is said once; what does not fit beside it goes into further
 * tables, each with the places of the points at its left; a single point is a list.
 */
function pointLines({ head, rows }: PointTable, { width, paint }: Page): string[] {
  const [first = []] = rows;
  const pairsOf = (columns: readonly number[]) =>
    columns.flatMap((column) => {
      const cell = first[column] ?? "-";
      return cell === "-" ? [] : [[head[column] ?? "", cell] as const];
    });
  const all = head.map((_, column) => column);
  if (rows.length === 1) return fields(pairsOf(all), width);
  const same = all.filter((column) => rows.every((row) => row[column] === first[column]));
  const varied = all.filter((column) => !same.includes(column));
  const places = varied.filter((column) => PLACES.has(head[column] ?? ""));
  const cells = (columns: readonly number[]) =>
    [head, ...rows].map((row) => columns.map((column) => row[column] ?? ""));
  const widest = (columns: readonly number[]) => Math.max(...table(cells(columns)).map(displayWidth));
  const parts: number[][] = [];
  for (const column of varied.filter((one) => !places.includes(one))) {
    const last = parts.at(-1);
    if (last !== undefined && widest([...places, ...last, column]) <= width) last.push(column);
    else parts.push([column]);
  }
  const tables = (parts.length === 0 ? [[]] : parts).flatMap((part, index) => [
    ...(index === 0 ? [] : [""]),
    ...table(cells([...places, ...part])).map((line, row) => (row === 0 ? paint.quiet(line) : line)),
  ]);
  const common = pairsOf(same).map(([name, cell]) => `${name} ${cell}`);
  return [...(common.length === 0 ? [] : hanging("  all: ", common.join("; "), width)), ...tables];
}

/**
 * A result of any harness as text for a terminal: counts first, one row per point, then the protocol with every axis that is
 * unknown. Ends with a newline.
 */
export function renderResultReport(result: Result, options: RenderOptions): string {
  const page = createPage(options);
  const { paint, width } = page;
  const points = pointTable(result);
  const pairs = axisPairs(result.protocol);
  const unknown = pairs.filter(([, words]) => words === "unknown").map(([axis]) => axis);
  const findings = result.findings.map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
  return `${[
    ...hanging("", [result.title, countsLine(result)].filter((part) => part !== null).join(": "), width).map(
      paint.strong,
    ),
    ...section(
      result.points.length === 1 ? "Figures" : "Points",
      [
        ...pointLines(points, page),
        ...(points.note === "" ? [] : hanging("  ", points.note, width).map(paint.quiet)),
      ],
      page,
    ),
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
