import { printable } from "../text.ts";

/** A text that Markdown shows as it is: inside a table cell, too. */
export function escapeMarkdown(text: string): string {
  return printable(text)
    .replaceAll(/[\\`*_{}[\]<>#|~]/g, (mark) => `\\${mark}`)
    .replaceAll(/(^|\s)@(?=\w)/g, "$1@\u200b");
}

/** A table with the first column to the left and the others to the right. Cells are escaped. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(" | ")} |`;
  const rule = `| ${head.map((_, column) => (column === 0 ? ":---" : "---:")).join(" | ")} |`;
  return [line(head), rule, ...rows.map(line)];
}

/** `name | text` rows, both to the left. */
export function markdownFields(pairs: readonly (readonly [string, string])[]): string[] {
  return [
    "| | |",
    "| :--- | :--- |",
    ...pairs.map(([name, text]) => `| ${escapeMarkdown(name)} | ${escapeMarkdown(text)} |`),
  ];
}
