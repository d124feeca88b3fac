import type { Preset } from "./preset.ts";

const comparator = {
  title: "pangoleen/qwen3.8-27b-dgx-spark-dflash2, bench/ and RESULTS.md",
  url: "https://github.com/pangoleen/qwen3.8-27b-dgx-spark-dflash2",
} as const;

/** One user message on the chat endpoint, thinking off, EOS honoured: what the ladders below share. */
const chat = {
  target: { endpoint: "chat-completions" },
  ignoreEos: false,
  sampling: { temperature: 0 },
  chatTemplateKwargs: { enable_thinking: false, preserve_thinking: false },
} as const;

const onlyTemperature =
  "The publisher's requests carry a temperature and no other sampling value; here all values are sent, at which they are off.";

/** The comparator's ladders and experiments. */
export const ladderPresets: readonly Preset[] = [
  {
    name: "ctxsweep",
    title: "context ladder: decode and prefill rate, TTFT and acceptance over prompt lengths",
    source: { ...comparator, date: "2026-09-03" },
    settings: {
      ...chat,
      outputLen: 512,
      dataset: {
        kind: "source-code",
        task:
          "Write a small, complete helper module that fits the code above: a typed function, one class that uses it, and a " +
          "short example of its use.",
      },
      inputLen: 512,
      numPrompts: 1,
      warmupRequests: 0,
      cache: { policy: "nonce" },
      repetition: { reps: 4 },
    },
    free: ["inputLen", "sampling.temperature", "repetition.boots", "dataset.sourcePath"],
    ladder: {
      field: "inputLen",
      values: [512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072, 262_144],
    },
    departures: [
      onlyTemperature,
      "The publisher's source code and the words of its task are its own; other words are used here.",
      "The first repetition is cold and the others are warm; one more warm request follows, in the sweep of this program only.",
    ],
  },
  {
    name: "concbench",
    title: "concurrency ladder: aggregate and per-stream rate over streams that start together",
    source: { ...comparator, date: "2026-09-03" },
    settings: {
      ...chat,
      outputLen: 512,
      dataset: {
        kind: "source-code",
        task:
          "Write a small, complete helper module that fits the code above: a typed function, one class that uses it, and a " +
          "short example of its use.",
      },
      inputLen: 2048,
      numPrompts: 8,
      concurrency: 8,
      load: { startTogether: true },
      warmupRequests: 0,
      repetition: { reps: 2 },
    },
    free: ["concurrency", "numPrompts", "dataset.sourcePath", "repetition.boots"],
    ladder: { field: "concurrency", values: [1, 2, 4, 8, 16, 32] },
    departures: [
      onlyTemperature,
      "The publisher fills the cache with each stream's prefix by one request of 8 tokens first; a single run does not.",
      "The publisher does not state the cap in its table; that of its context ladder is used.",
      "numPrompts has to follow concurrency: one request for each stream.",
    ],
  },
  {
    name: "accfix",
    title: "fixed-output acceptance: one wanted text at every prefix length",
    source: { ...comparator, date: "2026-09-03" },
    settings: {
      ...chat,
      outputLen: 1024,
      dataset: {
        kind: "source-code",
        task: "Repeat the last class of the code above, word for word, and write nothing else.",
      },
      inputLen: 2048,
      numPrompts: 1,
      warmupRequests: 0,
      cache: { policy: "nonce" },
      repetition: { reps: 4 },
      client: { keepText: true },
    },
    free: ["inputLen", "dataset.sourcePath", "repetition.boots", "repetition.reps"],
    ladder: { field: "inputLen", values: [2048, 8192, 32_768, 131_072] },
    departures: [
      onlyTemperature,
      "The class that has to be repeated is the publisher's own; another one is used here.",
      "The publisher does not state its cap and its prefix lengths as a table.",
    ],
  },
  {
    name: "lossless",
    title: "what speculation changes: the same prompts with and without it, first divergence and its gap",
    source: { ...comparator, date: "2026-09-03" },
    settings: {
      ...chat,
      outputLen: 512,
      seed: 0,
      logprobs: 2,
      dataset: { kind: "prompts" },
      numPrompts: 12,
      warmupRequests: 0,
      client: { keepText: true },
    },
    free: ["datasetPath", "concurrency"],
    ladder: null,
    departures: [
      onlyTemperature,
      "The publisher's 12 prompts are its own; a file of prompts has to be named with datasetPath.",
      "Its control, the same server idle and under three other requests, is a second run at another concurrency.",
    ],
  },
];
