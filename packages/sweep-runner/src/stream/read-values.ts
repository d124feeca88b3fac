import type { RecordedUsage } from "../record.ts";

/** A count of tokens; null for anything that is none. */
export function countOf(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** A text; empty for anything that is none. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Counts as a record holds them; null when neither prompt nor output is counted. */
export function usageOf(counts: Partial<RecordedUsage>): RecordedUsage | null {
  const { promptTokens = null, completionTokens = null } = counts;
  if (promptTokens === null && completionTokens === null) return null;
  return {
    promptTokens,
    completionTokens,
    cachedPromptTokens: counts.cachedPromptTokens ?? null,
    reasoningTokens: counts.reasoningTokens ?? null,
  };
}
