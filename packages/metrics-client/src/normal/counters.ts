import type { CounterEntry, CounterValues } from "./counter-values.ts";
import type { Quantity } from "./quantity.ts";

/** Counts of tokens and requests, summed over engines and ranks. One that the server does not tell is null, never 0. */
export interface Counts {
  readonly promptTokens: Quantity | null;
  readonly cachedPromptTokens: Quantity | null;
  readonly generationTokens: Quantity | null;
  readonly requestsFinished: Quantity | null;
  /** By the server's own names of finish reasons; null when it tells none. */
  readonly requestsByReason: Readonly<Record<string, number>> | null;
  /** Prompt tokens looked up in the prefix cache, and found there. */
  readonly prefixCacheQueries: Quantity | null;
  readonly prefixCacheHits: Quantity | null;
  readonly preemptions: Quantity | null;
  /** R: requests that gave a first token. */
  readonly firstTokens: Quantity | null;
  /** S: decode steps, one per request and engine step. */
  readonly decodeSteps: Quantity | null;
}

export function countsOf(values: CounterValues): Counts {
  const finished = values.entries("requestsFinished");
  return {
    promptTokens: values.get("promptTokens"),
    cachedPromptTokens: values.get("cachedPromptTokens"),
    generationTokens: values.get("generationTokens"),
    requestsFinished: values.get("requestsFinished"),
    requestsByReason: finished === null ? null : byReason(finished),
    prefixCacheQueries: values.get("prefixCacheQueries"),
    prefixCacheHits: values.get("prefixCacheHits"),
    preemptions: values.get("preemptions"),
    firstTokens: values.get("firstTokens"),
    decodeSteps: values.get("decodeSteps"),
  };
}

/** Values by the label `finished_reason`, summed over engines; empty when no series carries it. */
function byReason(entries: readonly CounterEntry[]): Record<string, number> {
  const reasons = new Map<string, number>();
  for (const { sample, value } of entries) {
    const reason = sample.labels["finished_reason"];
    if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + value);
  }
  return Object.fromEntries(reasons);
}
