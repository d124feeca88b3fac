import type { GenerateFinish, TokenBatch } from "@onpar/engine-binding";
import { Histogram, type Registry } from "prom-client";

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

function secondsBetween(fromNs: bigint, toNs: bigint): number {
  return Number(toNs - fromNs) / 1e9;
}

/** Watches one request: hand it every batch of the request in order. */
export type RequestLatencyObserver = (batch: TokenBatch) => void;

/**
 * Latencies as vLLM counts them: one first-token observation per output, one inter-token observation per decode or
 * verify step (not per token), one end-to-end observation per output that was not aborted.
 */
export class LatencyHistograms {
  readonly #firstToken: Histogram;
  readonly #interToken: Histogram;
  readonly #endToEnd: Histogram;
  readonly #labels: Readonly<Record<string, string>>;

  constructor(registry: Registry, labels: Readonly<Record<string, string>>) {
    const common = { labelNames: Object.keys(labels), registers: [registry] };
    this.#labels = labels;
    this.#firstToken = new Histogram({
      ...common,
      name: "vllm:time_to_first_token_seconds",
      help: "Seconds from the arrival of a request at the engine to its first output token.",
      buckets: firstTokenBuckets,
    });
    this.#interToken = new Histogram({
      ...common,
      name: "vllm:inter_token_latency_seconds",
      help: "Seconds between decode steps of a request; a verify step with several tokens counts once.",
      buckets: interTokenBuckets,
    });
    this.#endToEnd = new Histogram({
      ...common,
      name: "vllm:e2e_request_latency_seconds",
      help: "Seconds from the arrival of a request at the engine to its end; aborted requests are left out.",
      buckets: requestBuckets,
    });
    for (const histogram of [this.#firstToken, this.#interToken, this.#endToEnd]) histogram.zero(labels);
  }

  /** @param arrivedAtNs when the request was handed to the engine, ns of the process's monotonic clock */
  observe(arrivedAtNs: bigint): RequestLatencyObserver {
    let previousNs: bigint | null = null;
    return (batch) => {
      if (batch.tokenIds === null ? batch.text !== "" : batch.tokenIds.length > 0) {
        const histogram = previousNs === null ? this.#firstToken : this.#interToken;
        histogram.observe(this.#labels, secondsBetween(previousNs ?? arrivedAtNs, batch.producedAtNs));
        previousNs = batch.producedAtNs;
      }
      if (batch.finish !== undefined) this.#finished(batch.finish);
    };
  }

  #finished(finish: GenerateFinish): void {
    if (finish.reason === "abort") return;
    this.#endToEnd.observe(this.#labels, secondsBetween(finish.queuedAtNs, finish.endedAtNs));
  }
}
