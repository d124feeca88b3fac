import { writeFileSync } from "node:fs";
import type { RunResult } from "@onpar/sweep-runner";
import { afterAll, beforeAll, expect, test } from "vitest";
import { onpar, startServer, type RunningServer } from "../src/processes.ts";
import { recordingProxy, type RecordingProxy } from "../src/recording-proxy.ts";
import { temporaryFolder } from "../src/runs.ts";

const folder = temporaryFolder();
let server: RunningServer;
let proxy: RecordingProxy;

beforeAll(async () => {
  server = await startServer(["--slots=4"]);
  proxy = await recordingProxy(server.url);
  writeFileSync(folder.file("prompts.jsonl"), '{"prompt":"Say hi."}\n{"prompt":"Count to three."}\n');
  const spoken = ["Why is the sky blue?", "What is two and two?"].map((value, index) => ({
    id: `${index}`,
    conversations: [
      { from: "human", value },
      { from: "gpt", value: "It is." },
    ],
  }));
  writeFileSync(folder.file("sharegpt.json"), JSON.stringify(spoken));
});

afterAll(async () => {
  folder.remove();
  await proxy.close();
  expect(await server.stop()).toBe(0);
});

interface Expected {
  /** Scaled down, where the publisher leaves a choice or a test has no time. */
  readonly flags: readonly string[];
  /** Measured requests of all repetitions, and those of the warm-up. */
  readonly asked: number;
  readonly warmup: number;
  readonly path: "/v1/chat/completions" | "/v1/completions";
  /** What the publisher's harness writes into each body. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly template: "server-side" | "none";
}

const dataset = (name: string): string => `--dataset-path=${folder.file(name)}`;
const noThinking = { enable_thinking: false, preserve_thinking: false };
const chat = { max_tokens: 24, temperature: 0, ignore_eos: false, chat_template_kwargs: noThinking };
const raw = { max_tokens: 12, temperature: 0, ignore_eos: true };

const cases: Readonly<Record<string, Expected>> = {
  ctxsweep: {
    flags: ["--input-len=200", "--output-len=24"],
    asked: 4,
    warmup: 0,
    path: "/v1/chat/completions",
    body: chat,
    template: "server-side",
  },
  concbench: {
    flags: ["--input-len=200", "--output-len=24", "--concurrency=2", "--num-prompts=2"],
    asked: 4,
    warmup: 0,
    path: "/v1/chat/completions",
    body: chat,
    template: "server-side",
  },
  accfix: {
    flags: ["--input-len=200", "--output-len=24"],
    asked: 4,
    warmup: 0,
    path: "/v1/chat/completions",
    body: chat,
    template: "server-side",
  },
  lossless: {
    flags: [dataset("prompts.jsonl"), "--num-prompts=2", "--output-len=24"],
    asked: 2,
    warmup: 0,
    path: "/v1/chat/completions",
    body: { ...chat, logprobs: true, top_logprobs: 2, seed: 0 },
    template: "server-side",
  },
  "vllm-bench": {
    flags: ["--input-len=48", "--output-len=12", "--num-prompts=4", "--concurrency=2"],
    asked: 4,
    warmup: 0,
    path: "/v1/completions",
    body: raw,
    template: "none",
  },
  "vllm-bench-serve": {
    flags: ["--input-len=48", "--output-len=12", "--num-prompts=4", "--concurrency=4"],
    asked: 4,
    warmup: 0,
    path: "/v1/completions",
    body: raw,
    template: "none",
  },
  "vllm-bench-serve-sharegpt": {
    flags: [dataset("sharegpt.json"), "--output-len=12", "--num-prompts=3", "--concurrency=3"],
    asked: 3,
    warmup: 0,
    path: "/v1/completions",
    body: { ...raw, ignore_eos: false },
    template: "none",
  },
  // onpar-server has no /generate; the publisher leaves the endpoint to whoever runs it.
  "sglang-bench-serving": {
    flags: [
      "--endpoint=completions",
      dataset("sharegpt.json"),
      "--output-len=12",
      "--num-prompts=2",
      "--concurrency=2",
    ],
    asked: 2,
    warmup: 1,
    path: "/v1/completions",
    body: raw,
    template: "none",
  },
  "llama-benchy": {
    flags: ["--input-len=48", "--output-len=12"],
    asked: 3,
    warmup: 1,
    path: "/v1/chat/completions",
    body: { max_tokens: 12, ignore_eos: false },
    template: "server-side",
  },
  "online-gate": {
    flags: ["--input-len=48", "--output-len=12", "--num-prompts=4", "--concurrency=2", "--warmup=2"],
    asked: 12,
    warmup: 2,
    path: "/v1/completions",
    body: raw,
    template: "none",
  },
  "serve-low-c8": {
    flags: ["--input-len=48", "--output-len=12", "--num-prompts=8", "--warmup=8"],
    asked: 24,
    warmup: 8,
    path: "/v1/completions",
    body: raw,
    template: "none",
  },
};

test("every preset is run here", async () => {
  const { stdout } = await onpar(["presets"]);
  const names = stdout
    .split("\n")
    .filter((line) => /^[a-z]/.test(line))
    .map((line) => line.split(/\s/)[0]);
  expect(new Set(names)).toEqual(new Set(Object.keys(cases)));
});

test("outputs of ShareGPT rows are as long as their recorded answers unless a length is named", async () => {
  proxy.take();
  const flags = [
    "--preset=vllm-bench-serve-sharegpt",
    dataset("sharegpt.json"),
    "--num-prompts=2",
    "--concurrency=2",
  ];
  const { code, stdout } = await onpar([
    "run",
    `--base-url=${proxy.url}`,
    ...flags,
    "--ignore-eos",
    "--json",
  ]);
  expect(code).toBe(0);
  const { summary } = JSON.parse(stdout) as RunResult;
  const caps = proxy
    .take()
    .flatMap(({ body }) => (body["stream"] === true ? Number(body["max_tokens"]) : []));
  expect(caps).toHaveLength(2);
  // Both rows record "It is.", a few tokens of any vocabulary.
  expect(new Set(caps).size).toBe(1);
  expect(caps[0]).toBeGreaterThan(1);
  expect(caps[0]).toBeLessThan(8);
  expect(summary.outputs.lengths).toMatchObject({ min: caps[0], max: caps[0] });
});

test.each(Object.entries(cases))("%s completes and keeps its protocol", async (name, expected) => {
  proxy.take();
  const flags = ["run", `--base-url=${proxy.url}`, `--preset=${name}`, "--json", ...expected.flags];
  const { code, stdout, stderr } = await onpar(flags);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const { summary, protocol, findings, config } = JSON.parse(stdout) as RunResult;
  const { asked, warmup, path, body, template } = expected;
  expect(config.preset).toBe(name);
  expect(summary.counts).toMatchObject({ asked, ok: asked, warmup });
  expect(findings.filter(({ severity }) => severity === "breach")).toEqual([]);
  expect(protocol.template.mode).toBe(template);

  // One more small request where log-probabilities are looked for.
  const sent = proxy.take().filter(({ body: { stream } }) => stream === true);
  expect(sent).toHaveLength(asked + warmup);
  for (const one of sent) {
    expect(one.path).toBe(path);
    expect(one.body).toMatchObject(body);
  }
  const lengths = summary.outputs.lengths;
  const cap = Number(body["max_tokens"]);
  expect(lengths?.max).toBeLessThanOrEqual(cap);
  expect(lengths?.min).toBeGreaterThanOrEqual(body["ignore_eos"] === true ? cap : 1);
});
