/** Plain text for terminals: widths, wrapping, tables. Knows nothing of results. */

// C0 and C1 controls, line separators, and the marks that reorder text on screen.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]+/g;

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{1f300}-\u{1faff}]|[\u{20000}-\u{3fffd}]/u;

/**
 * A text made safe to print: servers choose model names and error messages, and a terminal obeys control characters.
 * Each run of them becomes one space. `wrap` and `table` do it to everything they lay out.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, " ");
}

/** Columns that a text takes on a terminal. The text must be free of escape sequences. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const char of text) width += WIDE.test(char) ? 2 : 1;
  return width;
}

export function padEnd(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - displayWidth(text)));
}

export function padStart(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - displayWidth(text))) + text;
}

/** Lines of at most `width` columns, broken at spaces. A longer word (a path, a URL) keeps a line of its own, whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of printable(text)
    .split(" ")
    .filter((part) => part !== "")) {
    if (line === "") line = word;
    else if (displayWidth(line) + 1 + displayWidth(word) <= width) line += ` ${word}`;
    else {
      lines.push(line);
      line = word;
    }
  }
  return line === "" ? lines : [...lines, line];
}

/** Wrapped text whose first line starts with `first` and whose other lines start with spaces of the same width. */
export function hanging(first: string, text: string, width: number): string[] {
  const indent = displayWidth(first);
  return wrap(text, Math.max(16, width - indent)).map(
    (line, index) => (index === 0 ? first : " ".repeat(indent)) + line,
  );
}

/** `label  text` pairs with the texts in one column; where that leaves no room, the text goes below its label. */
export function fields(pairs: readonly (readonly [label: string, text: string])[], width: number): string[] {
  const labelWidth = Math.max(...pairs.map(([label]) => displayWidth(label)));
  if (width - labelWidth < 36) {
    return pairs.flatMap(([label, text]) => [`  ${label}`, ...hanging("    ", text, width)]);
  }
  return pairs.flatMap(([label, text]) => hanging(`  ${padEnd(label, labelWidth)}  `, text, width));
}

/** A table with the first column to the left and the others to the right, two spaces between them. */
export function table(cells: readonly (readonly string[])[]): string[] {
  const rows = cells.map((row) => row.map(printable));
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => displayWidth(row[column] ?? ""))),
  );
  return rows.map((row) =>
    `  ${row.map((cell, column) => (column === 0 ? padEnd : padStart)(cell, widths[column] ?? 0)).join("  ")}`.trimEnd(),
  );
}
