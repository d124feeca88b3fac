import { expect, test } from "vitest";
import { configLayerFromFlags } from "../src/index.ts";
import type { FlagValues } from "../src/index.ts";
import { refusals } from "./support.ts";

/** One contradiction or missing part each, as settings of a file. */
const files: readonly Record<string, unknown>[] = [
  { load: { kind: "poisson" } },
  { load: { kind: "gamma" } },
  { load: { kind: "closed-loop", rate: 5 } },
  { load: { kind: "poisson", rate: 5, burstiness: 2 } },
  { load: { rate: 5 }, concurrency: 4 },
  { load: { maxInFlight: 4 } },
  { load: { kind: "ramp" } },
  { load: { ramp: { fromRate: 1 } } },
  { load: { ramp: { fromRate: 1, toRate: 2, fromConcurrency: 1, toConcurrency: 2 } } },
  { load: { kind: "constant", rate: 1, ramp: { toRate: 3 } } },
  { load: { kind: "trace" } },
  { load: { kind: "trace" }, datasetPath: "rows.jsonl", dataset: { kind: "sharegpt" } },
  { load: { traceSpeed: 2 } },
  { load: { kind: "constant", rate: 1, startTogether: true } },
  { load: { rate: 0 } },
  { dataset: { kind: "sharegpt" } },
  { dataset: { kind: "multi-turn" } },
  { dataset: { kind: "multi-turn" }, datasetPath: "d" },
  { dataset: { kind: "random-ids" }, target: { endpoint: "chat-completions" } },
  { dataset: { kind: "random-ids" }, skipChatTemplate: false },
  { dataset: { kind: "random-text" }, datasetPath: "d" },
  { dataset: { task: "do it" } },
  { dataset: { hitRate: "50%" } },
  { dataset: { turns: 3 } },
  { dataset: { turns: 3 }, datasetPath: "d" },
  { dataset: { kind: "shared-prefix", hitRate: 0.5, sharedPrefixLen: 100 } },
  { dataset: { kind: "shared-prefix", hitRate: 0.5 }, cache: { policy: "reset" } },
  { dataset: { history: "live" } },
  { load: { kind: "trace" }, datasetPath: "d", dataset: { kind: "trace", shuffle: true, oversample: true } },
  { dataset: { shuffle: true } },
  { dataset: { kind: "source-code", rangeRatio: 0.5 } },
  { dataset: { traceBlockTokens: 16 } },
  { dataset: { kind: "zebra" } },
  { minTokens: 200 },
  { minTokens: 20, maxTokens: 10 },
  { outputCsv: "a", outputHtml: "a" },
  { output: "a", outputMarkdown: "a" },
  { outputTokenIds: "a" },
  { target: { caFile: "ca.pem" } },
  { target: { insecureTls: true } },
  { target: { baseUrl: "https://host", insecureTls: true, caFile: "ca.pem" } },
  { target: { headers: { Authorization: "Bearer abc" } } },
  { target: { headers: { "X-Note": "sk-abcdefgh12345" } } },
  { target: { headers: { Host: "other" } } },
  { target: { headers: { "bad name": "x" } } },
  { target: { headers: { "X-Two": "a\r\nb" } } },
  { target: { headers: { "X-Count": 3 } } },
  { target: { extraBody: { max_tokens: 3 } } },
  { target: { extraBody: { stream: false } } },
  { target: { extraBody: { api_key: "x" } } },
  { target: { metricsUrls: ["http://h/metrics", "ftp://h"] } },
  { target: { metricsUrls: ["http://me:secret@h/metrics"] } },
  { target: { endpoint: "responses" }, skipChatTemplate: true },
  { target: { endpoint: "ollama-chat" }, chatTemplate: "t.jinja" },
  { target: { endpoint: "engine", model: "m.gguf", headers: { "X-A": "b" } } },
  { target: { endpoint: "engine", model: "m.gguf" }, speculation: { method: "ngram" } },
  { target: { endpoint: "engine", model: "m.gguf" }, server: { command: ["serve"] } },
  { target: { endpoint: "engine", model: "m.gguf" }, engine: { library: "lib.so" } },
  { target: { endpoint: "completions" }, engine: { kind: "vllm" } },
  { engine: { kind: "vllm" } },
  { engine: { numBlocks: 5 } },
  { engine: { speculativeConfig: { method: "ngram" } } },
  { repetition: { boots: 2 } },
  { repetition: { reps: 0 } },
  { server: { cwd: "." } },
  { server: { command: ["serve", "--api-key", "abc"] } },
  { server: { command: ["serve", "--api-key=abc"] } },
  { server: { command: ["serve", "sk-abcdefgh12345"] } },
  { server: { command: ["serve"], readyUrl: "http://me:secret@h" } },
  { server: { command: ["serve"], envNames: ["not-a-name"] } },
  { server: { command: ["serve"], stopSignal: "SIGSTOP" } },
  { sweep: { order: "shuffled" } },
  { sweep: { axes: [{ field: "concurency", values: [1] }] } },
  { sweep: { axes: [{ field: "outputJson", values: ["a"] }] } },
  { sweep: { axes: [{ field: "repetition.reps", values: [1] }] } },
  { sweep: { axes: [{ field: "concurrency", values: [1, 0] }] } },
  { sweep: { axes: [{ field: "inputLen", values: [1000, "1k"] }] } },
  {
    sweep: {
      axes: [
        { field: "seed", values: [1] },
        { field: "seed", values: [2] },
      ],
    },
  },
  { sweep: { axes: [{ field: "target.baseUrl", values: ["http://me:secret@h"] }] } },
  { client: { workers: 0 } },
  { slos: ["ttft<=1"] },
  { preset: "zebra" },
  { preset: "lossless" },
  { cache: { policy: "cold" } },
  { declared: { revison: "abc" } },
  { speculation: { draftTokens: -1 } },
];

/** The same on a command line. */
const flags: readonly FlagValues[] = [
  { preset: "online-gat" },
  { requestRate: "10", concurrency: "4" },
  { requestRate: "fast" },
  { header: "X-Token=abc" },
  { header: "X-Token" },
  { sweep: "concurrency" },
  { sweep: "concurrency=" },
  { workers: "many" },
  { duration: "90" },
  { insecure: true },
  { datasetKind: "random" },
];

test("every refusal says what is wrong, where, and what to do", async () => {
  const lines = [
    ...files.flatMap((value) => [`# ${JSON.stringify(value)}`, ...refusals({ source: "file", value })]),
    ...flags.flatMap((values) => [`# ${JSON.stringify(values)}`, ...refusals(configLayerFromFlags(values))]),
  ];
  for (const value of files) {
    expect(refusals({ source: "file", value }), JSON.stringify(value)).not.toEqual([]);
  }
  for (const values of flags) {
    expect(refusals(configLayerFromFlags(values)), JSON.stringify(values)).not.toEqual([]);
  }
  const said = lines.filter((line) => !line.startsWith("#")).join("\n");
  expect(said).not.toMatch(/secret@|abcdefgh|Bearer abc/);
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("golden/refusals.txt");
});

test.each<Record<string, unknown>>([
  { load: { kind: "poisson" }, sweep: { axes: [{ field: "load.rate", values: [1, 2] }] } },
  { load: { rate: 5, maxInFlight: 8 } },
  { load: { rate: 5, burstiness: 0.5 } },
  { load: { ramp: { fromConcurrency: 1, toConcurrency: 8 } } },
  { load: { kind: "trace", traceSpeed: 2 }, datasetPath: "d", dataset: { kind: "trace" } },
  { dataset: { kind: "shared-prefix", prefixGroups: 4, hitRate: 0.5 } },
  {
    dataset: { kind: "multi-turn", turns: 3, turnDelayMs: "2s" },
    datasetPath: "d",
    target: { endpoint: "responses" },
  },
  { ignoreEos: false, minTokens: 128 },
  { target: { baseUrl: "https://h", caFile: "ca.pem", headers: { Authorization: "env:KEY" } } },
  { target: { endpoint: "engine", model: "m" }, engine: { kind: "vllm", library: "l", numBlocks: 5 } },
  { server: { command: ["serve", "--max-tokens", "5"], envNames: ["API_KEY"] }, repetition: { boots: 2 } },
])("accepted: %j", (value) => {
  expect(refusals({ source: "file", value })).toEqual([]);
});
