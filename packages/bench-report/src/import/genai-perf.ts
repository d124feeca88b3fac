import type { ProtocolPart } from "../result/protocol-parts.ts";

import {
  countAt,
  fieldsAt,
  imported,
  numberAt,
  parseObjects,
  textAt,
  type Fields,
  type Importer,
} from "./fields.ts";
import { pointOfMetrics } from "./nvidia-metrics.ts";

const NOTES = [
  "genai-perf's inter-token latency is (latency - TTFT) / (n - 1), one per request, and is told as TPOT.",
  "genai-perf's result does not say the stopping rule.",
];

/** Whether an object is genai-perf's summary. */
export function isGenaiPerf(of: Fields): boolean {
  return "input_config" in of && !("aiperf_version" in of) && fieldsAt(of, "request_latency") !== null;
}

/** genai-perf's `profile_export_genai_perf.json`: one point. */
export const importGenaiPerf: Importer = (text, name) => {
  const [of = {}] = parseObjects(text, name);
  const config = fieldsAt(of, "input_config");
  const stimulus = fieldsAt(config, "perf_analyzer", "stimulus") ?? config;
  const models = config?.["model"] ?? config?.["model_names"];
  const model: unknown = Array.isArray(models) ? models[0] : models;
  const concurrency = countAt(stimulus, "concurrency");
  const rate = numberAt(stimulus, "request_rate");
  const measured = pointOfMetrics(of);
  return imported({
    format: "genai-perf",
    tool: "genai-perf",
    name,
    protocol: {
      model: typeof model === "string" ? { requested: model } : null,
      endpoint: endpointOf(textAt(config, "endpoint_type") ?? textAt(fieldsAt(config, "endpoint"), "type")),
      tokenizer: textAt(config, "tokenizer") ?? textAt(fieldsAt(config, "tokenizer"), "name"),
      load: concurrency === null ? null : { kind: "closed-loop", concurrency },
      counting: { tokenSource: "tokenizer", rateConventions: ["vllm"] },
    },
    points: [{ ...measured, at: { ...measured.at, concurrency, ratePerS: rate } }],
    notes: NOTES,
  });
};

function endpointOf(type: string | null): ProtocolPart<"endpoint"> {
  return type === "chat" ? "chat-completions" : type === "completions" ? "completions" : null;
}
