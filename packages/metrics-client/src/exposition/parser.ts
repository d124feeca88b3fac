import { DEFAULT_LIMITS, type ExpositionLimits } from "./limits.ts";
import { LineScanner } from "./line-scanner.ts";
import { readMetadata, typeOfSample } from "./metadata.ts";
import { problemAt } from "./problems.ts";
import { readSampleLine, SampleLine } from "./sample-line.ts";
import type { ExpositionFormat, MetricFamily, MetricSample, MetricType } from "./sample.ts";
import { TailCheck } from "./tail-check.ts";

/** Told each sample as its line is read, with a hash that is the same for the same name and labels. */
export type OnSample = (sample: MetricSample, line: number, seriesHash: number) => void;

const HASH = 0x23;
const SPACE = 0x20;
const TAB = 0x09;
const CARRIAGE_RETURN = 0x0d;

/**
 * Reads exposition text that comes in pieces of any size. It holds one unfinished line and the families, no samples.
 */
export class ExpositionParser {
  readonly families = new Map<string, MetricFamily>();
  readonly #onSample: OnSample;
  readonly #format: ExpositionFormat;
  readonly #limits: Required<ExpositionLimits>;
  readonly #scanner = new LineScanner();
  readonly #tail = new TailCheck();
  readonly #read = new SampleLine();
  /** Pieces of a line whose end has not come. */
  #pending: string[] = [];
  #pendingLength = 0;
  #length = 0;
  #line = 0;
  #lastName = "";
  #lastType: MetricType = "untyped";
  #sawEof = false;

  constructor(onSample: OnSample, format: ExpositionFormat, limits: ExpositionLimits = {}) {
    this.#onSample = onSample;
    this.#format = format;
    this.#limits = { ...DEFAULT_LIMITS, ...limits };
  }

  /** @throws {MetricsError} `EXPOSITION_INVALID` with line and column, `EXPOSITION_TOO_LARGE` */
  push(text: string): void {
    this.#length += text.length;
    if (this.#length > this.#limits.maxLength) {
      throw this.#tooLarge(`the metrics page has more than ${this.#limits.maxLength} characters`);
    }
    let start = this.#line === 0 && this.#pendingLength === 0 && text.startsWith("\uFEFF") ? 1 : 0;
    for (;;) {
      const end = text.indexOf("\n", start);
      if (end < 0) break;
      if (this.#pendingLength > 0) {
        this.#pending.push(text.slice(start, end));
        const line = this.#pending.join("");
        this.#pending = [];
        this.#pendingLength = 0;
        this.#readLine(line, 0, line.length);
      } else {
        this.#readLine(text, start, end);
      }
      start = end + 1;
    }
    if (start < text.length) {
      this.#pending.push(start === 0 ? text : text.slice(start));
      this.#pendingLength += text.length - start;
      if (this.#pendingLength > this.#limits.maxLineLength) throw this.#lineTooLong(this.#line + 1);
    }
  }

  /**
   * Says that nothing follows.
   *
   * @throws {MetricsError} when the page was cut off as far as its text can show it
   */
  end(): "eof-mark" | "line-end" {
    const rest = this.#pending.join("");
    const lastLine = this.#line + 1;
    if (rest !== "") {
      // Only OpenMetrics' last line may stand without a line feed.
      if (this.#format !== "openmetrics" || rest !== "# EOF") {
        const what = "the page ends without a line feed, so it was probably cut off";
        throw problemAt(lastLine, rest.length + 1, what);
      }
      this.#readLine(rest, 0, rest.length);
    }
    if (this.#format === "openmetrics") {
      if (this.#sawEof) return "eof-mark";
      throw problemAt(lastLine, 1, "the page ends without # EOF, so it was cut off");
    }
    const missing = this.#tail.missing();
    if (missing !== null) {
      throw problemAt(lastLine, 1, `the page ends inside a family: ${missing}, so it was probably cut off`);
    }
    return "line-end";
  }

  #readLine(text: string, start: number, lineEnd: number): void {
    const line = ++this.#line;
    if (line > this.#limits.maxLines) {
      throw this.#tooLarge(`the metrics page has more than ${this.#limits.maxLines} lines`, line);
    }
    if (lineEnd - start > this.#limits.maxLineLength) throw this.#lineTooLong(line);
    const end = lineEnd > start && text.charCodeAt(lineEnd - 1) === CARRIAGE_RETURN ? lineEnd - 1 : lineEnd;
    let first = start;
    while (first < end) {
      const code = text.charCodeAt(first);
      if (code !== SPACE && code !== TAB) break;
      first++;
    }
    if (first === end) return;
    if (this.#sawEof) throw problemAt(line, 1, "there is text after # EOF");
    if (text.charCodeAt(first) === HASH) this.#readComment(text.slice(first, end), line);
    else this.#readSample(text, start, end, line);
  }

  #readComment(comment: string, line: number): void {
    if (this.#format === "openmetrics" && comment === "# EOF") {
      this.#sawEof = true;
      return;
    }
    readMetadata(comment, line, this.families);
    this.#lastName = "";
  }

  #readSample(text: string, start: number, end: number, line: number): void {
    this.#scanner.reset(text, start, end, line);
    readSampleLine(this.#scanner, this.#limits.maxLabels, this.#format, this.#read);
    const { name, labels, value, timestampMs, exemplar, seriesHash } = this.#read;
    if (name !== this.#lastName) {
      this.#lastName = name;
      this.#lastType = typeOfSample(name, this.families);
    }
    const type = this.#lastType;
    const sample: MetricSample =
      exemplar === null
        ? { name, labels, value, type, timestampMs }
        : { name, labels, value, type, timestampMs, exemplar };
    this.#tail.add(sample);
    this.#onSample(sample, line, seriesHash);
  }

  #lineTooLong(line: number): Error {
    return this.#tooLarge(`a line has more than ${this.#limits.maxLineLength} characters`, line);
  }

  #tooLarge(what: string, line = this.#line + 1): Error {
    return problemAt(line, 1, what, "EXPOSITION_TOO_LARGE");
  }
}
