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
const preemptionBuckets = [1, 2, 3, 4, 5, 10, 20];

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
  longestOutput: {
    name: "vllm:request_max_num_generation_tokens",
    help: "Output tokens of finished requests; of one that asked for several outputs, those of its longest.",
    buckets: tokenBuckets,
  },
  computed: {
    name: "vllm:request_prefill_kv_computed_tokens",
    help: "Prompt tokens of finished requests that were evaluated: those from the prefix cache left out.",
    buckets: tokenBuckets,
  },
  preemptions: {
    name: "vllm:request_num_preemptions",
    help: "How often finished requests lost their slot: never.",
    buckets: preemptionBuckets,
  },
  n: {
    name: "vllm:request_params_n",
    help: "Outputs that the request of a finished output asked for.",
    buckets: countBuckets,
  },
} as const;

type HistogramKey = keyof typeof definitions;

/** A client's request, whose outputs are observed one by one. */
export interface ObservedRequest {
  /** Watches one output. */
  output(request: GenerateRequest): RequestObserver;
}

/** What the outputs of one request share. */
interface Group {
  readonly outputs: number;
  readonly arrivedAtNs: bigint;
  open: number;
  /** Tokens of the longest output that ended by itself; null when none did. */
  longest: number | null;
}

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
   * @param outputs outputs that the client's request asked for
   * @param arrivedAtNs when the request was admitted, ns of the process's monotonic clock
   */
  observe(outputs: number, arrivedAtNs: bigint): ObservedRequest {
    const group: Group = { outputs, arrivedAtNs, open: outputs, longest: null };
    return { output: (request) => this.#output(request, group) };
  }

  #output(request: GenerateRequest, group: Group): RequestObserver {
    const { arrivedAtNs } = group;
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
        if (batch.finish !== undefined) this.#finished(batch.finish, request, group);
      },
      over: () => {
        kv.close();
        group.open -= 1;
        if (group.open === 0 && group.longest !== null) this.#observe("longestOutput", group.longest);
      },
    };
  }

  #finished(finish: GenerateFinish, request: GenerateRequest, group: Group): void {
    if (finish.reason === "abort") return;
    const { arrivedAtNs } = group;
    const { startedAtNs, firstTokenAtNs, endedAtNs, promptTokens, cachedPromptTokens, outputTokens } = finish;
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
    if (promptTokens !== null && cachedPromptTokens !== null) {
      this.#observe("computed", promptTokens - cachedPromptTokens);
    }
    if (outputTokens !== null) {
      this.#observe("outputTokens", outputTokens);
      group.longest = Math.max(group.longest ?? 0, outputTokens);
    }
    this.#observe("preemptions", 0);
    this.#observe("maxTokens", request.maxTokens);
    this.#observe("n", group.outputs);
  }

  #observe(key: HistogramKey, value: number): void {
    this.#histograms.get(key)?.observe(this.#labels, value);
  }
}

function hasTokens({ tokenIds, text }: TokenBatch): boolean {
  return tokenIds === null ? text !== "" : tokenIds.length > 0;
}
