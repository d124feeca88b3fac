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
      ...(result.protocol.endpoint === "engine" ? engineFields(config.engine, system.inProcess) : []),
      ["client", `${tool.name} ${tool.version}`],
      ["started", result.startedAt],
      ["measured for", `${formatNumber(summary.durationS)} s (first send to last end)`],
      ["records", result.recordsPath ?? "not kept (--output FILE keeps them)"],
    ],
    page.width,
  );
}

/** What the engine of this process was given and found by itself; nothing that it was not told and does not tell. */
function engineFields(
  engine: RunResult["config"]["engine"],
  setup: RunResult["system"]["inProcess"],
): [string, string][] {
  const { kind, modelPath, draftModelPath, speculativeConfig, threads } = engine;
  const asked = threads === "auto" ? "measured at load" : String(threads);
  const found = setup?.threads ?? null;
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
          ["engine threads", threads === "auto" && found !== null ? `${found} (${asked})` : asked] satisfies [
            string,
            string,
          ],
        ]),
    ...(typeof setup?.gpu === "string" ? [["GPU", setup.gpu] satisfies [string, string]] : []),
    ...(setup?.draftLength === "adaptive"
      ? [["draft length", "adaptive, down to none where drafts do not pay"] satisfies [string, string]]
      : []),
  ];
}
