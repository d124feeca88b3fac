import type { Dialect } from "./dialect.ts";
import { startsWithAny } from "./shared.ts";
import type { SeriesSource } from "./sources.ts";
import { vllmSchema } from "./vllm-schema.ts";

const PREFIX = "dynamo_";
const named = (...names: string[]): SeriesSource => ({ names });

/** NVIDIA Dynamo's front end alone: load and latencies, no acceptance. */
export const dynamo: Dialect = {
  ...vllmSchema("dynamo_frontend_"),
  engine: "dynamo",
  title: "NVIDIA Dynamo",
  enabling:
    "Dynamo's front end serves /metrics on its own port; each worker serves its engine's page on DYN_SYSTEM_PORT, which is off " +
    "unless set",
  recognises: startsWithAny(PREFIX),
  staleness: { seconds: 0, why: "the front end counts its own requests" },
  counters: {
    requestsFinished: named("dynamo_frontend_requests"),
    generationTokens: named("dynamo_frontend_output_tokens"),
    promptTokens: { ...named("dynamo_frontend_input_sequence_tokens"), part: "sum" },
    firstTokens: { ...named("dynamo_frontend_time_to_first_token_seconds"), part: "count" },
  },
  running: [named("dynamo_frontend_inflight_requests", "dynamo_component_inflight_requests")],
  waiting: [named("dynamo_frontend_queued_requests", "dynamo_work_handler_queue_depth")],
  kvUsage: named("dynamo_component_gpu_cache_usage_percent"),
  histograms: {
    timeToFirstToken: {
      ...named("dynamo_frontend_time_to_first_token_seconds"),
      observation: "request",
      unit: "s",
    },
    interTokenLatency: {
      ...named("dynamo_frontend_inter_token_latency_seconds"),
      observation: "token",
      unit: "s",
    },
    endToEnd: { ...named("dynamo_frontend_request_duration_seconds"), observation: "request", unit: "s" },
    promptLength: {
      ...named("dynamo_frontend_input_sequence_tokens"),
      observation: "request",
      unit: "tokens",
    },
    outputLength: {
      ...named("dynamo_frontend_output_sequence_tokens"),
      observation: "request",
      unit: "tokens",
    },
  },
  draftBudget: () => null,
  acceptance: () => ({
    reading: null,
    missing:
      "Dynamo's front end counts no drafts: give the metrics pages of its workers (DYN_SYSTEM_PORT) as well",
  }),
};

/** Pages of workers, with or without the front end's: the engine's own dialect, with Dynamo's load where it tells it. */
export function dynamoWorkers(engine: Dialect): Dialect {
  return {
    ...engine,
    engine: "dynamo",
    title: `NVIDIA Dynamo with ${engine.title}`,
    enabling: dynamo.enabling,
    recognises: dynamo.recognises,
    kvUsage: engine.kvUsage ?? dynamo.kvUsage,
    histograms: { ...engine.histograms, ...withoutMissing(dynamo.histograms, engine.histograms) },
  };
}

/** Histograms that the engine has of its own stay the engine's. */
function withoutMissing(extra: Dialect["histograms"], own: Dialect["histograms"]): Dialect["histograms"] {
  return Object.fromEntries(Object.entries(extra).filter(([id]) => !(id in own)));
}
