import type { RunResult } from "@onpar/sweep-runner";

import { formatNumber } from "../format.ts";
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
  return fields(
    [
      ["system", `${engine} ${where}`],
      ...(result.protocol.endpoint === "engine" ? engineFields(config.engine) : []),
      ["client", `${tool.name} ${tool.version}`],
      ["started", result.startedAt],
      ["measured for", `${formatNumber(summary.durationS)} s (first send to last end)`],
      ["records", result.recordsPath ?? "not kept (--output FILE keeps them)"],
    ],
    page.width,
  );
}

/** What the engine of this process was given; nothing that it was not told. */
function engineFields(engine: RunResult["config"]["engine"]): [string, string][] {
  const { kind, modelPath, draftModelPath, speculativeConfig, threads } = engine;
  const configured = Object.keys(speculativeConfig).length > 0;
  return [
    [kind === "vllm" ? "model folder" : "model file", modelPath ?? "unknown"],
    configured
      ? ["speculative config", JSON.stringify(speculativeConfig)]
      : ["draft model file", draftModelPath ?? "none"],
    // libvllm is not told how many, and does not tell
    ...(kind === "vllm"
      ? []
      : [
          ["engine threads", threads === "auto" ? "measured at load" : String(threads)] satisfies [
            string,
            string,
          ],
        ]),
  ];
}
