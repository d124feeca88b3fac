import { detached } from "./line-scanner.ts";
import { problemAt } from "./problems.ts";
import type { MetricFamily, MetricType } from "./sample.ts";

const TYPES: ReadonlyMap<string, MetricType> = new Map([
  ["counter", "counter"],
  ["gauge", "gauge"],
  ["histogram", "histogram"],
  ["summary", "summary"],
  ["untyped", "untyped"],
  ["unknown", "untyped"],
  ["info", "info"],
  ["stateset", "stateset"],
  ["gaugehistogram", "gaugehistogram"],
]);

const METADATA =
  /^#[ \t]+(HELP|TYPE|UNIT)[ \t]+(?:([a-zA-Z_:][a-zA-Z0-9_:]*)|"((?:[^"\\]|\\.)*)")(?:[ \t]+(.*))?$/s;

/** Reads HELP, TYPE and UNIT into the family they are about. Any other comment is none of ours. */
export function readMetadata(comment: string, line: number, families: Map<string, MetricFamily>): void {
  const match = METADATA.exec(comment);
  if (match === null) return;
  const [, keyword, bare, quoted, rest = ""] = match;
  // They live as long as the parser, and must not hold on to all the pieces of a page.
  const name = detached(bare ?? unescape(quoted ?? ""));
  const known = families.get(name);
  const family: MetricFamily = known ?? { type: "untyped", help: null };
  if (keyword === "HELP") {
    families.set(name, { ...family, help: detached(unescape(rest)) });
  } else if (keyword === "UNIT") {
    families.set(name, { ...family, unit: detached(rest.trim()) });
  } else {
    // A type that is not known is read like one that is not told.
    const type = TYPES.get(rest.trim()) ?? "untyped";
    if (known !== undefined && known.type !== "untyped" && known.type !== type) {
      throw problemAt(line, 1, `${name} is given the type ${type} here and ${known.type} before`);
    }
    families.set(name, { ...family, type });
  }
}

function unescape(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(/\\([\\n"])/g, (_, escaped: string) => (escaped === "n" ? "\n" : escaped));
}

const HISTOGRAM_PART = /_(?:bucket|sum|count)$/;
const GAUGE_HISTOGRAM_PART = /_(?:bucket|gsum|gcount)$/;

/** Type of the family that a sample belongs to by its name. */
export function typeOfSample(name: string, families: ReadonlyMap<string, MetricFamily>): MetricType {
  const own = families.get(name);
  if (own !== undefined) return own.type;
  if (HISTOGRAM_PART.test(name)) {
    const whole = families.get(name.replace(HISTOGRAM_PART, ""))?.type;
    if (whole === "histogram" || whole === "summary") return whole;
  }
  if (GAUGE_HISTOGRAM_PART.test(name)) {
    const whole = families.get(name.replace(GAUGE_HISTOGRAM_PART, ""))?.type;
    if (whole === "gaugehistogram") return whole;
  }
  // OpenMetrics names the family of a counter without the `_total` of its sample, and so do some classic pages.
  if (name.endsWith("_total") && families.get(name.slice(0, -6))?.type === "counter") return "counter";
  if (name.endsWith("_info") && families.get(name.slice(0, -5))?.type === "info") return "info";
  // The time at which a series began: never a count.
  if (name.endsWith("_created")) {
    const whole = families.get(name.slice(0, -8))?.type;
    if (whole === "counter" || whole === "histogram" || whole === "summary") return "gauge";
  }
  return "untyped";
}
