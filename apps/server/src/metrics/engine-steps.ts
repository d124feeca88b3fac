import type { EngineCounters } from "@onpar/engine-binding";
import { Histogram, type MetricValueWithName } from "prom-client";

/** vLLM's bounds, every one a power of two: the engine counts its steps between powers of two. */
const bounds = [1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384];

const name = "vllm:iteration_tokens_total";
const help = "Tokens of each step of the engine; a prompt counts with its first output token.";

/** A histogram whose observations were counted elsewhere: read when the page is, like the engine's other counters. */
export class EngineSteps extends Histogram {
  readonly #counters: () => EngineCounters;
  readonly #labels: Readonly<Record<string, string>>;

  constructor(counters: () => EngineCounters, labels: Readonly<Record<string, string>>) {
    super({ name, help, buckets: bounds, labelNames: Object.keys(labels), registers: [] });
    this.#counters = counters;
    this.#labels = labels;
  }

  /** What a registry asks for when it writes the page, and what `get` builds on. */
  async getForPromString(): Promise<object> {
    return { name, help, type: "histogram", aggregator: "sum", values: this.#values() };
  }

  #values(): MetricValueWithName<string>[] {
    const { stepTokens, promptTokens, outputTokens } = this.#counters();
    if (stepTokens === undefined) return [];
    const labels = this.#labels;
    const upTo = (last: number) => stepTokens.slice(0, last + 1).reduce((sum, count) => sum + count, 0);
    const steps = upTo(stepTokens.length);
    const bucket = (le: number | string, value: number) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le },
      value,
    });
    return [
      ...bounds.map((bound) => bucket(bound, upTo(Math.log2(bound)))),
      bucket("+Inf", steps),
      { metricName: `${name}_sum`, labels, value: (promptTokens ?? 0) + (outputTokens ?? 0) },
      { metricName: `${name}_count`, labels, value: steps },
    ];
  }
}
