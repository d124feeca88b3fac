import type { Distribution } from "@onpar/sweep-runner";

/** Four significant digits, no exponent: 0.1234, 1.234, 12.34, 123.4, 1234. */
export function formatNumber(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const magnitude = Math.abs(value);
  const decimals =
    magnitude >= 1000 ? 0 : magnitude >= 100 ? 1 : magnitude >= 10 ? 2 : magnitude >= 1 ? 3 : 4;
  return value.toFixed(decimals);
}

/** `0.0 %` is said of nothing but 0 and `100.0 %` of nothing but 1, so that one failure in 10 000 stays visible. */
export function formatPercent(share: number): string {
  if (share > 0 && share < 0.0005) return "< 0.1 %";
  if (share < 1 && share >= 0.9995) return "> 99.9 %";
  return `${(share * 100).toFixed(1)} %`;
}

export function formatShare(share: number | null): string {
  return share === null ? "unknown" : share.toFixed(3);
}

/** `1 request`, `2 requests`. */
export function count(value: number, noun: string): string {
  return `${value} ${noun}${value === 1 ? "" : "s"}`;
}

/** `min/p50/max`. */
export function formatSpan(distribution: Distribution | null): string {
  if (distribution === null) return "unknown";
  return [distribution.min, distribution.p50, distribution.max].map(formatNumber).join("/");
}

/** First 12 hex digits: enough to tell two apart on screen; the whole hash is in the JSON. */
export function shortHash(sha256: string): string {
  return sha256.slice(0, 12);
}

/** A tail percentile is printed only where at least one value lies beyond it: p90 from n = 10, p99 from n = 100. */
export const MINIMUM_N = { p90: 10, p99: 100 } as const;

export function percentileCell(distribution: Distribution, percentile: "p90" | "p99"): string {
  return distribution.n >= MINIMUM_N[percentile] ? formatNumber(distribution[percentile]) : "-";
}
