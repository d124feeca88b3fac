import type { Slo } from "@onpar/bench-config";

/** Whether a value keeps the limit. */
export function meets({ bound, limit }: Pick<Slo, "bound" | "limit">, value: number): boolean {
  return bound === "at-most" ? value <= limit : value >= limit;
}
