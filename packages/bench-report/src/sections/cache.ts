import type { RunResult, RunSummary } from "@onpar/sweep-runner";

import { count, formatPercent } from "../format.ts";
import type { Page } from "../paint.ts";
import { fields } from "../text.ts";

/** Prompts that share less than this with each other, such as their first token, are cold all the same. */
const COLD_SHARE = 0.01;

/** Whether prompt tokens came from the prefix cache; null where the server does not tell. */
export function cacheState({
  cachedPromptTokens: cached,
  cacheHitRate,
}: Pick<RunSummary, "cachedPromptTokens" | "cacheHitRate">): "cold" | "warm" | null {
  if (cached === null) return null;
  return cached === 0 || (cacheHitRate !== null && cacheHitRate < COLD_SHARE) ? "cold" : "warm";
}

/** What was asked for of the prefix cache, and what it served. */
export function cachePairs({ config, summary }: RunResult): [string, string][] {
  const { cachedPromptTokens: cached, cacheHitRate } = summary;
  const share = cacheHitRate === null ? "" : ` (${formatPercent(cacheHitRate)} of all)`;
  const state =
    cached === null
      ? "unknown: the server does not tell how many prompt tokens came from it"
      : cached === 0
        ? "cold: no prompt token came from it"
        : `${cacheState(summary) ?? "unknown"}: ${count(cached, "prompt token")} came from it${share}`;
  const policies = {
    none: "left as it was found",
    nonce: "a text of its own before each prompt, so that none is known",
    reset: "emptied before the measurement",
  };
  return [
    ["asked for", policies[config.cache.policy]],
    ["state", state],
  ];
}

export function cacheLines(result: RunResult, page: Page): string[] {
  return fields(cachePairs(result), page.width);
}
