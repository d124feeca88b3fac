import type { RunResult } from "@onpar/sweep-runner";

import { count, formatNumber } from "../format.ts";
import type { Page } from "../paint.ts";
import { fields } from "../text.ts";

/** What was measured, with what, when, and where the records are. */
export function originLines(result: RunResult, page: Page): string[] {
  const { system, tool, summary, config } = result;
  const engine = [
    system.engine ?? "unknown engine",
    ...(system.version === null ? [] : [system.version]),
  ].join(" ");
  const where = system.baseUrl === null ? "in this process" : `at ${system.baseUrl}`;
  const inProcess: [string, string][] =
    result.protocol.endpoint === "engine"
      ? [
          ["model file", config.engine.modelPath ?? "unknown"],
          ["draft model file", config.engine.draftModelPath ?? "none"],
          ["engine threads", String(config.engine.threads)],
        ]
      : [];
  return fields(
    [
      ["system", `${engine} ${where}`],
      ...inProcess,
      ["client", `${tool.name} ${tool.version}`],
      ["started", result.startedAt],
      ["measured for", `${formatNumber(summary.durationS)} s (first send to last end)`],
      [
        "cached prompt",
        summary.cachedPromptTokens === null
          ? "unknown"
          : `${count(summary.cachedPromptTokens, "token")} of the prompts from the prefix cache`,
      ],
      ["records", result.recordsPath ?? "not kept (--output FILE keeps them)"],
    ],
    page.width,
  );
}
