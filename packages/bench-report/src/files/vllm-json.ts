import type { Figure, Point, Result } from "../result/schema.ts";
import { readPart } from "../result/protocol-parts.ts";

const FIGURES = [
  ["ttftMs", "ttft"],
  ["tpotMs", "tpot"],
  ["itlChunkMs", "itl"],
  ["e2elMs", "e2el"],
] as const;

const BACKENDS: Readonly<Record<string, string>> = {
  completions: "openai",
  "chat-completions": "openai-chat",
};

/**
 * One point under the keys that `vllm bench serve --save-result` writes, so that what reads those files reads this one.
 * Latencies are in ms, arrays in seconds, as there; what is not known is null. TTFT and ITL are by this program's
 * definitions: a chunk without output is no token.
 */
export function vllmServeJson(result: Result, point: Point): Readonly<Record<string, unknown>> {
  const model = readPart(result, point, "model");
  const endpoint = readPart(result, point, "endpoint") ?? null;
  const load = readPart(result, point, "load");
  const { counts, figures, acceptance } = point;
  const value = (name: keyof typeof figures): number | null => figures[name]?.value ?? null;
  return {
    date: point.date ?? result.startedAt,
    endpoint_type: endpoint == null ? null : (BACKENDS[endpoint] ?? endpoint),
    backend: endpoint == null ? null : (BACKENDS[endpoint] ?? endpoint),
    label: point.label,
    model_id: model?.resolved ?? model?.requested ?? null,
    tokenizer_id: readPart(result, point, "tokenizer"),
    num_prompts: counts.asked,
    request_rate: load?.kind == null ? null : load.kind === "closed-loop" ? "inf" : (load.rate ?? null),
    burstiness: load?.kind === "gamma" ? (load.burstiness ?? null) : load?.kind == null ? null : 1,
    max_concurrency: point.at.concurrency,
    duration: point.durationS,
    completed: counts.ok,
    failed: counts.failed,
    total_input_tokens: point.totalPromptTokens,
    total_output_tokens: point.totalOutputTokens,
    request_throughput: value("requestsPerS"),
    request_goodput: value("goodput"),
    output_throughput: value("outputTokensPerS"),
    total_token_throughput: value("totalTokensPerS"),
    ...perRequest(point),
    max_output_tokens_per_s: value("peakOutputTokensPerS"),
    ...(acceptance === null
      ? {}
      : {
          spec_decode_acceptance_rate: percent(value("acceptanceRate")),
          spec_decode_acceptance_length: value("acceptanceLength"),
          spec_decode_num_drafts: acceptance.verifySteps,
          spec_decode_draft_tokens: acceptance.draftTokens,
          spec_decode_accepted_tokens: acceptance.acceptedTokens,
          spec_decode_per_position_acceptance_rates: acceptance.perPositionRate,
        }),
    ...Object.fromEntries(FIGURES.flatMap(([name, metric]) => statisticsOf(metric, figures[name] ?? null))),
  };
}

function statisticsOf(metric: string, of: Figure | null): [string, number | null][] {
  if (of === null) return [];
  return [
    [`mean_${metric}_ms`, of.mean],
    [`median_${metric}_ms`, of.p50],
    [`std_${metric}_ms`, of.std],
    [`p90_${metric}_ms`, of.p90],
    [`p95_${metric}_ms`, of.p95],
    [`p99_${metric}_ms`, of.p99],
  ];
}

/** The arrays of `--save-detailed`, where values of requests are there. */
function perRequest({ figures, promptTokens, outputTokens }: Point): Record<string, unknown> {
  const ttfts = figures.ttftMs?.values ?? null;
  return {
    ...(promptTokens?.values == null ? {} : { input_lens: promptTokens.values }),
    ...(outputTokens?.values == null ? {} : { output_lens: outputTokens.values }),
    ...(ttfts === null ? {} : { ttfts: ttfts.map((ms) => (ms === null ? null : ms / 1000)) }),
  };
}

function percent(share: number | null): number | null {
  return share === null ? null : share * 100;
}
