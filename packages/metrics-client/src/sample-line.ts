import { MetricsError } from "./errors.ts";

/** One sample line before its family is known. */
export interface SampleLine {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly timestampMs: number | null;
  /** Name and labels as written: equal for two lines that give the same series in the same way. */
  readonly series: string;
}

const NO_LABELS: Readonly<Record<string, string>> = {};

const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const LABEL_NAME = /[a-zA-Z_][a-zA-Z0-9_]*/y;
const BLANKS = /[ \t]*/y;
const WORD = /[^ \t]+/y;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const NOT_A_NUMBER = /^[+-]?nan$/i;
const INFINITE = /^([+-]?)inf(?:inity)?$/i;
const INTEGER = /^-?\d{1,18}$/;

/**
 * Reads `name{label="value",…} value [timestamp]`.
 *
 * @throws {MetricsError} `EXPOSITION_INVALID`, `EXPOSITION_TOO_LARGE` (labels)
 */
export function parseSampleLine(line: string, lineNumber: number, maxLabels: number): SampleLine {
  const scanner = new LineScanner(line, lineNumber);
  scanner.take(BLANKS);
  const seriesStart = scanner.position;
  const name = scanner.take(NAME);
  if (name === "") throw scanner.error("expected a metric name");
  if (!scanner.atEnd() && !/[ \t{]/.test(line[scanner.position] ?? "")) {
    throw scanner.error("this character cannot be part of a metric name");
  }
  scanner.take(BLANKS);
  const labels = scanner.at("{") ? readLabels(scanner, maxLabels) : NO_LABELS;
  const series = line.slice(seriesStart, scanner.position).trimEnd();
  scanner.take(BLANKS);
  const valueStart = scanner.position;
  const valueText = scanner.take(WORD);
  if (valueText === "") throw scanner.error(`expected the value of ${name}`);
  const value = parseValue(valueText);
  if (value === undefined) throw scanner.error(`${quote(valueText)} is not a number`, valueStart);
  scanner.take(BLANKS);
  const timestampStart = scanner.position;
  const timestampText = scanner.take(WORD);
  if (timestampText !== "" && !INTEGER.test(timestampText)) {
    throw scanner.error(`${quote(timestampText)} is not a timestamp in milliseconds`, timestampStart);
  }
  scanner.take(BLANKS);
  if (!scanner.atEnd()) throw scanner.error("unexpected text after the timestamp");
  return { name, labels, value, timestampMs: timestampText === "" ? null : Number(timestampText), series };
}

/** Number of the exposition format, which knows more spellings than JavaScript; undefined when it is none. */
function parseValue(text: string): number | undefined {
  if (NUMBER.test(text)) return Number(text);
  if (NOT_A_NUMBER.test(text)) return Number.NaN;
  const infinite = INFINITE.exec(text);
  if (infinite === null) return undefined;
  return infinite[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

function readLabels(scanner: LineScanner, maxLabels: number): Record<string, string> {
  // No prototype: a label may be called `__proto__`.
  const labels: Record<string, string> = Object.create(null);
  let count = 0;
  scanner.skip(1);
  scanner.take(BLANKS);
  while (!scanner.at("}")) {
    const nameStart = scanner.position;
    const name = scanner.take(LABEL_NAME);
    if (name === "")
      throw scanner.error(scanner.atEnd() ? "the labels are not closed" : "expected a label name");
    if (name in labels) throw scanner.error(`the label ${name} is given twice`, nameStart);
    if (++count > maxLabels) {
      throw scanner.error(`more than ${maxLabels} labels`, nameStart, "EXPOSITION_TOO_LARGE");
    }
    scanner.take(BLANKS);
    if (!scanner.at("=")) throw scanner.error(`expected = after the label ${name}`);
    scanner.skip(1);
    scanner.take(BLANKS);
    if (!scanner.at('"')) throw scanner.error(`expected a quoted value for the label ${name}`);
    labels[name] = readQuoted(scanner, name);
    scanner.take(BLANKS);
    if (scanner.at(",")) {
      scanner.skip(1);
      scanner.take(BLANKS);
    } else if (!scanner.at("}")) {
      throw scanner.error(scanner.atEnd() ? "the labels are not closed" : "expected , or } after a label");
    }
  }
  scanner.skip(1);
  return labels;
}

const QUOTE_OR_BACKSLASH = /["\\]/g;

function readQuoted(scanner: LineScanner, label: string): string {
  const { line } = scanner;
  const opening = scanner.position;
  let value = "";
  let from = opening + 1;
  for (;;) {
    QUOTE_OR_BACKSLASH.lastIndex = from;
    const match = QUOTE_OR_BACKSLASH.exec(line);
    if (match === null) throw scanner.error(`the value of the label ${label} is not closed`, opening);
    value += line.slice(from, match.index);
    if (match[0] === '"') {
      scanner.position = match.index + 1;
      return value;
    }
    const escaped = line[match.index + 1];
    if (escaped === "n") value += "\n";
    else if (escaped === "\\" || escaped === '"') value += escaped;
    else throw scanner.error(`unknown escape in the value of the label ${label}`, match.index);
    from = match.index + 2;
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}

class LineScanner {
  position = 0;
  readonly line: string;
  readonly #lineNumber: number;

  constructor(line: string, lineNumber: number) {
    this.line = line;
    this.#lineNumber = lineNumber;
  }

  /** Takes what the sticky pattern matches here; empty when it does not match. */
  take(pattern: RegExp): string {
    pattern.lastIndex = this.position;
    const text = pattern.exec(this.line)?.[0] ?? "";
    this.position += text.length;
    return text;
  }

  at(character: string): boolean {
    return this.line[this.position] === character;
  }

  atEnd(): boolean {
    return this.position >= this.line.length;
  }

  skip(count: number): void {
    this.position += count;
  }

  error(
    what: string,
    position = this.position,
    code: "EXPOSITION_INVALID" | "EXPOSITION_TOO_LARGE" = "EXPOSITION_INVALID",
  ): MetricsError {
    const column = position + 1;
    return new MetricsError(code, `metrics page, line ${this.#lineNumber}, column ${column}: ${what}`, {
      line: this.#lineNumber,
      column,
    });
  }
}
