import { MetricsError } from "./errors.ts";
import { parseSampleLine } from "./sample-line.ts";
import type { MetricFamily, MetricSample, MetricsPage, MetricType } from "./sample.ts";

/** Bounds on what a page may hold. */
export interface ExpositionLimits {
  /** UTF-16 code units of the whole text. Default: 16 Mi. */
  readonly maxLength?: number;
  /** Default: 500,000. */
  readonly maxLines?: number;
  /** Labels of one sample. Default: 256. */
  readonly maxLabels?: number;
}

const DEFAULT_LIMITS: Required<ExpositionLimits> = {
  maxLength: 16 * 1024 * 1024,
  maxLines: 500_000,
  maxLabels: 256,
};

const TYPES: ReadonlyMap<string, MetricType> = new Map([
  ["counter", "counter"],
  ["gauge", "gauge"],
  ["histogram", "histogram"],
  ["summary", "summary"],
  ["untyped", "untyped"],
  ["unknown", "untyped"],
]);

const METADATA = /^#[ \t]+(HELP|TYPE)[ \t]+([a-zA-Z_:][a-zA-Z0-9_:]*)(?:[ \t]+(.*))?$/;

/**
 * Parses Prometheus exposition text, format 0.0.4.
 *
 * @throws {MetricsError} `EXPOSITION_INVALID` with line and column, `EXPOSITION_TOO_LARGE`
 */
export function parseExposition(text: string, limits: ExpositionLimits = {}): MetricSample[] {
  return [...parseMetricsPage(text, limits).samples];
}

/**
 * Like {@link parseExposition}, and keeps the families too: a family that is announced but has no samples yet counts
 * from zero, one that is not announced is unknown.
 *
 * A page must end with a line feed, as the format demands: one that does not was cut off, and the last number on it
 * cannot be trusted.
 *
 * @throws {MetricsError} `EXPOSITION_INVALID` with line and column, `EXPOSITION_TOO_LARGE`
 */
export function parseMetricsPage(text: string, limits: ExpositionLimits = {}): MetricsPage {
  const { maxLength, maxLines, maxLabels } = { ...DEFAULT_LIMITS, ...limits };
  if (text.length > maxLength) {
    throw new MetricsError(
      "EXPOSITION_TOO_LARGE",
      `the metrics page has ${text.length} characters; the limit is ${maxLength}`,
    );
  }
  const families = new Map<string, MetricFamily>();
  const samples: MetricSample[] = [];
  const linesOfSeries = new Map<string, number>();
  let lineNumber = 0;
  let start = text.startsWith("\uFEFF") ? 1 : 0;
  while (start < text.length) {
    lineNumber++;
    if (lineNumber > maxLines) {
      throw new MetricsError("EXPOSITION_TOO_LARGE", `the metrics page has more than ${maxLines} lines`, {
        line: lineNumber,
        column: 1,
      });
    }
    const end = text.indexOf("\n", start);
    if (end < 0) {
      throw invalid(
        lineNumber,
        text.length - start + 1,
        "the page ends without a line feed, so it was probably cut off",
      );
    }
    const line = text.slice(start, text.charCodeAt(end - 1) === 13 && end > start ? end - 1 : end);
    start = end + 1;
    const first = /\S/.exec(line)?.index;
    if (first === undefined) continue;
    if (line[first] === "#") {
      readComment(line.slice(first), lineNumber, families);
      continue;
    }
    const parsed = parseSampleLine(line, lineNumber, maxLabels);
    const earlier = linesOfSeries.get(parsed.series);
    if (earlier !== undefined) {
      throw invalid(
        lineNumber,
        1,
        `the series ${parsed.series.slice(0, 120)} was already given in line ${earlier}`,
      );
    }
    linesOfSeries.set(parsed.series, lineNumber);
    samples.push({
      name: parsed.name,
      labels: parsed.labels,
      value: parsed.value,
      type: typeOfSample(parsed.name, families),
      timestampMs: parsed.timestampMs,
    });
  }
  return { samples, families };
}

function invalid(line: number, column: number, what: string): MetricsError {
  return new MetricsError("EXPOSITION_INVALID", `metrics page, line ${line}, column ${column}: ${what}`, {
    line,
    column,
  });
}

function readComment(line: string, lineNumber: number, families: Map<string, MetricFamily>): void {
  const match = METADATA.exec(line);
  if (match === null) return;
  const [, keyword, name = "", rest = ""] = match;
  const known = families.get(name);
  if (keyword === "HELP") {
    const help = rest.replaceAll(/\\([\\n])/g, (_, escaped: string) => (escaped === "n" ? "\n" : "\\"));
    families.set(name, { type: known?.type ?? "untyped", help });
    return;
  }
  // Types of later formats (info, stateset) are read as plain samples.
  const type = TYPES.get(rest.trim()) ?? "untyped";
  if (known !== undefined && known.type !== "untyped" && known.type !== type) {
    throw invalid(lineNumber, 1, `${name} is given the type ${type} here and ${known.type} before`);
  }
  families.set(name, { type, help: known?.help ?? null });
}

const PART_SUFFIX = /_(?:bucket|sum|count)$/;

function typeOfSample(name: string, families: ReadonlyMap<string, MetricFamily>): MetricType {
  const own = families.get(name);
  if (own !== undefined) return own.type;
  if (PART_SUFFIX.test(name)) {
    const whole = families.get(name.replace(PART_SUFFIX, ""))?.type;
    if (whole === "histogram" || whole === "summary") return whole;
  }
  // Some servers announce a counter without the `_total` that its sample carries.
  if (name.endsWith("_total") && families.get(name.slice(0, -6))?.type === "counter") return "counter";
  return "untyped";
}
