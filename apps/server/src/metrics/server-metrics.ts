import type { Engine, EngineCounters, SpeculationCounters } from "@onpar/engine-binding";
import { registerSpecDecodeMetrics } from "@onpar/metrics-client/publish";
import { Counter, Gauge, Registry } from "prom-client";

import type { Admission } from "../admission/admission.ts";
import { registerByReason } from "./by-reason.ts";
import { EngineSteps } from "./engine-steps.ts";
import { KvUse } from "./kv-use.ts";
import { LatencyHistograms } from "./latency-histograms.ts";

/** Names on the page besides the server's own: vLLM's, or SGLang's acceptance gauge as well. */
export type MetricsSchema = "vllm" | "vllm+sglang";

export interface ServerMetricsOptions {
  readonly admission: Admission;
  readonly schema: MetricsSchema;
  readonly engine: Engine;
  readonly servedModelName: string;
  readonly serverVersion: string;
  readonly startedAt: Date;
}

/** vLLM's `finished_reason`, from the engine's. */
function finishedByReason(
  { requestsFinished: by }: EngineCounters,
  abandoned: number,
): Readonly<Record<string, number>> {
  const stop = by.eos + by["stop-string"] + by["stop-token"];
  const told = { stop, length: by.length, abort: by.abort + abandoned };
  return by.unknown === 0 ? told : { ...told, unknown: by.unknown };
}

/** Those that wait in the engine, and those that wait for their turn in it. */
function waiting({ requestsWaiting }: EngineCounters, admission: Admission): number {
  return (requestsWaiting ?? 0) + admission.waiting;
}

/** All positions at 0, so that every series of the page exists before it first counts. */
function noSpeculation(budget: number): SpeculationCounters {
  const acceptedPerPosition = Array.from({ length: budget }, () => 0);
  return { verifySteps: 0, draftTokens: 0, acceptedTokens: 0, acceptedPerPosition };
}

/** What the server knows besides the engine. */
interface ServerState {
  readonly admission: Admission;
  /** Share of the engine's context that requests under way fill, 0 to 1. */
  readonly kvUsage: number | null;
}

interface Reading {
  readonly name: string;
  readonly help: string;
  /** Null when the engine does not tell. */
  readonly read: (counters: EngineCounters, server: ServerState) => number | null;
}

const gauges: readonly Reading[] = [
  {
    name: "vllm:num_requests_running",
    help: "Requests that hold a slot of the engine.",
    read: (counters) => counters.requestsRunning,
  },
  {
    name: "vllm:num_requests_waiting",
    help: "Requests that wait for a slot.",
    read: (counters, { admission }) => waiting(counters, admission),
  },
  {
    name: "vllm:kv_cache_usage_perc",
    help: "Share of the context of all slots that requests under way fill, 0 to 1.",
    read: (_counters, { kvUsage }) => kvUsage,
  },
];

const counters: readonly Reading[] = [
  {
    name: "vllm:prompt_tokens_total",
    help: "Prompt tokens, those from the prefix cache included.",
    read: (counters) => counters.promptTokens,
  },
  {
    name: "vllm:generation_tokens_total",
    help: "Output tokens, an ending EOS included.",
    read: (counters) => counters.outputTokens,
  },
  {
    name: "vllm:prompt_tokens_cached_total",
    help: "Prompt tokens taken from the prefix cache.",
    read: (counters) => counters.prefixCacheHits,
  },
  {
    name: "vllm:num_preemptions_total",
    help: "Requests that lost their slot before they ended; slots are never taken away, so it stays 0.",
    read: () => 0,
  },
  {
    name: "vllm:prefix_cache_queries_total",
    help: "Prompt tokens looked up in the prefix cache.",
    read: (counters) => counters.prefixCacheQueries,
  },
  {
    name: "vllm:prefix_cache_hits_total",
    help: "Prompt tokens found in the prefix cache.",
    read: (counters) => counters.prefixCacheHits,
  },
];

/**
 * The metrics page of one engine. Counters are the engine's own, read when the page is: nothing is counted twice,
 * so the page cannot part from them.
 */
export class ServerMetrics {
  readonly registry = new Registry();
  readonly latency: LatencyHistograms;

  constructor(options: ServerMetricsOptions) {
    const { engine, admission } = options;
    const kv = new KvUse();
    const capacity = engine.info.contextSize === null ? null : engine.info.contextSize * engine.info.slots;
    const state = () => ({
      admission,
      kvUsage: capacity === null ? null : Math.min(1, kv.tokens / capacity),
    });
    const labels = { model_name: options.servedModelName, engine: "0" };
    const common = { labelNames: Object.keys(labels), registers: [] };

    for (const { name, help, read } of gauges) {
      this.registry.registerMetric(
        new Gauge({
          ...common,
          name,
          help,
          collect() {
            const value = read(engine.counters(), state());
            if (value !== null) this.set(labels, value);
          },
        }),
      );
    }
    for (const { name, help, read } of counters) {
      this.registry.registerMetric(
        new Counter({
          ...common,
          name,
          help,
          collect() {
            this.reset();
            const value = read(engine.counters(), state());
            if (value !== null) this.inc(labels, value);
          },
        }),
      );
    }
    registerByReason(this.registry, {
      kind: "counter",
      name: "vllm:request_success_total",
      help: "Requests that ended, by reason.",
      labels,
      label: "finished_reason",
      read: () => finishedByReason(engine.counters(), admission.abandoned),
    });
    registerByReason(this.registry, {
      kind: "gauge",
      name: "vllm:num_requests_waiting_by_reason",
      help: "Requests that wait, by reason: all of them for a slot.",
      labels,
      label: "reason",
      read: () => ({ capacity: waiting(engine.counters(), admission), deferred: 0 }),
    });
    registerByReason(this.registry, {
      kind: "counter",
      name: "vllm:admission_rejections_total",
      help: "Requests that found the queue full.",
      labels: { model_name: labels.model_name },
      label: "reason",
      read: () => ({ max_num_queued_reqs: admission.rejected }),
    });
    const budget = engine.info.speculation?.draftBudget;
    if (budget !== undefined) {
      const nothing = noSpeculation(budget);
      const counts = () => {
        const { acceptedPerPosition, ...sums } = engine.counters().speculation ?? nothing;
        return { ...sums, acceptedPerPosition: acceptedPerPosition ?? [] };
      };
      registerSpecDecodeMetrics(this.registry, counts, { labels });
      if (options.schema === "vllm+sglang") {
        this.registry.registerMetric(
          new Gauge({
            ...common,
            name: "sglang:spec_accept_length",
            help: "Mean tokens per verify step since the start, the bonus token included: 1 + A / V.",
            collect() {
              const { verifySteps, acceptedTokens } = counts();
              this.set(labels, verifySteps === 0 ? 0 : 1 + acceptedTokens / verifySteps);
            },
          }),
        );
      }
    }
    this.latency = new LatencyHistograms(this.registry, labels, kv);
    // An engine that does not tell its steps has no such family: an empty one would say that it did none.
    if (engine.counters().stepTokens !== undefined) {
      this.registry.registerMetric(new EngineSteps(() => engine.counters(), labels));
    }
    this.#publishCache(engine);
    this.#publishIdentity(options);
  }

  /**
   * vLLM's description of the cache, with those of its labels that mean something here. A block of the cache is one token;
   * they are called GPU blocks on every device, by vLLM on a CPU as well.
   */
  #publishCache(engine: Engine): void {
    const { info } = engine;
    if (info.contextSize === null) return;
    const tokens = String(info.contextSize * info.slots);
    const cache = {
      engine: "0",
      block_size: "1",
      cache_dtype: "auto",
      enable_prefix_caching: engine.counters().prefixCacheQueries === null ? "None" : "True",
      kv_cache_max_concurrency: String(info.slots),
      kv_cache_size_tokens: tokens,
      num_gpu_blocks: tokens,
    };
    new Gauge({
      name: "vllm:cache_config_info",
      help: "How the cache is set up; always 1.",
      labelNames: Object.keys(cache),
      registers: [this.registry],
    }).set(cache, 1);
  }

  #publishIdentity({ engine, servedModelName, serverVersion, startedAt }: ServerMetricsOptions): void {
    const identity = {
      version: serverVersion,
      engine: engine.info.engine,
      engine_version: engine.info.engineVersion ?? "",
      model_name: servedModelName,
      draft_model: engine.info.speculation?.draftModel ?? "",
    };
    new Gauge({
      name: "onpar_build_info",
      help: "Versions of this server and of its engine; always 1.",
      labelNames: Object.keys(identity),
      registers: [this.registry],
    }).set(identity, 1);
    new Gauge({
      name: "process_start_time_seconds",
      help: "Start of the server, Unix time in seconds; a change tells a restart.",
      registers: [this.registry],
    }).set(startedAt.getTime() / 1000);
  }
}
