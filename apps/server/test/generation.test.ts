import { describe, expect, it } from "vitest";

import { endOf, post, postStream, streamedText, type Answer } from "./support/http.ts";
import { contextSize, servedPair } from "./support/served-pair.ts";

const pair = servedPair();
const greedy = { temperature: 0 };
const copy = {
  ...greedy,
  max_tokens: 96,
  chat_template_kwargs: { enable_thinking: false },
  messages: [{ role: "user", content: "Define the word: river" }],
};
const chatUrl = "/v1/chat/completions";
const completionUrl = "/v1/completions";

describe("stream and whole answer", () => {
  it.each([
    ["chat", chatUrl, copy],
    ["chat with thinking", chatUrl, { ...copy, chat_template_kwargs: { enable_thinking: true } }],
    ["completions", completionUrl, { ...greedy, prompt: "The river runs", max_tokens: 40 }],
    [
      "sampled with a seed",
      completionUrl,
      { temperature: 0.9, seed: 7, prompt: "The river runs", max_tokens: 40 },
    ],
  ])("say the same for %s", async (_name, url, body) => {
    const whole = await post<Answer>(pair.app, url, body);
    const chunks = await postStream(pair.app, url, { ...body, stream_options: { include_usage: true } });
    const choice = whole.choices[0];
    const streamed = streamedText(chunks);
    expect(streamed.content + streamed.text).toBe(choice?.message?.content ?? choice?.text);
    expect(streamed.reasoning).toBe(choice?.message?.reasoning_content ?? "");
    const end = endOf(chunks);
    expect([end.finish_reason, end.stop_reason]).toEqual([choice?.finish_reason, choice?.stop_reason]);
    expect(chunks.at(-1)?.usage?.completion_tokens).toBe(whole.usage?.completion_tokens);
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  it("opens with the role, then text, then the end, then usage with no choices", async () => {
    const chunks = await postStream(pair.app, chatUrl, { ...copy, stream_options: { include_usage: true } });
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: "assistant", content: "" });
    expect(chunks.filter(({ choices }) => choices[0]?.delta?.role !== undefined)).toHaveLength(1);
    expect(chunks.at(-2)?.choices[0]).toMatchObject({ delta: {}, finish_reason: "stop", stop_reason: null });
    const last = chunks.at(-1);
    expect(last?.choices).toEqual([]);
    expect(last?.object).toBe("chat.completion.chunk");
    for (const { usage } of chunks.slice(0, -1)) expect(usage).toBeNull();
  });

  it("leaves usage out of a stream that did not ask for it", async () => {
    const chunks = await postStream(pair.app, chatUrl, copy);
    for (const chunk of chunks) expect(chunk).not.toHaveProperty("usage");
    expect(chunks.at(-1)?.choices).toHaveLength(1);
  });

  it("counts tokens up on every chunk when asked to", async () => {
    const chunks = await postStream(pair.app, completionUrl, {
      ...greedy,
      prompt: "The river runs",
      max_tokens: 30,
      ignore_eos: true,
      stream_options: { include_usage: true, continuous_usage_stats: true },
    });
    const counts = chunks.map(({ usage }) => usage?.completion_tokens ?? -1);
    expect(counts[0]).toBeGreaterThan(0);
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts.at(-1)).toBe(30);
    // A verify step may bring several tokens, so chunks are fewer than tokens.
    expect(chunks.length).toBeLessThan(30);
  });
});

describe("usage", () => {
  it("adds up and tells what the prefix cache gave", async () => {
    const body = {
      ...greedy,
      max_tokens: 8,
      messages: [{ role: "user", content: `Say this again: ${"one two three four ".repeat(12)}` }],
    };
    await post<Answer>(pair.app, chatUrl, body);
    const { usage } = await post<Answer>(pair.app, chatUrl, body);
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
    const { count } = await post<{ count: number }>(pair.app, "/tokenize", { messages: body.messages });
    expect(usage?.prompt_tokens).toBe(count);
    expect(usage?.prompt_tokens_details?.cached_tokens).toBeGreaterThan(count / 2);
  });
});

describe("the stopping rule", () => {
  it("ends on EOS unless it is ignored; then the output has exactly the cap", async () => {
    const honoured = await post<Answer>(pair.app, chatUrl, { ...copy, max_tokens: 200 });
    expect(honoured.choices[0]).toMatchObject({ finish_reason: "stop", stop_reason: null });
    expect(honoured.usage?.completion_tokens).toBeLessThan(200);
    for (const max_tokens of [1, 2, 7, 100]) {
      const forced = await post<Answer>(pair.app, chatUrl, { ...copy, max_tokens, ignore_eos: true });
      expect(forced.choices[0]?.finish_reason).toBe("length");
      expect(forced.usage?.completion_tokens).toBe(max_tokens);
    }
  });

  it("keeps EOS from ending the output before min_tokens", async () => {
    const natural = (await post<Answer>(pair.app, chatUrl, copy)).usage?.completion_tokens ?? 0;
    const min_tokens = natural + 20;
    const longer = await post<Answer>(pair.app, chatUrl, {
      ...copy,
      min_tokens,
      max_tokens: min_tokens + 40,
    });
    expect(longer.usage?.completion_tokens).toBeGreaterThanOrEqual(min_tokens);
  });

  it("stops at a stop string, leaves it out, and names it", async () => {
    const free = await post<Answer>(pair.app, chatUrl, copy);
    const text = free.choices[0]?.message?.content ?? "";
    const stop = text.slice(9, 15);
    expect(stop).toHaveLength(6);
    const body = { ...copy, stop: ["never in this text", stop] };
    const stopped = await post<Answer>(pair.app, chatUrl, body);
    expect(stopped.choices[0]).toMatchObject({ finish_reason: "stop", stop_reason: stop });
    expect(stopped.choices[0]?.message?.content).toBe(text.slice(0, text.indexOf(stop)));
    const chunks = await postStream(pair.app, chatUrl, body);
    expect(streamedText(chunks).content).toBe(text.slice(0, text.indexOf(stop)));
    expect(endOf(chunks).stop_reason).toBe(stop);
  });

  it("stops at a stop token and names its id", async () => {
    const free = await post<Answer>(pair.app, completionUrl, {
      ...greedy,
      prompt: "The river",
      max_tokens: 20,
    });
    const id = pair.engine.tokenize(free.choices[0]?.text ?? "").at(4);
    const body = { ...greedy, prompt: "The river", max_tokens: 20, stop_token_ids: [id] };
    const stopped = await post<Answer>(pair.app, completionUrl, body);
    expect(stopped.choices[0]).toMatchObject({ finish_reason: "stop", stop_reason: id });
  });

  it("caps completions at 16 tokens and chat at the context when no cap is given", async () => {
    const short = await post<Answer>(pair.app, completionUrl, {
      ...greedy,
      prompt: "The river",
      ignore_eos: true,
    });
    expect(short.usage?.completion_tokens).toBe(16);
    const prompt = pair.engine.tokenize("word ".repeat(contextSize)).slice(0, contextSize - 60);
    const content = pair.engine.detokenize(prompt);
    const long = await post<Answer>(pair.app, chatUrl, {
      ...greedy,
      ignore_eos: true,
      messages: [{ role: "user", content }],
    });
    expect(long.choices[0]?.finish_reason).toBe("length");
    expect(long.usage?.total_tokens).toBe(contextSize);
  });
});

describe("acceptance of one request", () => {
  it("is told in vLLM's shape, on the answer and on the usage chunk", async () => {
    const whole = await post<Answer>(pair.app, chatUrl, copy);
    const told = whole.metrics?.speculative_decoding;
    if (told === undefined) throw new Error("no acceptance in the answer");
    const { num_spec_steps: V, num_accepted_draft_tokens: A, num_draft_tokens: D } = told;
    expect(V).toBeGreaterThan(0);
    expect(told.num_spec_tokens).toBe(5);
    expect(told.mean_acceptance_length).toBeCloseTo(1 + A / V, 12);
    expect(told.draft_acceptance_rate).toBeCloseTo(A / D, 12);
    expect(told.acceptance_histogram).toHaveLength(6);
    const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
    expect(sum(told.acceptance_histogram)).toBe(V);
    expect(sum(told.acceptance_histogram.map((steps, accepted) => steps * accepted))).toBe(A);
    expect(sum(told.acceptance_per_position ?? []) * V).toBeCloseTo(A, 9);

    const chunks = await postStream(pair.app, chatUrl, { ...copy, stream_options: { include_usage: true } });
    expect(chunks.at(-1)?.metrics?.speculative_decoding).toMatchObject({ num_spec_tokens: 5 });
    for (const chunk of chunks.slice(0, -1)) expect(chunk).not.toHaveProperty("metrics");
  });

  it("is zero, not absent, for a request that had nothing to draft", async () => {
    const one = await post<Answer>(pair.app, completionUrl, {
      ...greedy,
      prompt: "The river",
      max_tokens: 1,
    });
    expect(one.metrics?.speculative_decoding).toMatchObject({
      num_spec_steps: 0,
      num_draft_tokens: 0,
      mean_acceptance_length: null,
      draft_acceptance_rate: null,
    });
  });
});
