import type { ProtocolPart } from "../result/protocol-parts.ts";
import type { PartialProtocol } from "@onpar/bench-config";

import { figures, point, single } from "../result/make.ts";
import type { Figure, Point } from "../result/schema.ts";
import {
  countAt,
  fieldsAt,
  imported,
  numberAt,
  numbersAt,
  parseObjects,
  scaled,
  statisticsAt,
  textAt,
  withValues,
  type Fields,
  type Importer,
} from "./fields.ts";
import { endpointOfBackend, loadOfRate, rateOf } from "./load.ts";

const NOTES = [
  "sglang.bench_serving counts the end of the stream, [DONE] included, as the end of a request.",
  "Its output lengths start at the requested ones and are replaced only where the server sent usage.",
  "accept_length is the server's average since its start, not that of the run; it is told with that source.",
];

/** Whether an object is a line of `sglang.bench_serving`. */
export function isSglang(of: Fields): boolean {
  return (
    "completed" in of &&
    ("total_output_tokens_retokenized" in of || "mean_e2e_latency_ms" in of || "sharegpt_output_len" in of)
  );
}

/** `sglang.bench_serving --output-file`: one line per run, each a point. */
export const importSglang: Importer = (text, name) => {
  const lines = parseObjects(text, name);
  const [first] = lines;
  return imported({
    format: "sglang-bench-serving",
    tool: "sglang.bench_serving",
    name: textAt(first ?? null, "tag") ?? name,
    protocol: protocolOf(first ?? {}),
    points: lines.map((of) => ({ ...pointOf(of), protocol: lines.length === 1 ? null : protocolOf(of) })),
    notes: NOTES,
  });
};

function protocolOf(of: Fields): PartialProtocol {
  const info = fieldsAt(of, "server_info");
  const model = textAt(info, "served_model_name", "model_path");
  const backend = textAt(of, "backend");
  const version = textAt(info, "version");
  return {
    model: model === null ? null : { resolved: model },
    endpoint: endpointOfBackend(backend),
    workload: { kind: textAt(of, "dataset_name") === "random-ids" ? "random-ids" : null },
    load: loadOfRate({
      rate: rateOf(of["request_rate"]),
      burstiness: null,
      maxConcurrency: countAt(of, "max_concurrency"),
      prompts: null,
    }),
    speculation: speculationOf(info),
    engine: info !== null && backend?.startsWith("sglang") === true ? { name: "sglang", version } : null,
    counting: { rateConventions: ["vllm"] },
  };
}

function speculationOf(info: Fields | null): ProtocolPart<"speculation"> {
  const budget = countAt(info, "speculative_num_draft_tokens");
  return budget === null ? null : { draftBudget: budget, method: textAt(info, "speculative_algorithm") };
}

function pointOf(of: Fields): Point {
  const rate = rateOf(of["request_rate"]);
  const cache = fieldsAt(of, "cache_report");
  const length = numberAt(of, "accept_length");
  const metric = (name: string, values: readonly (number | null)[] | null = null): Figure | null =>
    withValues(
      statisticsAt(of, {
        mean: `mean_${name}_ms`,
        std: `std_${name}_ms`,
        p50: `median_${name}_ms`,
        p90: `p90_${name}_ms`,
        p95: `p95_${name}_ms`,
        p99: `p99_${name}_ms`,
      }),
      values,
    );
  const whole = (...keys: readonly string[]): Figure | null => single(numberAt(of, ...keys), "whole run");
  return point({
    label: textAt(of, "tag"),
    at: { concurrency: countAt(of, "max_concurrency"), ratePerS: rate === "inf" ? null : rate },
    counts: { ok: countAt(of, "completed") },
    durationS: numberAt(of, "duration"),
    totalPromptTokens: countAt(of, "total_input_tokens"),
    totalOutputTokens: countAt(of, "total_output_tokens"),
    cachedPromptTokens: countAt(cache, "total_cached_tokens"),
    promptTokens: withValues(null, numbersAt(of, "input_lens")),
    outputTokens: withValues(null, numbersAt(of, "output_lens")),
    acceptance:
      length === null
        ? null
        : {
            verifySteps: null,
            draftTokens: null,
            acceptedTokens: null,
            draftBudget: countAt(fieldsAt(of, "server_info"), "speculative_num_draft_tokens"),
            perPositionRate: null,
            effectiveTokensPerStep: null,
            source: "server's average since its start",
          },
    figures: figures({
      ttftMs: metric(
        "ttft",
        numbersAt(of, "ttfts")?.map((value) => (value === null || value <= 0 ? null : scaled(value, 1000))) ??
          null,
      ),
      tpotMs: metric("tpot"),
      itlTokenMs: metric("itl"),
      e2elMs: metric("e2e_latency"),
      outputTokensPerS: whole("output_throughput"),
      inputTokensPerS: whole("input_throughput"),
      totalTokensPerS: whole("total_throughput"),
      requestsPerS: whole("request_throughput"),
      peakOutputTokensPerS: whole("max_output_tokens_per_s"),
      meanConcurrency: whole("concurrency"),
      acceptanceLength: single(length, "whole run"),
    }),
  });
}
