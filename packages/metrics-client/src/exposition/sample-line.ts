import { LineScanner } from "./line-scanner.ts";
import { parseMilliseconds, parseSeconds, parseValue } from "./numbers.ts";
import { quote } from "./problems.ts";
import type { Exemplar, ExpositionFormat } from "./sample.ts";

/** Labels of one sample. */
class Labels {
  [name: string]: string;
}
// They inherit nothing, so that a label may be called `__proto__` or `constructor`; and unlike objects made without a
// prototype, they keep the fast layout of a class.
Object.setPrototypeOf(Labels.prototype, null);
Reflect.deleteProperty(Labels.prototype, "constructor");

const NO_LABELS: Readonly<Record<string, string>> = Object.freeze(new Labels());

/** One sample line before its family is known. It is filled anew for each line, since there are very many. */
export class SampleLine {
  name = "";
  labels: Readonly<Record<string, string>> = NO_LABELS;
  value = 0;
  timestampMs: number | null = null;
  exemplar: Exemplar | null = null;
  /** The same for the same name and labels, in whatever order they stand. */
  seriesHash = 0;
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

/**
 * Reads `name{label="value",…} value [timestamp] [# {exemplar} value [timestamp]]`; the name may also stand quoted
 * between the braces (text 1.0.0, OpenMetrics).
 *
 * @throws {MetricsError} `EXPOSITION_INVALID`, `EXPOSITION_TOO_LARGE` (labels)
 */
export function readSampleLine(
  scanner: LineScanner,
  maxLabels: number,
  format: ExpositionFormat,
  into: SampleLine,
): void {
  scanner.skipBlanks();
  into.labels = NO_LABELS;
  into.name = scanner.takeName(true);
  into.seriesHash = scanner.hash;
  if (into.name === "") {
    const start = scanner.position;
    if (scanner.peek() !== BRACE_OPEN) throw scanner.error("expected a metric name");
    readBraces(scanner, maxLabels, into, true);
    if (into.name === "") throw scanner.error("expected a metric name", start);
  } else {
    const next = scanner.peek();
    if (next !== BRACE_OPEN) {
      if (next !== -1 && next !== SPACE && next !== TAB) {
        throw scanner.error("this character cannot be part of a metric name");
      }
      scanner.skipBlanks();
    }
    if (scanner.peek() === BRACE_OPEN) readBraces(scanner, maxLabels, into, false);
  }
  scanner.skipBlanks();
  const short = takeShortInteger(scanner);
  into.value = short ?? takeValue(scanner, `the value of ${into.name}`);
  into.timestampMs = takeTimestamp(scanner, format);
  into.exemplar = scanner.peek() === HASH ? takeExemplar(scanner, maxLabels) : null;
  if (!scanner.atEnd()) throw scanner.error("unexpected text after the timestamp");
}

function takeValue(scanner: LineScanner, what: string): number {
  const start = scanner.position;
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
  const holder = new SampleLine();
  readBraces(scanner, maxLabels, holder, false);
  const { labels } = holder;
  scanner.skipBlanks();
  const value = takeValue(scanner, "the value of an exemplar");
  return { labels, value, timestampMs: takeTimestamp(scanner, "openmetrics") };
}

/**
 * Reads the labels between braces into the line, and the quoted metric name if it may stand there. The hash is the same in
 * whatever order the labels stand.
 */
function readBraces(scanner: LineScanner, maxLabels: number, into: SampleLine, mayHoldName: boolean): void {
  const labels = new Labels();
  let hash = into.seriesHash;
  let count = 0;
  scanner.position++;
  scanner.skipBlanks();
  for (;;) {
    const code = scanner.peek();
    if (code === BRACE_CLOSE) break;
    const nameStart = scanner.position;
    const isQuoted = code === QUOTE;
    const label = isQuoted ? scanner.takeQuoted("name") : scanner.takeName(false);
    const nameHash = scanner.hash;
    if (!isQuoted && label === "") {
      throw scanner.error(scanner.atEnd() ? "the labels are not closed" : "expected a label name");
    }
    if (scanner.peek() !== EQUALS) scanner.skipBlanks();
    if (isQuoted && mayHoldName && scanner.peek() !== EQUALS) {
      if (into.name !== "" || count > 0 || label === "")
        throw scanner.error("expected one metric name before the labels", nameStart);
      into.name = label;
      hash = nameHash;
    } else {
      if (mayHoldName && into.name === "") throw scanner.error("expected a metric name", nameStart - 1);
      if (isAmong(scanner.labelNames, count, label)) {
        throw scanner.error(`the label ${label} is given twice`, nameStart);
      }
      if (count >= maxLabels) {
        throw scanner.error(`more than ${maxLabels} labels`, nameStart, "EXPOSITION_TOO_LARGE");
      }
      scanner.labelNames[count++] = label;
      if (scanner.peek() !== EQUALS) throw scanner.error(`expected = after the label ${label}`);
      scanner.position++;
      if (scanner.peek() !== QUOTE) scanner.skipBlanks();
      if (scanner.peek() !== QUOTE) throw scanner.error(`expected a quoted value for the label ${label}`);
      labels[label] = scanner.takeQuoted(`value of the label ${label}`);
      hash = (hash + Math.imul(nameHash ^ Math.imul(scanner.hash, 0x9e3779b1), 0x85ebca6b)) | 0;
    }
    const next = scanner.peek();
    if (next === BRACE_CLOSE) break;
    if (next !== COMMA) scanner.skipBlanks();
    if (scanner.peek() === COMMA) {
      scanner.position++;
      scanner.skipBlanks();
    } else if (scanner.peek() !== BRACE_CLOSE) {
      throw scanner.error(scanner.atEnd() ? "the labels are not closed" : "expected , or } after a label");
    }
  }
  scanner.position++;
  into.labels = labels;
  into.seriesHash = hash;
}

/** Quicker than asking an object for a property that it nearly never has. */
function isAmong(names: readonly string[], count: number, name: string): boolean {
  for (let index = 0; index < count; index++) if (names[index] === name) return true;
  return false;
}
