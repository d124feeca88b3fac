import { readRate, readSeconds, readShare } from "./units.ts";
import { withoutSecrets } from "./secrets.ts";

/** Figures of a request that a limit can be put on, and the unit of the limit. */
const requestMetrics = {
  ttft: "ms",
  ttfa: "ms",
  tpot: "ms",
  itl: "ms",
  e2el: "ms",
  queue: "ms",
  "ttft-scheduled": "ms",
  "e2el-scheduled": "ms",
  decode: "per second",
} as const;

/** Figures of a whole run, likewise. */
const runMetrics = {
  "error-rate": "share",
  goodput: "share",
  "requests-per-s": "per second",
  "output-tokens-per-s": "per second",
  "total-tokens-per-s": "per second",
  "acceptance-rate": "share",
  "acceptance-length": "number",
} as const;

export type SloRequestMetric = keyof typeof requestMetrics;
export type SloRunMetric = keyof typeof runMetrics;
export type SloMetric = SloRequestMetric | SloRunMetric;

/** A limit on one figure: of every request, of a statistic over the requests, or of the run. */
export interface Slo {
  /** As it was written. */
  readonly text: string;
  /** What is judged. Goodput counts the requests that keep all limits of the scope `request`. */
  readonly scope: "request" | "run";
  readonly metric: SloMetric;
  /** Quantile from 0 to 1, or the mean, over the requests; null for each request, and for a figure of the run. */
  readonly statistic: number | "mean" | null;
  readonly bound: "at-most" | "at-least";
  /** ms, a share from 0 to 1, per second, or a bare number, as the figure has it. */
  readonly limit: number;
}

type SloUnit = "ms" | "share" | "per second" | "number";

const form =
  /^(?:(mean|min|max|p\d{1,3}(?:\.\d+)?)\(\s*([a-z0-9-]+)\s*\)|([a-z0-9-]+))\s*(<=|<|>=|>|:)\s*(\d[^\s<>=:]*)$/u;
const LONGEST = 200;

/** Figures of which more is better. */
const atLeast: ReadonlySet<SloMetric> = new Set([
  "decode",
  "goodput",
  "requests-per-s",
  "output-tokens-per-s",
  "total-tokens-per-s",
  "acceptance-rate",
  "acceptance-length",
]);

const wanted: Readonly<Record<SloUnit, string>> = {
  ms: "a duration with its unit, such as 500ms or 2s",
  share: "a share such as 1% or 0.01",
  "per second": "a number per second, such as 20 or 20/s",
  number: "a number",
};

function isRequestMetric(name: string): name is SloRequestMetric {
  return Object.hasOwn(requestMetrics, name);
}

function isRunMetric(name: string): name is SloRunMetric {
  return Object.hasOwn(runMetrics, name);
}

function quantileOf(name: string): number | "mean" | null {
  if (name === "mean") {
    return "mean";
  }
  const share = name === "min" ? 0 : name === "max" ? 1 : Number(name.slice(1)) / 100;
  return share <= 1 ? Number(share.toPrecision(12)) : null;
}

function readLimit(unit: SloUnit, text: string, operator: string): number | null {
  const bare = /^\d+(\.\d+)?$/u.test(text) ? Number(text) : null;
  switch (unit) {
    case "ms": {
      // `ttft:500` is how `vllm bench serve` writes milliseconds.
      const seconds = readSeconds(text);
      return seconds === null ? (operator === ":" ? bare : null) : Number((seconds * 1000).toPrecision(12));
    }
    case "share": {
      const share = readShare(text) ?? bare;
      return share === null || share > 1 ? null : share;
    }
    case "per second":
      return readRate(text.replace(/tok\/s$/u, "/s")) ?? bare;
    default:
      return bare;
  }
}

class SloProblem extends Error {}

function read(text: string): Slo {
  const parts = text.length > LONGEST ? null : form.exec(text.trim().toLowerCase());
  const [, over, inner, single, operator, amount] = parts ?? [];
  const metric = inner ?? single;
  if (metric === undefined || operator === undefined || amount === undefined) {
    throw new SloProblem("expected a limit such as ttft<=500ms, p99(tpot)<=50ms or error-rate<=1%");
  }
  if (!isRequestMetric(metric) && !isRunMetric(metric)) {
    const known = [...Object.keys(requestMetrics), ...Object.keys(runMetrics)].join(", ");
    throw new SloProblem(`${metric} is no figure (known are ${known})`);
  }
  if (isRunMetric(metric) && over !== undefined) {
    throw new SloProblem(`${metric} is one number of the run and has no ${over}`);
  }
  const statistic = over === undefined ? null : quantileOf(over);
  if (over !== undefined && statistic === null) {
    throw new SloProblem(`${over} is no percentile (p0 to p100)`);
  }
  if (metric === "itl" && over === undefined) {
    throw new SloProblem("a request has many gaps (write p99(itl)<=… for the run, or take tpot)");
  }
  const isAtLeast = operator.startsWith(">") || (operator === ":" && atLeast.has(metric));
  if (isAtLeast !== atLeast.has(metric)) {
    throw new SloProblem(
      `${metric} is better the ${isAtLeast ? "lower" : "higher"} (write ${isAtLeast ? "<=" : ">="})`,
    );
  }
  const unit = isRunMetric(metric) ? runMetrics[metric] : requestMetrics[metric];
  const limit = readLimit(unit, amount, operator);
  if (limit === null) {
    throw new SloProblem(`${metric} is compared with ${wanted[unit]}`);
  }
  const scope = isRunMetric(metric) || over !== undefined ? "run" : "request";
  return { text: text.trim(), scope, metric, statistic, bound: isAtLeast ? "at-least" : "at-most", limit };
}

/** What is wrong with the text of a limit, in words; null for one that can be read. */
export function sloProblem(text: string): string | null {
  try {
    read(text);
    return null;
  } catch (error) {
    if (error instanceof SloProblem) {
      return error.message;
    }
    throw error;
  }
}

/**
 * Reads a limit: `ttft<=500ms`, `p99(tpot)<=50ms`, `error-rate<=1%`, `decode>=20tok/s`, or `ttft:500` as
 * `vllm bench serve` writes it.
 *
 * @throws {TypeError} naming the text and what is wrong with it
 */
export function parseSlo(text: string): Slo {
  const problem = sloProblem(text);
  if (problem !== null) {
    throw new TypeError(`${withoutSecrets(JSON.stringify(text.slice(0, LONGEST)))}: ${problem}`);
  }
  return read(text);
}

/** The limits of a configuration, in its order. @throws {TypeError} for a text that `resolveConfig` would have refused */
export function slosOf(config: { readonly slos: readonly string[] }): readonly Slo[] {
  return config.slos.map(parseSlo);
}
