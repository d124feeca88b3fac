import { LineScanner } from "./line-scanner.ts";
import { parseMilliseconds, parseSeconds, parseValue } from "./numbers.ts";
import { quote } from "./problems.ts";
import type { Exemplar, ExpositionFormat } from "./sample.ts";

/** One sample line before its family is known. */
export interface SampleLine {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly timestampMs: number | null;
  readonly exemplar: Exemplar | null;
  /** Where name and labels stand in the text: equal text is the same series written in the same way. */
  readonly seriesStart: number;
  readonly seriesEnd: number;
}

const BRACE_OPEN = 0x7b;
const BRACE_CLOSE = 0x7d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const EQUALS = 0x3d;
const HASH = 0x23;
const ZERO = 0x30;
const DOT = 0x2e;
const SPACE = 0x20;
const TAB = 0x09;

/** Labels of one sample. */
class Labels {
  [name: string]: string;
}
// They inherit nothing, so that a label may be called `__proto__` or `constructor`; and unlike objects made without a
// prototype, they keep the fast layout of a class.
Object.setPrototypeOf(Labels.prototype, null);
Reflect.deleteProperty(Labels.prototype, "constructor");

const NO_LABELS: Readonly<Record<string, string>> = Object.freeze(new Labels());

/**
 * Reads `name{label="value",…} value [timestamp] [# {exemplar} value [timestamp]]`; the name may also stand quoted
 * between the braces (text 1.0.0, OpenMetrics).
 *
 * @throws {MetricsError} `EXPOSITION_INVALID`, `EXPOSITION_TOO_LARGE` (labels)
 */
export function parseSampleLine(
  scanner: LineScanner,
  maxLabels: number,
  format: ExpositionFormat,
): SampleLine {
  scanner.skipBlanks();
  const seriesStart = scanner.position;
  let name = scanner.takeName(true);
  let labels = NO_LABELS;
  if (name === "") {
    if (scanner.peek() !== BRACE_OPEN) throw scanner.error("expected a metric name");
    const read = readBraces(scanner, maxLabels, true);
    if (read.name === null) throw scanner.error("expected a metric name", seriesStart);
    ({ name, labels } = { name: read.name, labels: read.labels });
  } else {
    const next = scanner.peek();
    if (next !== -1 && next !== SPACE && next !== TAB && next !== BRACE_OPEN) {
      throw scanner.error("this character cannot be part of a metric name");
    }
  }
  let seriesEnd = scanner.position;
  if (labels === NO_LABELS) {
    scanner.skipBlanks();
    if (scanner.peek() === BRACE_OPEN && name !== "") {
      ({ labels } = readBraces(scanner, maxLabels, false));
      seriesEnd = scanner.position;
    }
  }
  scanner.skipBlanks();
  const value = takeValue(scanner, `the value of ${name}`);
  const timestampMs = takeTimestamp(scanner, format);
  const exemplar = scanner.peek() === HASH ? takeExemplar(scanner, maxLabels) : null;
  if (!scanner.atEnd()) throw scanner.error("unexpected text after the timestamp");
  return { name, labels, value, timestampMs, exemplar, seriesStart, seriesEnd };
}

function takeValue(scanner: LineScanner, what: string): number {
  const start = scanner.position;
  const short = takeShortInteger(scanner);
  if (short !== null) return short;
  const text = scanner.takeWord();
  if (text === "") throw scanner.error(`expected ${what}`);
  const value = parseValue(text);
  if (value === undefined) throw scanner.error(`${quote(text)} is not a number`, start);
  return value;
}

/** `12` and `12.0`, which most values are, without cutting them out; null leaves the position where it was. */
function takeShortInteger(scanner: LineScanner): number | null {
  const { text, end, position: start } = scanner;
  let value = 0;
  let at = start;
  for (; at < end; at++) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) break;
    value = value * 10 + digit;
  }
  if (at === start || at - start > 15) return null;
  if (at < end && text.charCodeAt(at) === DOT && at + 1 < end && text.charCodeAt(at + 1) === ZERO) at += 2;
  const next = at < end ? text.charCodeAt(at) : SPACE;
  if (next !== SPACE && next !== TAB) return null;
  scanner.position = at;
  return value;
}

function takeTimestamp(scanner: LineScanner, format: ExpositionFormat): number | null {
  scanner.skipBlanks();
  if (scanner.atEnd() || scanner.peek() === HASH) return null;
  const start = scanner.position;
  const text = scanner.takeWord();
  const timestamp = format === "classic" ? parseMilliseconds(text) : parseSeconds(text);
  if (timestamp === undefined) {
    const unit = format === "classic" ? "milliseconds" : "seconds";
    throw scanner.error(`${quote(text)} is not a timestamp in ${unit}`, start);
  }
  scanner.skipBlanks();
  return timestamp;
}

/** `# {labels} value [seconds]`; only OpenMetrics knows it, and no other format uses these characters. */
function takeExemplar(scanner: LineScanner, maxLabels: number): Exemplar {
  scanner.position++;
  scanner.skipBlanks();
  if (scanner.peek() !== BRACE_OPEN) throw scanner.error("expected the labels of an exemplar");
  const { labels } = readBraces(scanner, maxLabels, false);
  scanner.skipBlanks();
  const value = takeValue(scanner, "the value of an exemplar");
  return { labels, value, timestampMs: takeTimestamp(scanner, "openmetrics") };
}

/** Labels between braces, and the quoted metric name if it stands there. */
function readBraces(
  scanner: LineScanner,
  maxLabels: number,
  mayHoldName: boolean,
): { readonly name: string | null; readonly labels: Labels } {
  const labels = new Labels();
  let metric: string | null = null;
  let count = 0;
  scanner.position++;
  scanner.skipBlanks();
  for (;;) {
    const code = scanner.peek();
    if (code === BRACE_CLOSE) break;
    const nameStart = scanner.position;
    const isQuoted = code === QUOTE;
    const label = isQuoted ? scanner.takeQuoted("name") : scanner.takeName(false);
    if (!isQuoted && label === "") {
      throw scanner.error(scanner.atEnd() ? "the labels are not closed" : "expected a label name");
    }
    scanner.skipBlanks();
    if (isQuoted && mayHoldName && scanner.peek() !== EQUALS) {
      if (metric !== null || count > 0 || label === "")
        throw scanner.error("expected one metric name before the labels", nameStart);
      metric = label;
    } else {
      if (mayHoldName && metric === null) throw scanner.error("expected a metric name", nameStart - 1);
      if (labels[label] !== undefined) throw scanner.error(`the label ${label} is given twice`, nameStart);
      if (++count > maxLabels) {
        throw scanner.error(`more than ${maxLabels} labels`, nameStart, "EXPOSITION_TOO_LARGE");
      }
      if (scanner.peek() !== EQUALS) throw scanner.error(`expected = after the label ${label}`);
      scanner.position++;
      scanner.skipBlanks();
      if (scanner.peek() !== QUOTE) throw scanner.error(`expected a quoted value for the label ${label}`);
      labels[label] = scanner.takeQuoted(`value of the label ${label}`);
    }
    scanner.skipBlanks();
    if (scanner.peek() === COMMA) {
      scanner.position++;
      scanner.skipBlanks();
    } else if (scanner.peek() !== BRACE_CLOSE) {
      throw scanner.error(scanner.atEnd() ? "the labels are not closed" : "expected , or } after a label");
    }
  }
  scanner.position++;
  return { name: metric, labels };
}
