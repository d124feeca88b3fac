import type { BenchConfigInput } from "@onpar/bench-config";
import { describe, expect, it } from "vitest";
import { monotonicClock, startTimeline } from "../src/clock.ts";
import { resolveStoppingRule } from "../src/resolved-protocol.ts";
import { openServerTarget } from "../src/targets/open-target.ts";
import type { TargetPrompt } from "../src/prompt.ts";
import { config } from "./support/config.ts";
import { codes, run } from "./support/run.ts";
import { models, sendJson, startServer, stream } from "./support/scripted-server.ts";
import { wireAnswers } from "./support/wire-answers.ts";

const ROOT = "http://127.0.0.1:1";
const text: TargetPrompt = { id: "p", kind: "text", text: "<s>hi", addSpecialTokens: false };
const sampled = { temperature: 0.7, topK: 40, minP: 0.1, repetitionPenalty: 1.2 };

async function bodyOf(
  endpoint: string,
  changes: BenchConfigInput,
  prompt: TargetPrompt = text,
  options: { readonly engine?: string | null; readonly bosText?: string | null } = {},
): Promise<{ body: Readonly<Record<string, unknown>>; unsent: readonly string[]; rule: unknown }> {
  const full = config(ROOT, {
    ...changes,
    target: { ...changes.target, endpoint: endpoint as "completions" },
  });
  const { target, unsent } = openServerTarget({
    config: full,
    apiKey: null,
    root: ROOT,
    headers: {},
    ca: null,
    timeoutMs: 1000,
    timeline: startTimeline(monotonicClock),
    model: "m",
    engine: options.engine ?? null,
    bosText: options.bosText ?? null,
  });
  const body = target.describe(target.prepare(prompt));
  await target.close();
  return { body, unsent: unsent.map(({ field }) => field), rule: resolveStoppingRule(full, body) };
}

describe("fields in each server's own spelling", () => {
  const changes = { outputLen: 9, minTokens: 3, ignoreEos: false, stop: ["X"], seed: 5, sampling: sampled };

  it("llama.cpp", async () => {
    const { body, unsent, rule } = await bodyOf("llama-completion", changes, text, { bosText: "<s>" });
    expect(body).toMatchObject({
      prompt: "hi",
      n_predict: 9,
      repeat_penalty: 1.2,
      top_k: 40,
      stop: ["X"],
      seed: 5,
    });
    expect(unsent).toEqual(["min_tokens"]);
    expect(rule).toMatchObject({ name: "eos", cap: 9, sent: { n_predict: 9, ignore_eos: false } });
  });

  it("SGLang", async () => {
    const { body, unsent, rule } = await bodyOf("sglang-generate", { ...changes, ignoreEos: true });
    const fields = { max_new_tokens: 9, min_new_tokens: 3, ignore_eos: true, sampling_seed: 5, stop: ["X"] };
    expect(body).toMatchObject({ text: "<s>hi", sampling_params: fields });
    expect(unsent).toEqual([]);
    expect(rule).toMatchObject({ name: "ignore-eos", cap: 9 });
  });

  it("Ollama, which cannot ignore EOS", async () => {
    const { body, unsent, rule } = await bodyOf("ollama-chat", {
      ...changes,
      ignoreEos: true,
      enableThinking: false,
      skipChatTemplate: false,
    });
    const options = { num_predict: 9, repeat_penalty: 1.2, top_k: 40, seed: 5 };
    expect(body).toMatchObject({ model: "m", messages: [{ role: "user" }], think: false, options });
    expect(unsent).toEqual(["ignore_eos", "min_tokens"]);
    expect(rule).toMatchObject({ name: "eos", cap: 9, requested: { ignoreEos: true } });
  });

  it("Responses, as far as the server takes more than the interface has", async () => {
    const strict = await bodyOf("responses", { ...changes, skipChatTemplate: false });
    expect(Object.keys(strict.body).toSorted()).toEqual(
      ["input", "max_output_tokens", "model", "store", "stream", "temperature", "top_p"].toSorted(),
    );
    expect(strict.unsent).toContain("seed");
    const lenient = await bodyOf("responses", { ...changes, skipChatTemplate: false }, text, {
      engine: "vllm",
    });
    expect(lenient.body).toMatchObject({ max_output_tokens: 9, ignore_eos: false, min_tokens: 3, seed: 5 });
    expect(lenient.unsent).toEqual([]);
  });

  it("OpenAI's own servers refuse what they do not know, llama.cpp spells a penalty otherwise", async () => {
    const openai = await bodyOf("completions", changes, text, { engine: "system" });
    for (const name of [
      "ignore_eos",
      "min_tokens",
      "top_k",
      "min_p",
      "repetition_penalty",
      "add_special_tokens",
    ])
      expect(openai.body).not.toHaveProperty(name);
    expect(openai.body).toMatchObject({ stream_options: { include_usage: true } });
    expect(openai.unsent).toEqual(["min_tokens", "top_k", "min_p", "repetition_penalty"]);
    const llama = await bodyOf("completions", changes, text, { engine: "llama.cpp" });
    expect(llama.body).toMatchObject({ repeat_penalty: 1.2, ignore_eos: false });
    expect(llama.unsent).toEqual(["min_tokens"]);
  });

  it("writes tool calls as each interface has them", async () => {
    const call = { id: "c1", type: "function", function: { name: "f", arguments: '{"a":1}' } };
    const prompt: TargetPrompt = {
      id: "p",
      kind: "conversation",
      conversation: {
        messages: [
          { role: "user", content: [{ type: "text", text: "go" }] },
          { role: "assistant", content: null, tool_calls: [call] },
          { role: "tool", tool_call_id: "c1", content: "2" },
        ],
        tools: [{ type: "function", function: { name: "f", parameters: {} } }],
      },
    };
    const chat = { skipChatTemplate: false };
    const ollama = await bodyOf("ollama-chat", chat, prompt);
    expect(ollama.body).toMatchObject({
      messages: [
        { content: "go" },
        { tool_calls: [{ function: { arguments: { a: 1 } } }] },
        { role: "tool" },
      ],
    });
    const responses = await bodyOf("responses", chat, prompt);
    expect(responses.body).toMatchObject({
      input: [
        { role: "user" },
        { type: "function_call", call_id: "c1", name: "f", arguments: '{"a":1}' },
        { type: "function_call_output", call_id: "c1", output: "2" },
      ],
      tools: [{ type: "function", name: "f" }],
    });
  });
});

describe("a run on a native interface", () => {
  it("is measured, and says what was not sent", async () => {
    const wire = wireAnswers.find(({ endpoint }) => endpoint === "ollama-chat");
    const server = await startServer({
      "/v1/models": models("m"),
      "/api/chat": (_, response) => stream(response, [wire?.stream ?? ""]),
      "/tokenize": (_, response) => sendJson(response, 200, { count: 8 }),
    });
    try {
      const result = await run(config(server.url, { target: { endpoint: "ollama-chat" } }));
      expect(result.summary.counts).toMatchObject({ asked: 4, ok: 4 });
      expect(result.protocol).toMatchObject({
        endpoint: "ollama-chat",
        stoppingRule: { name: "eos", cap: 3 },
      });
      expect(codes(result)).toContain("setting-not-sent");
      expect(result.findings.map(({ message }) => message).join()).toMatch(/ignore_eos true/);
    } finally {
      await server.close();
    }
  });
});
