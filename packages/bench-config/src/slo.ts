import { readRate, readSeconds, readShare } from "./units.ts";

/**
 * A limit that a request or a run has to meet. One without a statistic over a figure of requests is met request by
 * request: goodput counts the requests that meet all of those.
 */
export interface Slo {
  /** As it was written. */
  readonly text: string;
  /** What it judges: each request, or the run as a whole. */
  readonly scope: "request" | "run";
  readonly metric: SloMetric;
  /** Statistic over the requests, such as `p99`; null where the metric is one number. */
  readonly statistic: SloStatistic | null;
  readonly operator: "<=" | "<" | ">=" | ">";
  /** In the unit of the metric: ms, a share from 0 to 1, or per second. */
  readonly value: number;
}

/** `mean`, `min`, `max` or a percentile `p0` … `p100`, `p99.9`. */
export type SloStatistic = "mean" | "min" | "max" | `p${number}`;

/** Unit of each figure of a request. */
const requestMetrics = {
  ttft: "ms",
  ttft_from_schedule: "ms",
  tpot: "ms",
  itl: "ms",
  e2el: "ms",
  e2el_from_schedule: "ms",
  queue: "ms",
  decode_rate: "per second",
  output_tokens: "number",
} as const;

/** Unit of each figure of a run. */
const runMetrics = {
  error_rate: "share",
  goodput: "share",
  request_goodput: "per second",
  requests_per_s: "per second",
  output_tokens_per_s: "per second",
  total_tokens_per_s: "per second",
  acceptance_rate: "share",
  acceptance_length: "number",
  achieved_rate: "share",
} as const;

export type SloRequestMetric = keyof typeof requestMetrics;
export type SloRunMetric = keyof typeof runMetrics;
export type SloMetric = SloRequestMetric | SloRunMetric;

const form = /^(?:(mean|min|max|p\d{1,3}(?:\.\d+)?)\(\s*(\w+)\s*\)|(\w+))\s*(<=|<|>=|>)\s*([^\s<>=].*)$/u;
const LONGEST = 200;

function isRequestMetric(name: string): name is SloRequestMetric {
  return Object.hasOwn(requestMetrics, name);
}

function isRunMetric(name: string): name is SloRunMetric {
  return Object.hasOwn(runMetrics, name);
}

function isStatistic(name: string): name is SloStatistic {
  return /^(mean|min|max)$/u.test(name) || (/^p\d/u.test(name) && Number(name.slice(1)) <= 100);
}

type SloUnit = "ms" | "share" | "per second" | "number";

const wanted: Readonly<Record<SloUnit, string>> = {
  ms: "a duration with its unit, such as 500ms or 2s",
  share: "a share such as 1% or 0.01",
  "per second": "a number per second, such as 100 or 100/s",
  number: "a number",
};

function readValue(unit: SloUnit, text: string): number | null {
  if (unit === "ms") {
    const value = readSeconds(text);
    return value === null ? null : Number((value * 1000).toPrecision(12));
  }
  const special = unit === "share" ? readShare(text) : unit === "per second" ? readRate(text) : null;
  if (special !== null) {
    return special;
  }
  const value = /^\d+(\.\d+)?$/u.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(value) && (unit !== "share" || value <= 1) ? value : null;
}

/** A limit as data, or what is wrong with the text, in words that follow `got "…"`. */
export function parseSlo(text: string): Slo | { readonly problem: string } {
  const [, over, inner, bare, operator, amount] = text.length > LONGEST ? [] : (form.exec(text.trim()) ?? []);
  const metric = inner ?? bare;
  if (metric === undefined || operator === undefined || amount === undefined) {
    return { problem: "expected a limit such as ttft<=500ms, p99(tpot)<=50ms or error_rate<=1%" };
  }
  if (over !== undefined && !isStatistic(over)) {
    return { problem: `${over} is no statistic; use mean, min, max or p0 to p100` };
  }
  if (!isRequestMetric(metric) && !isRunMetric(metric)) {
    const known = [...Object.keys(requestMetrics), ...Object.keys(runMetrics)].join(", ");
    return { problem: `${metric} is no figure; use one of ${known}` };
  }
  const isRun = isRunMetric(metric);
  if (isRun && over !== undefined) {
    return { problem: `${metric} is one number of the run and has no ${over}; leave the statistic out` };
  }
  const unit = isRun ? runMetrics[metric] : requestMetrics[metric];
  const value = readValue(unit, amount.trim());
  if (value === null) {
    return { problem: `${metric} is compared with ${wanted[unit]}` };
  }
  return {
    text,
    scope: isRun || over !== undefined ? "run" : "request",
    metric,
    statistic: over !== undefined && isStatistic(over) ? over : null,
    operator: operator as Slo["operator"],
    value,
  };
}

/** The limits of a checked configuration. @throws {TypeError} for a text that `resolveConfig` would have refused */
export function slosOf(config: { readonly slos: readonly string[] }): readonly Slo[] {
  return config.slos.map((text) => {
    const slo = parseSlo(text);
    if ("problem" in slo) {
      throw new TypeError(`${JSON.stringify(text)}: ${slo.problem}`);
    }
    return slo;
  });
}
