import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { createApp } from "../src/index.ts";
import { eventually } from "./support/eventually.ts";
import { ScriptedEngine } from "./support/scripted-engine.ts";
import { modelName, servedPair } from "./support/served-pair.ts";

const pair = servedPair();
const messages = [{ role: "user" as const, content: "Define the word: river" }];
const chat = { model: modelName, messages, temperature: 0, max_tokens: 48 };
const weather = {
  type: "function" as const,
  function: {
    name: "get_weather",
    description: "Get the weather for a city",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
};
let client: OpenAI;

beforeAll(async () => {
  const address = await pair.app.listen({ host: "127.0.0.1", port: 0 });
  client = new OpenAI({ baseURL: `${address}/v1`, apiKey: "none", maxRetries: 0 });
});
afterAll(() => pair.app.server.closeAllConnections());

describe("the openai package", () => {
  it("chats, whole and streamed alike", async () => {
    const whole = await client.chat.completions.create(chat);
    const stream = client.chat.completions.stream({ ...chat, stream_options: { include_usage: true } });
    const streamed = await stream.finalChatCompletion();
    expect(streamed.choices[0]?.message.content).toBe(whole.choices[0]?.message.content);
    expect(streamed.choices[0]?.finish_reason).toBe(whole.choices[0]?.finish_reason);
    expect(streamed.usage?.completion_tokens).toBe(whole.usage?.completion_tokens);
  });

  it("completes several prompts, and lists the model", async () => {
    const { choices } = await client.completions.create({
      model: modelName,
      prompt: ["The river", "Count"],
      max_tokens: 4,
      logprobs: 1,
    });
    expect(choices.map(({ logprobs }) => logprobs?.tokens?.length)).toEqual([4, 4]);
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual([modelName]);
  });

  it("gets JSON of a schema, and the call of a tool", async () => {
    const schema = {
      type: "object",
      properties: { word: { type: "string", maxLength: 8 } },
      required: ["word"],
    };
    const answer = await client.chat.completions.create({
      ...chat,
      response_format: { type: "json_schema", json_schema: { name: "word", schema } },
    });
    expect(JSON.parse(answer.choices[0]?.message.content ?? "")).toHaveProperty("word");
    const runner = client.chat.completions.stream({
      ...chat,
      tools: [{ type: "function", function: { name: "look_up", parameters: schema } }],
      tool_choice: { type: "function", function: { name: "look_up" } },
    });
    const call = (await runner.finalChatCompletion()).choices[0]?.message.tool_calls?.[0];
    expect(call?.type === "function" && call.function.name).toBe("look_up");
    expect(JSON.parse(call?.type === "function" ? call.function.arguments : "")).toHaveProperty("word");
  });

  it("gets the call that the model decides on, whole and streamed alike", async () => {
    const body = {
      ...chat,
      max_tokens: 128,
      messages: [{ role: "user" as const, content: "What is the weather in Paris?" }],
      tools: [weather],
    };
    const whole = (await client.chat.completions.create(body)).choices[0];
    expect(whole).toMatchObject({ finish_reason: "tool_calls", message: { content: null } });
    const call = whole?.message.tool_calls?.[0];
    const called = call?.type === "function" ? call.function : undefined;
    expect(called?.name).toBe("get_weather");
    expect(JSON.parse(called?.arguments ?? "")).toEqual({ city: "Paris" });

    const deltas = [];
    const ends = new Set<string | null>();
    for await (const { choices } of await client.chat.completions.create({ ...body, stream: true })) {
      deltas.push(...(choices[0]?.delta.tool_calls ?? []));
      if (choices[0] !== undefined) ends.add(choices[0].finish_reason);
    }
    expect([...ends]).toEqual([null, "tool_calls"]);
    const [first, ...rest] = deltas;
    expect(first).toMatchObject({ index: 0, type: "function", function: { name: "get_weather" } });
    expect(first?.id).toMatch(/^call_/);
    expect(rest.length).toBeGreaterThan(0);
    for (const { index, id, type, function: piece } of rest) {
      expect([index, id, type, piece?.name]).toEqual([0, undefined, undefined, undefined]);
    }
    expect(deltas.map((delta) => delta.function?.arguments).join("")).toBe(called?.arguments);

    // The conversation goes on with what the tool found.
    const { finish_reason } =
      (
        await client.chat.completions.create({
          ...body,
          messages: [
            ...body.messages,
            { role: "assistant", content: null, tool_calls: whole?.message.tool_calls ?? [] },
            { role: "tool", tool_call_id: call?.id ?? "", content: '{"city": "Paris", "sky": "clear"}' },
          ],
        })
      ).choices[0] ?? {};
    expect(finish_reason).toBe("stop");
  });

  it("puts several calls of one stream together, each from its pieces", async () => {
    const engine = new ScriptedEngine([
      "I look. <tool_",
      'call>{"name": "get_weather", "arg',
      'uments": {"city": "Par',
      'is"}}</tool_call><tool_call>{"name": "get_weather", "arguments": {"city": "',
      'Oslo"',
      "}}</tool_call>",
    ]);
    const app = createApp({ engine, servedModelName: modelName });
    const address = await app.listen({ host: "127.0.0.1", port: 0 });
    const scripted = new OpenAI({ baseURL: `${address}/v1`, apiKey: "none", maxRetries: 0 });
    const completion = await scripted.chat.completions
      .stream({ ...chat, tools: [weather] })
      .finalChatCompletion();
    await app.close();
    expect(completion.choices[0]).toMatchObject({
      finish_reason: "tool_calls",
      message: {
        content: "I look. ",
        tool_calls: [
          { function: { name: "get_weather", arguments: '{"city": "Paris"}' } },
          { function: { name: "get_weather", arguments: '{"city": "Oslo"}' } },
        ],
      },
    });
  });

  it("gets a response as text, whole and streamed alike", async () => {
    const body = { model: modelName, input: "Define the word: river", temperature: 0, max_output_tokens: 48 };
    const whole = await client.responses.create(body);
    const streamed = await client.responses.stream(body).finalResponse();
    expect(streamed.output[0]).toMatchObject({ content: [{ text: whole.output_text }] });
    expect(whole.usage?.output_tokens).toBeGreaterThan(0);
  });

  it("frees its slot when it aborts", async () => {
    const forced = { ignore_eos: true };
    const stream = await client.completions.create({
      model: modelName,
      prompt: "The river",
      max_tokens: 480,
      stream: true,
      ...forced,
    });
    for await (const _ of stream) stream.controller.abort();
    await eventually(() => expect(pair.engine.counters().requestsRunning).toBe(0));
    expect(pair.engine.counters().requestsFinished.abort).toBeGreaterThan(0);
  });

  it("understands what was wrong", async () => {
    const asked = client.chat.completions.create({ ...chat, model: "another" });
    await expect(asked).rejects.toMatchObject({ status: 404, code: "model_not_found" });
  });
});
