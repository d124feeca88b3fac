import type { Engine, EngineCounters, SpeculationCounters } from "@onpar/engine-binding";
import { registerSpecDecodeMetrics } from "@onpar/metrics-client/publish";
import { Counter, Gauge, Registry } from "prom-client";

import { LatencyHistograms } from "./latency-histograms.ts";

export interface ServerMetricsOptions {
  readonly engine: Engine;
  readonly servedModelName: string;
  readonly serverVersion: string;
  readonly startedAt: Date;
}

/** vLLM's `finished_reason`, from the engine's. */
function finishedByReason({ requestsFinished: by }: EngineCounters): Readonly<Record<string, number>> {
  const told = { stop: by.eos + by["stop-string"] + by["stop-token"], length: by.length, abort: by.abort };
  return by.unknown === 0 ? told : { ...told, unknown: by.unknown };
}

/** All positions at 0, so that every series of the page exists before it first counts. */
function noSpeculation(budget: number): SpeculationCounters {
  const acceptedPerPosition = Array.from({ length: budget }, () => 0);
  return { verifySteps: 0, draftTokens: 0, acceptedTokens: 0, acceptedPerPosition };
}

interface Reading {
  readonly name: string;
  readonly help: string;
  /** Null when the engine does not tell. */
  readonly read: (counters: EngineCounters) => number | null;
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
    read: (counters) => counters.requestsWaiting,
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
    const { engine } = options;
    const labels = { model_name: options.servedModelName, engine: "0" };
    const common = { labelNames: Object.keys(labels), registers: [] };

    for (const { name, help, read } of gauges) {
      this.registry.registerMetric(
        new Gauge({
          ...common,
          name,
          help,
          collect() {
            const value = read(engine.counters());
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
            const value = read(engine.counters());
            if (value !== null) this.inc(labels, value);
          },
        }),
      );
    }
    this.registry.registerMetric(
      new Counter({
        ...common,
        name: "vllm:request_success_total",
        help: "Requests that ended, by reason.",
        labelNames: [...common.labelNames, "finished_reason"],
        collect() {
          this.reset();
          for (const [reason, count] of Object.entries(finishedByReason(engine.counters()))) {
            this.inc({ ...labels, finished_reason: reason }, count);
          }
        },
      }),
    );
    const budget = engine.info.speculation?.draftBudget;
    if (budget !== undefined) {
      const nothing = noSpeculation(budget);
      const counts = () => {
        const { acceptedPerPosition, ...sums } = engine.counters().speculation ?? nothing;
        return { ...sums, acceptedPerPosition: acceptedPerPosition ?? [] };
      };
      registerSpecDecodeMetrics(this.registry, counts, { labels });
    }
    this.latency = new LatencyHistograms(this.registry, labels);
    this.#publishIdentity(options);
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
