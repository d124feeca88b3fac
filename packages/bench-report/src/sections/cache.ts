import type { RunResult } from "@onpar/sweep-runner";

import { count, formatPercent } from "../format.ts";
import type { Page } from "../paint.ts";
import { fields } from "../text.ts";

/** What was asked for of the prefix cache, and what it served. */
export function cachePairs({ config, summary }: RunResult): [string, string][] {
  const { cachedPromptTokens: cached, cacheHitRate } = summary;
  const state =
    cached === null
      ? "unknown: the server does not tell how many prompt tokens came from it"
      : cached === 0
        ? "cold: no prompt token came from it"
        : `warm: ${count(cached, "prompt token")} came from it${cacheHitRate === null ? "" : ` (${formatPercent(cacheHitRate)} of all)`}`;
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
