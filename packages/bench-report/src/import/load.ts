import type { ProtocolPart } from "../result/protocol-parts.ts";

type Load = NonNullable<ProtocolPart<"load">>;

/**
 * Arrivals as `vllm bench serve` and `sglang.bench_serving` describe them: a rate of `inf` is a closed loop at the most
 * requests in flight, or everything at once where there is no such limit; a finite rate is Poisson, gamma with a burstiness.
 */
export function loadOfRate(parts: {
  readonly rate: number | "inf" | null;
  readonly burstiness: number | null;
  readonly maxConcurrency: number | null;
  readonly prompts: number | null;
}): Load | null {
  const { rate, burstiness, maxConcurrency, prompts } = parts;
  if (rate === null) return maxConcurrency === null ? null : { concurrency: maxConcurrency };
  if (rate === "inf") {
    return maxConcurrency === null
      ? { kind: "closed-loop", concurrency: prompts, startTogether: true, durationS: "all" }
      : { kind: "closed-loop", concurrency: maxConcurrency, durationS: "all" };
  }
  const maxInFlight = maxConcurrency ?? "unlimited";
  return burstiness === null || burstiness === 1
    ? { kind: "poisson", rate, maxInFlight, durationS: "all" }
    : { kind: "gamma", rate, burstiness, maxInFlight, durationS: "all" };
}

/** `request_rate` of a result: a number, or a text such as `inf`. */
export function rateOf(value: unknown): number | "inf" | null {
  if (value === "inf") return "inf";
  const rate = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof rate === "number" && Number.isFinite(rate) ? rate : null;
}

/** Endpoint of a backend's name, as both harnesses spell them. */
export function endpointOfBackend(backend: string | null): ProtocolPart<"endpoint"> {
  if (backend === null) return null;
  if (backend === "sglang" || backend === "sglang-native") return "sglang-generate";
  if (/^(?:openai|vllm|lmdeploy|sglang-oai)-chat$/.test(backend) || backend === "chat-completions")
    return "chat-completions";
  if (/^(?:openai|openai-completions|vllm|lmdeploy|sglang-oai|completions)$/.test(backend))
    return "completions";
  return null;
}
