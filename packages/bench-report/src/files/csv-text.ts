import { ReportError } from "../errors.ts";

/** A table: names of its columns, and rows with one cell each. */
export interface CsvTable {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const MOST_ROWS = 1_000_000;

/** Rows as CSV (RFC 4180, line ends of one character): cells are quoted where they have to be. */
export function csvText(
  columns: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  const line = (cells: readonly (string | number | null)[]) => cells.map(cell).join(",");
  return `${[columns, ...rows].map(line).join("\n")}\n`;
}

function cell(value: string | number | null): string {
  if (value === null) return "";
  const text = String(value);
  // A text that a spreadsheet would take for a formula is kept a text.
  const safe = typeof value === "string" && /^[=+@\t\r]|^-[^\d.]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/**
 * CSV as a table. Quoted cells may hold commas, quotes and line ends.
 *
 * @throws {ReportError} naming file and line
 */
export function parseCsv(text: string, name: string): CsvTable {
  const lines: string[][] = [];
  let row: string[] = [];
  let value = "";
  let quoted = false;
  let line = 1;
  const endCell = () => {
    row.push(value);
    value = "";
  };
  const endRow = () => {
    endCell();
    if (row.length > 1 || row[0] !== "") lines.push(row);
    row = [];
    if (lines.length > MOST_ROWS)
      throw new ReportError("TOO_LARGE", `${name}: has more than ${MOST_ROWS} rows`);
  };
  for (let at = text.startsWith("\ufeff") ? 1 : 0; at < text.length; at++) {
    const char = text[at];
    if (char === "\n") line++;
    if (quoted) {
      if (char !== '"') value += char ?? "";
      else if (text[at + 1] === '"') {
        value += '"';
        at++;
      } else quoted = false;
    } else if (char === '"' && value === "") quoted = true;
    else if (char === ",") endCell();
    else if (char === "\n") endRow();
    else if (char !== "\r") value += char ?? "";
  }
  if (quoted) throw new ReportError("IMPORT_INVALID", `${name}:${line}: a quoted cell has no end`);
  if (value !== "" || row.length > 0) endRow();
  const [columns, ...rows] = lines;
  if (columns === undefined) throw new ReportError("IMPORT_INVALID", `${name}: is empty`);
  return { columns: columns.map((column) => column.trim()), rows };
}
