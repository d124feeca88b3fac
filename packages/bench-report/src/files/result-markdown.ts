import { axisPairs, countsLine, sourceLine } from "../result/describe.ts";
import { pointTable } from "../result/point-table.ts";
import type { Result } from "../result/schema.ts";
import { escapeMarkdown, markdownFields, markdownTable } from "./markdown-text.ts";

/** A result of any harness as Markdown: counts, protocol with what is unknown, one row per point. Ends with a newline. */
export function resultMarkdown(result: Result): string {
  const { head, rows, note } = pointTable(result);
  const findings = result.findings.map(({ severity, code, message }) =>
    escapeMarkdown(`${severity} ${code}: ${message}`),
  );
  return `${[
    `## ${escapeMarkdown(result.title ?? "Benchmark result")}`,
    "",
    `**${escapeMarkdown(countsLine(result))}**`,
    "",
    ...markdownTable(head, rows),
    ...(note === "" ? [] : ["", escapeMarkdown(note)]),
    "",
    "### Protocol",
    "",
    ...markdownFields(axisPairs(result.protocol)),
    "",
    "### Findings",
    "",
    ...(findings.length === 0 ? ["none"] : findings.map((line) => `- ${line}`)),
    ...(result.notes.length === 0
      ? []
      : ["", "### Notes", "", ...result.notes.map((note) => `- ${escapeMarkdown(note)}`)]),
    "",
    escapeMarkdown(sourceLine(result)),
  ].join("\n")}\n`;
}
