/** What a figure of a result is called, measured in, and which way is better. */
export interface FigureInfo {
  readonly label: string;
  readonly unit: "ms" | "tok/s" | "bytes/s" | "req/s" | "share" | "tokens" | "requests";
  /** `neither` for what has no good direction. */
  readonly better: "lower" | "higher" | "neither";
  /** How it is computed, in one line. */
  readonly formula: string;
}

/** Every figure that a point of a result may hold, in the order in which they are told. */
export const FIGURES = {
  ttftMs: {
    label: "TTFT",
    unit: "ms",
    better: "lower",
    formula: "first chunk with output minus sent",
  },
  coldTtftMs: {
    label: "TTFT, cold",
    unit: "ms",
    better: "lower",
    formula: "TTFT of the first request of a prompt, which no prefix cache serves",
  },
  warmTtftMs: {
    label: "TTFT, warm",
    unit: "ms",
    better: "lower",
    formula: "TTFT of a request whose prompt was sent before",
  },
  firstAnswerMs: {
    label: "first answer token",
    unit: "ms",
    better: "lower",
    formula: "first chunk of the answer, reasoning left out, minus sent",
  },
  tpotMs: { label: "TPOT", unit: "ms", better: "lower", formula: "(E2EL - TTFT) / (n - 1)" },
  itlChunkMs: {
    label: "ITL per chunk",
    unit: "ms",
    better: "lower",
    formula: "gap between chunks with output",
  },
  itlTokenMs: {
    label: "ITL per token",
    unit: "ms",
    better: "lower",
    formula: "gap before a chunk / tokens of the chunk",
  },
  e2elMs: { label: "E2EL", unit: "ms", better: "lower", formula: "last chunk with output minus sent" },
  queueMs: { label: "client queue", unit: "ms", better: "lower", formula: "sent minus due" },
  decodeCtxsweep: {
    label: "decode, ctxsweep",
    unit: "tok/s",
    better: "higher",
    formula: "n / (stream end - TTFT), per request",
  },
  decodeVllm: {
    label: "decode, vllm",
    unit: "tok/s",
    better: "higher",
    formula: "(n - 1) / (E2EL - TTFT), per request",
  },
  decodeBytesPerS: {
    label: "decode, bytes",
    unit: "bytes/s",
    better: "higher",
    formula: "UTF-8 bytes of the output / (stream end - TTFT)",
  },
  prefill: {
    label: "prefill",
    unit: "tok/s",
    better: "higher",
    formula: "prompt tokens / TTFT of a request that ran alone",
  },
  prefillBytesPerS: {
    label: "prefill, bytes",
    unit: "bytes/s",
    better: "higher",
    formula: "UTF-8 bytes of the prompt / TTFT of a request that ran alone",
  },
  outputTokensPerS: {
    label: "output throughput",
    unit: "tok/s",
    better: "higher",
    formula: "output tokens / duration of the run",
  },
  totalTokensPerS: {
    label: "total throughput",
    unit: "tok/s",
    better: "higher",
    formula: "prompt and output tokens / duration of the run",
  },
  inputTokensPerS: {
    label: "input throughput",
    unit: "tok/s",
    better: "higher",
    formula: "prompt tokens / duration of the run",
  },
  requestsPerS: {
    label: "requests",
    unit: "req/s",
    better: "higher",
    formula: "requests that ended well / duration of the run",
  },
  peakOutputTokensPerS: {
    label: "peak output",
    unit: "tok/s",
    better: "neither",
    formula: "highest output over one second, as the source counts it",
  },
  meanConcurrency: {
    label: "requests in flight",
    unit: "requests",
    better: "neither",
    formula: "sum of (end - sent) / duration of the run",
  },
  goodput: {
    label: "goodput",
    unit: "req/s",
    better: "higher",
    formula: "requests that met every service level / duration of the run",
  },
  acceptanceRate: {
    label: "acceptance rate",
    unit: "share",
    better: "higher",
    formula: "A / D: accepted / drafted tokens",
  },
  acceptanceLength: {
    label: "accepted per pass",
    unit: "tokens",
    better: "higher",
    formula: "1 + A / V: tokens per verify step, bonus token included",
  },
  saturation: {
    label: "draft budget used",
    unit: "share",
    better: "higher",
    formula: "accepted per pass / (draft budget + 1)",
  },
} as const satisfies Readonly<Record<string, FigureInfo>>;

export type FigureName = keyof typeof FIGURES;

/** The names in order. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the table are its names
export const FIGURE_NAMES = Object.keys(FIGURES) as FigureName[];
