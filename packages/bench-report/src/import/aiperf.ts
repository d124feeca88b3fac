import type { ProtocolPart } from "../result/protocol-parts.ts";

import {
  countAt,
  fieldsAt,
  imported,
  listAt,
  numberAt,
  parseObjects,
  textAt,
  type Fields,
  type Importer,
} from "./fields.ts";
import { pointOfMetrics } from "./nvidia-metrics.ts";

const NOTES = [
  "aiperf's inter-token latency is (latency - TTFT) / (n - 1), one per request, and is told as TPOT.",
  "aiperf counts output tokens with a tokenizer of its own unless it was told otherwise; its result does not say the stopping rule.",
];

/** Whether an object is aiperf's summary. */
export function isAiperf(of: Fields): boolean {
  return "aiperf_version" in of || ("schema_version" in of && fieldsAt(of, "request_latency") !== null);
}

/** aiperf's `profile_export_aiperf.json`: one point. */
export const importAiperf: Importer = (text, name) => {
  const [of = {}] = parseObjects(text, name);
  const endpoint = fieldsAt(of, "input_config", "endpoint");
  const load = fieldsAt(of, "input_config", "loadgen");
  const models = endpoint?.["model_names"];
  const model: unknown = Array.isArray(models) ? models[0] : models;
  const concurrency = countAt(load, "concurrency");
  const rate = numberAt(load, "request_rate");
  const measured = pointOfMetrics(of);
  return imported({
    format: "aiperf",
    tool: "aiperf",
    version: textAt(of, "aiperf_version"),
    name,
    startedAt: textAt(of, "start_time"),
    interrupted: typeof of["was_cancelled"] === "boolean" ? of["was_cancelled"] : null,
    protocol: {
      model: typeof model === "string" ? { requested: model } : null,
      endpoint: endpointOf(textAt(endpoint, "type")),
      load: loadOf(concurrency, rate, load),
      counting: { rateConventions: ["vllm"] },
    },
    points: [{ ...measured, at: { ...measured.at, concurrency, ratePerS: rate }, errors: errorsOf(of) }],
    notes: NOTES,
  });
};

function endpointOf(type: string | null): ProtocolPart<"endpoint"> {
  return type === "chat" ? "chat-completions" : type === "completions" ? "completions" : null;
}

function loadOf(concurrency: number | null, rate: number | null, load: Fields | null): ProtocolPart<"load"> {
  const warmup = countAt(load, "warmup_request_count");
  if (rate !== null) {
    const mode = textAt(load, "arrival_pattern", "request_rate_mode");
    const kind = mode === "constant" ? "constant" : mode === "poisson" ? "poisson" : null;
    return { kind, rate, warmupRequests: warmup };
  }
  return concurrency === null ? null : { kind: "closed-loop", concurrency, warmupRequests: warmup };
}

function errorsOf(of: Fields): Record<string, number> | null {
  if (!Array.isArray(of["error_summary"])) return null;
  const tally: Record<string, number> = {};
  for (const entry of listAt(of, "error_summary")) {
    const details = fieldsAt(entry, "error_details");
    const kind = textAt(details, "type") ?? "unknown";
    tally[kind] = (tally[kind] ?? 0) + (countAt(entry, "count") ?? 0);
  }
  return tally;
}
