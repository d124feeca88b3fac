import type { ProtocolPart } from "../result/protocol-parts.ts";

import { figures, point, single, statistics } from "../result/make.ts";
import type { Figure, Point } from "../result/schema.ts";
import {
  countAt,
  fieldsAt,
  imported,
  listAt,
  numberAt,
  parseObjects,
  scaled,
  textAt,
  type Fields,
  type Importer,
} from "./fields.ts";

const NOTES = [
  "guidellm's time per output token contains the time to first token, and is left out; its inter-token latency, one per request, is the TPOT told here.",
  "guidellm asks servers to ignore EOS where an output length is known, and its result does not say whether it did: the stopping rule is unknown.",
];

/** Whether an object is a report of guidellm. */
export function isGuidellm(of: Fields): boolean {
  return listAt(of, "benchmarks").some((one) => fieldsAt(one, "metrics") !== null);
}

/** guidellm's `benchmarks.json`: one point per strategy. */
export const importGuidellm: Importer = (text, name) => {
  const [report = {}] = parseObjects(text, name);
  const benchmarks = listAt(report, "benchmarks").filter((one) => fieldsAt(one, "metrics") !== null);
  const args = fieldsAt(report, "args") ?? fieldsAt(report, "config");
  const model =
    textAt(args, "model") ??
    textAt(fieldsAt(args, "backend"), "model") ??
    textAt(fieldsAt(benchmarks[0] ?? null, "config", "backend"), "model");
  return imported({
    format: "guidellm",
    tool: "guidellm",
    version: textAt(fieldsAt(report, "metadata"), "guidellm_version"),
    name,
    protocol: {
      model: model === null ? null : { requested: model },
      endpoint: endpointOf(args),
      counting: { rateConventions: ["vllm"] },
    },
    points: benchmarks.map(pointOf),
    notes: NOTES,
  });
};

function endpointOf(args: Fields | null): ProtocolPart<"endpoint"> {
  const format = textAt(fieldsAt(args, "backend"), "request_format") ?? textAt(args, "request_type");
  if (format === null) return null;
  if (format.includes("chat")) return "chat-completions";
  return /text_completions|\/v1\/completions/.test(format) ? "completions" : null;
}

function pointOf(of: Fields): Point {
  const metrics = fieldsAt(of, "metrics");
  const strategy = fieldsAt(of, "config", "strategy");
  const totals = fieldsAt(metrics, "request_totals");
  const kind = textAt(strategy, "type_", "kind");
  const streams = kind === "synchronous" ? 1 : countAt(strategy, "streams");
  const rate = numberAt(strategy, "rate");
  const good = (name: string): Fields | null => fieldsAt(metrics, name, "successful");
  const errored = countAt(totals, "errored");
  const incomplete = countAt(totals, "incomplete");
  return point({
    label: kind,
    at: { concurrency: streams, ratePerS: rate },
    protocol: { load: loadOf(kind, streams, rate) },
    counts: {
      asked: countAt(totals, "total"),
      ok: countAt(totals, "successful"),
      failed: errored,
      aborted: incomplete,
    },
    durationS: numberAt(of, "duration"),
    totalPromptTokens: countAt(good("prompt_token_count"), "total_sum"),
    totalOutputTokens: countAt(good("output_token_count"), "total_sum"),
    promptTokens: distribution(good("prompt_token_count")),
    outputTokens: distribution(good("output_token_count")),
    figures: figures({
      ttftMs: distribution(good("time_to_first_token_ms")),
      firstAnswerMs: distribution(good("time_to_first_output_token_ms")),
      tpotMs: distribution(good("inter_token_latency_ms")),
      e2elMs: distribution(good("request_latency"), 1000),
      outputTokensPerS: whole(good("output_tokens_per_second")),
      totalTokensPerS: whole(good("tokens_per_second")),
      inputTokensPerS: whole(good("prompt_tokens_per_second")),
      requestsPerS: whole(good("requests_per_second")),
      meanConcurrency: whole(good("request_concurrency")),
    }),
  });
}

function loadOf(kind: string | null, streams: number | null, rate: number | null): ProtocolPart<"load"> {
  if (kind === "synchronous" || kind === "concurrent") return { kind: "closed-loop", concurrency: streams };
  if (kind === "constant") return { kind: "constant", rate };
  if (kind === "poisson") return { kind: "poisson", rate };
  return null;
}

function distribution(of: Fields | null, factor = 1): Figure | null {
  const percentiles = fieldsAt(of, "percentiles");
  const at = (from: Fields | null, ...keys: readonly string[]) => scaled(numberAt(from, ...keys), factor);
  return statistics({
    n: countAt(of, "count"),
    mean: at(of, "mean"),
    std: at(of, "std_dev"),
    min: at(of, "min"),
    p50: at(of, "median") ?? at(percentiles, "p50"),
    p90: at(percentiles, "p90"),
    p95: at(percentiles, "p95"),
    p99: at(percentiles, "p99"),
    max: at(of, "max"),
  });
}

/** Rates are distributions over time there; their mean is the rate of the run. */
function whole(of: Fields | null): Figure | null {
  return single(numberAt(of, "mean"), "whole run");
}
