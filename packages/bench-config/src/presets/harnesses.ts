import type { Preset } from "./preset.ts";

const vllmServe = {
  title: "vllm bench serve, vllm/benchmarks/serve.py at 009e6d4a",
  url: "https://github.com/vllm-project/vllm/blob/009e6d4a/vllm/benchmarks/serve.py",
  date: "2026-08-21",
} as const;

const unsentTemperature =
  "vLLM's client sends no temperature, so that the server's own default holds; here all values are sent, greedy unless set.";

const allAtOnce =
  "Without --max-concurrency vLLM's client sends all requests at once; concurrency is set to the number of prompts, and has to follow it.";

const firstPromptAsWarmup =
  "vLLM's warm-up repeats the first measured prompt; here warm-up prompts are always others.";

const typicalFree = [
  "concurrency",
  "numPrompts",
  "inputLen",
  "outputLen",
  "load.kind",
  "load.rate",
  "load.burstiness",
  "load.maxInFlight",
  "warmupRequests",
] as const;

const vllmCpp = "https://github.com/mudler/vllm.cpp";

/** Defaults of other harnesses. */
export const harnessPresets: readonly Preset[] = [
  {
    name: "vllm-bench",
    title: "vllm-bench of vllm.cpp: raw prompts, EOS ignored, closed loop",
    source: {
      title: "mudler/vllm.cpp, examples/bench at d85906ae",
      url: `${vllmCpp}/blob/d85906ae/examples/bench/bench_core.h`,
      date: "2026-07-24",
    },
    settings: {
      target: { endpoint: "completions" },
      ignoreEos: true,
      skipChatTemplate: true,
      sampling: { temperature: 0 },
      seed: 0,
      warmupRequests: 0,
    },
    free: [...typicalFree, "datasetPath", "dataset.kind", "seed", "target.endpoint"],
    ladder: null,
    departures: [
      "vllm-bench runs the engine in its own process; against a server the same requests go over HTTP.",
      "Its words for generated prompts are its own.",
    ],
  },
  {
    name: "vllm-bench-serve",
    title: "vllm bench serve with its default data set, random",
    source: vllmServe,
    settings: {
      target: { endpoint: "completions" },
      ignoreEos: true,
      skipChatTemplate: true,
      dataset: { kind: "random-text" },
      inputLen: 1024,
      outputLen: 128,
      numPrompts: 1000,
      concurrency: 1000,
      load: { startTogether: true },
      warmupRequests: 0,
      seed: 0,
    },
    free: [...typicalFree, "seed", "dataset.rangeRatio", "dataset.sharedPrefixLen", "load.startTogether"],
    ladder: null,
    departures: [allAtOnce, unsentTemperature, firstPromptAsWarmup],
  },
  {
    name: "vllm-bench-serve-sharegpt",
    title: "vllm bench serve with ShareGPT conversations",
    source: vllmServe,
    settings: {
      target: { endpoint: "completions" },
      ignoreEos: false,
      skipChatTemplate: true,
      dataset: { kind: "sharegpt", shuffle: true, oversample: true, recordedLengths: true },
      numPrompts: 1000,
      concurrency: 1000,
      load: { startTogether: true },
      warmupRequests: 0,
      seed: 0,
    },
    free: [
      ...typicalFree,
      "datasetPath",
      "seed",
      "load.startTogether",
      "dataset.shuffle",
      "dataset.oversample",
      "dataset.recordedLengths",
    ],
    ladder: null,
    departures: [
      allAtOnce,
      unsentTemperature,
      firstPromptAsWarmup,
      "vLLM leaves out prompts and answers under 4 tokens, prompts over 1024 and pairs over 2048; here every row is taken.",
      "--output-len is its --sharegpt-output-len.",
    ],
  },
  {
    name: "sglang-bench-serving",
    title: "sglang.bench_serving on its native endpoint, EOS ignored",
    source: {
      title: "sglang, benchmark/serving.py at 00f9ec47",
      url: "https://github.com/sgl-project/sglang/blob/00f9ec47/python/sglang/benchmark/serving.py",
      date: "2026-08-21",
    },
    settings: {
      target: { endpoint: "sglang-generate", baseUrl: "http://127.0.0.1:30000" },
      ignoreEos: true,
      skipChatTemplate: true,
      sampling: { temperature: 0 },
      dataset: { kind: "sharegpt", recordedLengths: true },
      numPrompts: 1000,
      concurrency: 1000,
      load: { startTogether: true },
      warmupRequests: 1,
      seed: 42,
    },
    free: [
      ...typicalFree,
      "datasetPath",
      "dataset.kind",
      "dataset.recordedLengths",
      "dataset.rangeRatio",
      "seed",
      "target.endpoint",
      "load.startTogether",
      "cache.policy",
    ],
    ladder: null,
    departures: [
      "Its warm-up is the first measured prompt with at most 32 tokens; here warm-up prompts are always others.",
      "Its range ratio draws lengths from the ratio times the length up to the length; here they vary around the length.",
    ],
  },
  {
    name: "llama-benchy",
    title: "llama-benchy: prompt of 2048 tokens, 32 tokens of output, one batch at a time",
    source: {
      title: "eugr/llama-benchy at ae09cab",
      url: "https://github.com/eugr/llama-benchy/tree/ae09cab",
      date: "2026-02-07",
    },
    settings: {
      target: { endpoint: "chat-completions" },
      ignoreEos: false,
      dataset: { kind: "random-text" },
      inputLen: 2048,
      outputLen: 32,
      numPrompts: 1,
      concurrency: 1,
      load: { startTogether: true },
      warmupRequests: 1,
      repetition: { reps: 3 },
    },
    free: [
      "inputLen",
      "outputLen",
      "concurrency",
      "numPrompts",
      "repetition.reps",
      "cache.policy",
      "ignoreEos",
      "minTokens",
    ],
    ladder: null,
    departures: [
      "llama-benchy cuts its prompts from a book; here they are random text.",
      "It sends no temperature; here all sampling values are sent, greedy unless set.",
      "Its prefill rate takes a measured network latency from TTFT; here TTFT is taken as it is.",
    ],
  },
  {
    name: "online-gate",
    title: "online gate of vllm.cpp: vllm bench serve on prompts of 1024 tokens, EOS ignored, no template",
    source: {
      title: "mudler/vllm.cpp, tools/bench/online_gate.py and the gate's specification",
      url: `${vllmCpp}/blob/031b6555/tools/bench/online_gate.py`,
      date: "2026-09-04",
    },
    settings: {
      target: { endpoint: "completions" },
      ignoreEos: true,
      skipChatTemplate: true,
      sampling: { temperature: 0 },
      seed: 0,
      inputLen: 1024,
      outputLen: 128,
      numPrompts: 96,
      concurrency: 16,
      warmupRequests: 16,
      repetition: { reps: 3 },
    },
    free: [
      "concurrency",
      "numPrompts",
      "warmupRequests",
      "repetition.reps",
      "repetition.boots",
      "datasetPath",
      "inputLen",
    ],
    ladder: { field: "concurrency", values: [1, 2, 4, 8, 16, 32] },
    departures: [
      "The gate's prompts are its own corpus; name the file with datasetPath to send it.",
      "It measures six requests for each stream after one warm-up request for each; both have to follow concurrency.",
    ],
  },
  {
    name: "serve-low-c8",
    title: "low-concurrency serving workload of vllm.cpp at concurrency 8, speculation on",
    source: {
      title: "mudler/vllm.cpp, tools/bench/make_serve_low_corpus.py at c845b910",
      url: `${vllmCpp}/blob/c845b910/tools/bench/make_serve_low_corpus.py`,
      date: "2026-09-04",
    },
    settings: {
      target: { endpoint: "completions" },
      ignoreEos: true,
      skipChatTemplate: true,
      sampling: { temperature: 0 },
      seed: 0,
      inputLen: 1024,
      outputLen: 128,
      numPrompts: 80,
      concurrency: 8,
      warmupRequests: 80,
      repetition: { reps: 3 },
    },
    free: [
      "datasetPath",
      "inputLen",
      "repetition.boots",
      "speculation.method",
      "speculation.draftTokens",
      "speculation.draftModel",
    ],
    ladder: null,
    departures: [
      "The workload's prompts are its own corpus of distinct prompts; name the file with datasetPath to send it.",
      "Speculation is a setting of the server: state it, and the audit tells when no drafting was seen.",
    ],
  },
];
