import type { RunResult } from "@onpar/sweep-runner";

import { formatNumber, formatPercent } from "../format.ts";
import type { Page } from "../paint.ts";
import { describeRule } from "../stopping-rule.ts";
import { fields } from "../text.ts";

/** What the rule did: lengths seen, how many reached the cap, and how the outputs ended. */
export function outputLines(result: RunResult, page: Page): string[] {
  const { outputs } = result.summary;
  const { lengths, reachedCap } = outputs;
  const reasons = Object.entries(outputs.finishReasons).sort(([, a], [, b]) => b - a);
  return fields(
    [
      ["rule", describeRule(result.protocol.stoppingRule)],
      [
        "lengths",
        lengths === null
          ? "unknown"
          : `min ${formatNumber(lengths.min)}, p50 ${formatNumber(lengths.p50)}, max ${formatNumber(lengths.max)} tokens (n ${lengths.n}; counted by ${outputs.tokenSource})`,
      ],
      [
        "at the cap",
        lengths === null || lengths.n === 0
          ? "unknown"
          : `${reachedCap} of ${lengths.n} (${formatPercent(reachedCap / lengths.n)})`,
      ],
      [
        "finish reasons",
        reasons.length === 0 ? "none" : reasons.map(([reason, times]) => `${reason} ${times}`).join(", "),
      ],
    ],
    page.width,
  );
}
