import { ReportError } from "../errors.ts";
import { parseCsv } from "../files/csv-text.ts";
import { parseObjects, type Fields } from "./fields.ts";

/**
 * Rows of a table by column, from CSV or from one JSON object per line. Numbers are numbers; empty cells are left out.
 *
 * @throws {ReportError} naming file and line
 */
export function readRows(text: string, name: string): Fields[] {
  if (text.trimStart().startsWith("{")) return parseObjects(text, name);
  const { columns, rows } = parseCsv(text, name);
  return rows.map((cells, index) => {
    if (cells.length !== columns.length) {
      throw new ReportError(
        "IMPORT_INVALID",
        `${name}: row ${index + 1} has ${cells.length} cells, and there are ${columns.length} columns`,
      );
    }
    return Object.fromEntries(
      cells.flatMap((cell, column) => {
        const key = columns[column] ?? "";
        const value = cell.trim();
        return value === ""
          ? []
          : [[key, /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(value) ? Number(value) : value]];
      }),
    );
  });
}

/** The columns of the first row, by name. */
export function columnsOf(text: string): ReadonlySet<string> {
  const line = text.trimStart().split("\n", 1)[0] ?? "";
  return new Set(line.split(",").map((cell) => cell.trim().replaceAll('"', "")));
}
