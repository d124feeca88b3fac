import { MetricsError, type MetricsErrorCode } from "../errors.ts";

const LONGEST_MESSAGE = 200;

/** The error of one place of a page. Line and column count from 1. */
export function problemAt(
  line: number,
  column: number,
  what: string,
  code: Extract<MetricsErrorCode, `EXPOSITION_${string}`> = "EXPOSITION_INVALID",
): MetricsError {
  // It may quote names of the page, which can hold anything at any length.
  const said = what.slice(0, LONGEST_MESSAGE).replaceAll(/[\p{Cc}\u2028\u2029]+/gu, " ");
  return new MetricsError(code, `metrics page, line ${line}, column ${column}: ${said}`, { line, column });
}

/** A word of the page as a message may quote it: on one line, and never a whole configuration. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
