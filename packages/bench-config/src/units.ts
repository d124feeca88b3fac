/** What a number counts. A text may stand for it where it names its unit. */
export type Unit = "ms" | "s" | "tokens" | "count" | "share" | "rate";

const tokenFields = new Set([
  "inputLen",
  "outputLen",
  "maxTokens",
  "minTokens",
  "engine.contextSize",
  "engine.maxNumBatchedTokens",
  "dataset.sharedPrefixLen",
  "dataset.traceBlockTokens",
]);
const countFields = new Set(["numPrompts", "warmupRequests", "concurrency", "load.maxInFlight"]);
const shareFields = new Set(["dataset.rangeRatio", "dataset.hitRate"]);
const rateFields = new Set(["load.rate", "load.ramp.fromRate", "load.ramp.toRate"]);

/** The unit of a setting; null for one that is no number, or a bare one. */
export function unitOf(path: string): Unit | null {
  if (path.endsWith("Ms")) {
    return "ms";
  }
  // `durationS`, `cooldownS`; no other name ends in a capital letter.
  if (path.endsWith("S")) {
    return "s";
  }
  if (tokenFields.has(path)) {
    return "tokens";
  }
  if (countFields.has(path)) {
    return "count";
  }
  if (shareFields.has(path)) {
    return "share";
  }
  return rateFields.has(path) ? "rate" : null;
}

const secondsPer: Readonly<Record<string, number>> = { us: 1e-6, ms: 0.001, s: 1, m: 60, min: 60, h: 3600 };

/** As vLLM reads sizes: a small letter is decimal, a capital one binary; `Ki` and `Mi` are binary too. */
const sizes: Readonly<Record<string, number>> = {
  k: 1000,
  m: 1_000_000,
  K: 1024,
  Ki: 1024,
  M: 1024 ** 2,
  Mi: 1024 ** 2,
};

const perSecond: Readonly<Record<string, number>> = { s: 1, min: 60, m: 60, h: 3600 };

/** Twelve digits: enough for every setting, and few enough that 0.1 ms is not 0.10000000000000002. */
function rounded(value: number): number {
  return Number(value.toPrecision(12));
}

/** `500ms`, `1.5s`, `2m`, `1h` in seconds; null for anything else, also for a bare number. */
export function readSeconds(text: string): number | null {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?(?:e[+-]?\d+)?)\s?(us|ms|s|m|min|h)$/u.exec(text) ?? [];
  const factor = secondsPer[unit];
  if (amount === undefined || factor === undefined) {
    return null;
  }
  return factor === 1 ? Number(amount) : rounded(Number(amount) * factor);
}

/** `64k` (64000), `64K` and `64Ki` (65536), `1m`, `1M`; null for anything else. */
export function readSize(text: string): number | null {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)\s?(k|K|Ki|m|M|Mi)$/u.exec(text) ?? [];
  const factor = sizes[unit];
  return amount === undefined || factor === undefined ? null : rounded(Number(amount) * factor);
}

/** `5%` as 0.05; null for anything else. */
export function readShare(text: string): number | null {
  const [, amount] = /^(\d+(?:\.\d+)?)\s?%$/u.exec(text) ?? [];
  return amount === undefined ? null : rounded(Number(amount) / 100);
}

/** `10/s`, `600/min` in requests per second; null for anything else. */
export function readRate(text: string): number | null {
  const [, amount, unit = ""] = /^(\d+(?:\.\d+)?)\s?\/\s?(s|min|m|h)$/u.exec(text) ?? [];
  const factor = perSecond[unit];
  return amount === undefined || factor === undefined ? null : rounded(Number(amount) / factor);
}

/** The number that a text with its unit stands for, in the unit of the setting; null when it is none. */
export function readWithUnit(unit: Unit, text: string): number | null {
  switch (unit) {
    case "ms": {
      const value = readSeconds(text);
      return value === null ? null : Math.round(value * 1000);
    }
    case "s":
      return readSeconds(text);
    case "tokens":
    case "count":
      return readSize(text);
    case "share":
      return readShare(text);
    case "rate":
      return readRate(text);
    default:
      return null;
  }
}

/** What a text for this unit looks like, for messages. */
export const unitExamples: Readonly<Record<Unit, string>> = {
  ms: "500ms, 30s or 2m",
  s: "500ms, 30s or 2m",
  tokens: "64k (64000) or 64Ki (65536)",
  count: "64k (64000) or 64Ki (65536)",
  share: "25%",
  rate: "10/s or 600/min",
};
