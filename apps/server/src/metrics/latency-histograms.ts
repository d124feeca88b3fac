import type { GenerateFinish, GenerateRequest, TokenBatch } from "@onpar/engine-binding";
import { Histogram, type Registry } from "prom-client";

import type { KvUse } from "./kv-use.ts";
import type { RequestObserver } from "./request-observer.ts";

/** vLLM's default buckets, in seconds, so that dashboards made for it show the same resolution. */
const firstTokenBuckets = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640,
  2560,
];
const interTokenBuckets = [
  0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
];
const requestBuckets = [
  0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680,
];
const tokenBuckets = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];
const countBuckets = [1, 2, 5, 10, 20];

const definitions = {
  firstToken: {
    name: "vllm:time_to_first_token_seconds",
    help: "Seconds from the arrival of a request to its first output token.",
    buckets: firstTokenBuckets,
  },
  interToken: {
    name: "vllm:inter_token_latency_seconds",
    help: "Seconds between decode steps of a request; a verify step with several tokens counts once.",
    buckets: interTokenBuckets,
  },
  perToken: {
    name: "vllm:request_time_per_output_token_seconds",
    help: "Mean seconds per output token after the first, of every finished request.",
    buckets: interTokenBuckets,
  },
  endToEnd: {
    name: "vllm:e2e_request_latency_seconds",
    help: "Seconds from the arrival of a request to its end; aborted requests are left out.",
    buckets: requestBuckets,
  },
  queue: {
    name: "vllm:request_queue_time_seconds",
    help: "Seconds that a request waited for a slot.",
    buckets: requestBuckets,
  },
  inference: {
    name: "vllm:request_inference_time_seconds",
    help: "Seconds that a request held a slot.",
    buckets: requestBuckets,
  },
  prefill: {
    name: "vllm:request_prefill_time_seconds",
    help: "Seconds from getting a slot to the first output token.",
    buckets: requestBuckets,
  },
  decode: {
    name: "vllm:request_decode_time_seconds",
    help: "Seconds from the first output token to the end.",
    buckets: requestBuckets,
  },
  promptTokens: {
    name: "vllm:request_prompt_tokens",
    help: "Prompt tokens of finished requests.",
    buckets: tokenBuckets,
  },
  outputTokens: {
    name: "vllm:request_generation_tokens",
    help: "Output tokens of finished requests.",
    buckets: tokenBuckets,
  },
  maxTokens: {
    name: "vllm:request_params_max_tokens",
    help: "Output caps of finished requests.",
    buckets: tokenBuckets,
  },
  n: {
    name: "vllm:request_params_n",
    help: "Outputs that the request of a finished output asked for.",
    buckets: countBuckets,
  },
} as const;

type HistogramKey = keyof typeof definitions;

function secondsBetween(fromNs: bigint, toNs: bigint): number {
  return Number(toNs - fromNs) / 1e9;
}

/**
 * Latencies as vLLM counts them: one first-token observation per output, one inter-token observation per decode or
 * verify step (not per token), the others once per output that was not aborted.
 */
export class LatencyHistograms {
  readonly #histograms = new Map<string, Histogram>();
  readonly #labels: Readonly<Record<string, string>>;
  readonly #kv: KvUse;

  constructor(registry: Registry, labels: Readonly<Record<string, string>>, kv: KvUse) {
    this.#labels = labels;
    this.#kv = kv;
    for (const [key, { name, help, buckets }] of Object.entries(definitions)) {
      const labelNames = Object.keys(labels);
      const histogram = new Histogram({
        name,
        help,
        labelNames,
        registers: [registry],
        buckets: [...buckets],
      });
      histogram.zero(labels);
      this.#histograms.set(key, histogram);
    }
  }

  /**
   * @param request what is generated
   * @param outputs outputs that the client's request asked for
   * @param arrivedAtNs when the request was admitted, ns of the process's monotonic clock
   */
  observe(request: GenerateRequest, outputs: number, arrivedAtNs: bigint): RequestObserver {
    let previousNs: bigint | null = null;
    const kv = this.#kv.open();
    return {
      batch: (batch) => {
        if (hasTokens(batch)) {
          const key = previousNs === null ? "firstToken" : "interToken";
          this.#observe(key, secondsBetween(previousNs ?? arrivedAtNs, batch.producedAtNs));
          previousNs = batch.producedAtNs;
          kv.grow(request.prompt.length, batch.tokenIds?.length ?? 0);
        }
        if (batch.finish !== undefined) this.#finished(batch.finish, request, outputs, arrivedAtNs);
      },
      over: () => kv.close(),
    };
  }

  #finished(finish: GenerateFinish, request: GenerateRequest, outputs: number, arrivedAtNs: bigint): void {
    if (finish.reason === "abort") return;
    const { startedAtNs, firstTokenAtNs, endedAtNs, promptTokens, outputTokens } = finish;
    this.#observe("endToEnd", secondsBetween(arrivedAtNs, endedAtNs));
    if (startedAtNs !== null) {
      this.#observe("queue", Math.max(0, secondsBetween(arrivedAtNs, startedAtNs)));
      this.#observe("inference", secondsBetween(startedAtNs, endedAtNs));
      if (firstTokenAtNs !== null) this.#observe("prefill", secondsBetween(startedAtNs, firstTokenAtNs));
    }
    if (firstTokenAtNs !== null) {
      const decode = secondsBetween(firstTokenAtNs, endedAtNs);
      this.#observe("decode", decode);
      if (outputTokens !== null && outputTokens > 1) this.#observe("perToken", decode / (outputTokens - 1));
    }
    if (promptTokens !== null) this.#observe("promptTokens", promptTokens);
    if (outputTokens !== null) this.#observe("outputTokens", outputTokens);
    this.#observe("maxTokens", request.maxTokens);
    this.#observe("n", outputs);
  }

  #observe(key: HistogramKey, value: number): void {
    this.#histograms.get(key)?.observe(this.#labels, value);
  }
}

function hasTokens({ tokenIds, text }: TokenBatch): boolean {
  return tokenIds === null ? text !== "" : tokenIds.length > 0;
}
