/**
 * Which formula SGLang's gauge `spec_accept_rate` follows:
 *
 * - `unbounded`, until October 2025: can exceed 1;
 * - `bonus-counted`, until April 2026: (accepted + 1 per step) / (steps x num_draft_tokens), that is tau / (K + 1);
 * - `true-rate`, since: accepted / (steps x (num_draft_tokens - 1)), that is A / D.
 */
export type RateEra = "unbounded" | "bonus-counted" | "true-rate" | "unknown";

/** How near two figures of one window come that follow the same formula. */
const NEAR = 0.02;

/**
 * Tells the formula by the gauge's own description, else by which of them gives the value.
 *
 * @param length mean acceptance length of the same window
 * @param budget K; null when it is not known
 */
export function rateEra(help: string | null, rate: number, length: number, budget: number | null): RateEra {
  if (help !== null && /accepted drafts\s*\/\s*proposed drafts/i.test(help)) return "true-rate";
  if (rate > 1) return "unbounded";
  if (budget === null || budget <= 0) return "unknown";
  const counted = Math.abs(rate - length / (budget + 1));
  const strict = Math.abs(rate - (length - 1) / budget);
  if (Math.min(counted, strict) > NEAR) return "unknown";
  return counted < strict ? "bonus-counted" : "true-rate";
}

/** A / D from the gauge; null when it cannot be had. */
export function trueRate(era: RateEra, rate: number, budget: number | null): number | null {
  if (era === "true-rate") return rate;
  if (era === "bonus-counted" && budget !== null && budget > 0) return (rate * (budget + 1) - 1) / budget;
  return null;
}
