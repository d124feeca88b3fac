/** Engines with a dialect of their own. `vllm-schema` is any server that publishes vLLM's names behind a prefix. */
export type EngineName =
  | "vllm"
  | "vllm-cpp"
  | "onpar-server"
  | "sglang"
  | "llama-cpp"
  | "trtllm"
  | "tgi"
  | "lmdeploy"
  | "dynamo"
  | "localai"
  | "ollama"
  | "vllm-schema";

/** Counters that a dialect may know, in the terms of the normal form. */
export const COUNTER_IDS = [
  "verifySteps",
  "draftTokens",
  "acceptedTokens",
  "acceptedPerPosition",
  "draftedPerPosition",
  /** Accepted and bonus tokens together (vLLM before its second engine). */
  "emittedTokens",
  "promptTokens",
  "cachedPromptTokens",
  "generationTokens",
  "generationSeconds",
  "requestsFinished",
  "prefixCacheQueries",
  "prefixCacheHits",
  "preemptions",
  /** R: requests that gave a first token. */
  "firstTokens",
  /** S: decode steps, one per request and engine step. */
  "decodeSteps",
  /** Engine outputs, prefills included (TGI). */
  "outputs",
] as const;

export type CounterId = (typeof COUNTER_IDS)[number];

export const HISTOGRAM_IDS = [
  "timeToFirstToken",
  "interTokenLatency",
  "timePerOutputToken",
  "endToEnd",
  "queueTime",
  "prefillTime",
  "decodeTime",
  "promptLength",
  "outputLength",
] as const;

export type HistogramId = (typeof HISTOGRAM_IDS)[number];

/** Where a figure stands on the page. */
export interface SeriesSource {
  /** Family names without `_total`, the current one first; the first that has series is taken. */
  readonly names: readonly string[];
  /** Taken alone where there are such series: a total beside its parts. */
  readonly preferredLabels?: Readonly<Record<string, string>>;
  /** Which part of a histogram or summary. Default: the value itself. */
  readonly part?: "count" | "sum";
}

export interface HistogramSource extends SeriesSource {
  /** What one observation is: engines with the same name count differently. */
  readonly observation: "request" | "token" | "decode step" | "request mean";
  readonly unit: "s" | "tokens";
}

/** How old a gauge of load may be. */
export interface Staleness {
  /** Seconds; null when there is no bound. */
  readonly seconds: number | null;
  readonly why: string;
}

export interface DraftBudget {
  /** K: most tokens drafted in one step, the bonus token not included. */
  readonly value: number;
  /** False where the source only shows that it is at least so much. */
  readonly isExact: boolean;
  readonly from: string;
}
