import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { eventually } from "./support/eventually.ts";
import { modelName, servedPair } from "./support/served-pair.ts";

const pair = servedPair();
const messages = [{ role: "user" as const, content: "Define the word: river" }];
const chat = { model: modelName, messages, temperature: 0, max_tokens: 48 };
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
