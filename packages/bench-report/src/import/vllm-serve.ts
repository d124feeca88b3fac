import type { PartialProtocol } from "@onpar/bench-config";

import { figures, point, single } from "../result/make.ts";
import type { Figure, Point } from "../result/schema.ts";
import {
  countAt,
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
  "vllm bench serve counts the first event with choices as the first token, also one without text, and a gap per event and not per token.",
  "vllm bench serve writes neither the stopping rule nor sampling values into its result: they are unknown here.",
];

/** Whether an object is a result of `vllm bench serve`. */
export function isVllmServe(of: Fields): boolean {
  return "completed" in of && "total_input_tokens" in of && ("model_id" in of || "endpoint_type" in of);
}

/** `vllm bench serve --save-result`, with or without `--save-detailed`, and `--append-result`: one point per object. */
export const importVllmServe: Importer = (text, name) => {
  const objects = parseObjects(text, name);
  const [first] = objects;
  return imported({
    format: "vllm-serve",
    tool: "vllm bench serve",
    name: textAt(first ?? null, "label") ?? name,
    startedAt: textAt(first ?? null, "date"),
    protocol: protocolOf(first ?? {}),
    points: objects.map((of) => ({
      ...pointOf(of),
      protocol: objects.length === 1 ? null : protocolOf(of),
    })),
    notes: NOTES,
  });
};

function protocolOf(of: Fields): PartialProtocol {
  const model = textAt(of, "model_id");
  return {
    model: model === null ? null : { requested: model },
    tokenizer: textAt(of, "tokenizer_id"),
    endpoint: endpointOfBackend(textAt(of, "backend", "endpoint_type")),
    workload: { prompts: countAt(of, "num_prompts") },
    load: loadOfRate({
      rate: rateOf(of["request_rate"]),
      burstiness: numberAt(of, "burstiness"),
      maxConcurrency: countAt(of, "max_concurrency"),
      prompts: countAt(of, "num_prompts"),
    }),
    speculation:
      "spec_decode_num_drafts" in of ? { observed: (countAt(of, "spec_decode_num_drafts") ?? 0) > 0 } : null,
    counting: { rateConventions: ["vllm"] },
  };
}

function pointOf(of: Fields): Point {
  const rate = rateOf(of["request_rate"]);
  const ok = countAt(of, "completed");
  const outputs = numbersAt(of, "output_lens");
  const ttfts = positive(numbersAt(of, "ttfts"))?.map((value) => scaled(value, 1000)) ?? null;
  const e2els = positive(numbersAt(of, "latencies"))?.map((value) => scaled(value, 1000)) ?? null;
  const tpots = perToken(ttfts, e2els, outputs);
  const of4 = (metric: string, values: readonly (number | null)[] | null): Figure | null =>
    withValues(
      statisticsAt(of, {
        mean: `mean_${metric}_ms`,
        std: `std_${metric}_ms`,
        p50: `median_${metric}_ms`,
        p90: `p90_${metric}_ms`,
        p95: `p95_${metric}_ms`,
        p99: `p99_${metric}_ms`,
      }),
      values,
    );
  const whole = (key: string): Figure | null => single(numberAt(of, key), "whole run");
  const drafts = countAt(of, "spec_decode_num_drafts");
  return point({
    label: textAt(of, "label"),
    date: textAt(of, "date"),
    at: {
      concurrency: countAt(of, "max_concurrency"),
      ratePerS: rate === "inf" ? null : rate,
    },
    counts: { asked: countAt(of, "num_prompts"), ok, failed: countAt(of, "failed") },
    durationS: numberAt(of, "duration"),
    totalPromptTokens: countAt(of, "total_input_tokens"),
    totalOutputTokens: countAt(of, "total_output_tokens"),
    promptTokens: withValues(null, positive(numbersAt(of, "input_lens"))),
    outputTokens: withValues(null, positive(outputs)),
    acceptance:
      drafts === null
        ? null
        : {
            verifySteps: drafts,
            draftTokens: countAt(of, "spec_decode_draft_tokens"),
            acceptedTokens: countAt(of, "spec_decode_accepted_tokens"),
            draftBudget: null,
            perPositionRate: known(numbersAt(of, "spec_decode_per_position_acceptance_rates")),
            effectiveTokensPerStep: null,
            source: "metrics-delta",
          },
    figures: figures({
      ttftMs: of4("ttft", ttfts),
      tpotMs: of4("tpot", tpots),
      itlChunkMs: of4("itl", null),
      e2elMs: of4("e2el", e2els),
      decodeVllm: withValues(
        null,
        tpots?.map((value) => (value === null || value <= 0 ? null : 1000 / value)) ?? null,
      ),
      outputTokensPerS: whole("output_throughput"),
      totalTokensPerS: whole("total_token_throughput"),
      requestsPerS: whole("request_throughput"),
      peakOutputTokensPerS: whole("max_output_tokens_per_s"),
      goodput: whole("request_goodput"),
      acceptanceRate: single(scaled(numberAt(of, "spec_decode_acceptance_rate"), 0.01), "whole run"),
      acceptanceLength: whole("spec_decode_acceptance_length"),
    }),
  });
}

/** Failed requests stand in the lists with 0. */
function positive(values: readonly (number | null)[] | null): (number | null)[] | null {
  return values === null ? null : values.map((value) => (value === null || value <= 0 ? null : value));
}

function perToken(
  ttfts: readonly (number | null)[] | null,
  e2els: readonly (number | null)[] | null,
  outputs: readonly (number | null)[] | null,
): (number | null)[] | null {
  if (ttfts === null || e2els === null || outputs === null) return null;
  return outputs.map((tokens, index) => {
    const [ttft, e2el] = [ttfts[index] ?? null, e2els[index] ?? null];
    return tokens === null || tokens < 2 || ttft === null || e2el === null
      ? null
      : (e2el - ttft) / (tokens - 1);
  });
}

function known(values: readonly (number | null)[] | null): number[] | null {
  return values === null || values.includes(null) ? null : values.filter((value) => value !== null);
}
