import { describe, expect, it } from "vitest";

import { post, type ErrorAnswer } from "./support/http.ts";
import { contextSize, modelName, servedPair } from "./support/served-pair.ts";

const pair = servedPair();
const messages = [{ role: "user", content: "Define the word: river" }];

interface Tokenized {
  readonly count: number;
  readonly max_model_len: number;
  readonly tokens: readonly number[];
}

const tokenize = (body: object) => post<Tokenized>(pair.app, "/tokenize", body);
const detokenize = (tokens: readonly number[]) =>
  post<{ prompt: string; content: string }>(pair.app, "/detokenize", { model: modelName, tokens });

describe("tokenize and detokenize", () => {
  it.each(["The river runs.", "", "naïve — 日本語 🎉\n\ttabs", "<|im_start|>user\nhi<|im_end|>\n"])(
    "give %j back",
    async (prompt) => {
      const { count, max_model_len, tokens } = await tokenize({ model: modelName, prompt });
      expect(count).toBe(tokens.length);
      expect(max_model_len).toBe(contextSize);
      expect(await detokenize(tokens)).toMatchObject({ prompt, content: prompt });
    },
  );

  it("take llama.cpp's form, special tokens read as such unless told not to", async () => {
    const content = "<|im_end|>";
    const { tokens } = await tokenize({ content });
    expect(tokens).toHaveLength(1);
    expect(pair.engine.info.eosTokenIds).toContain(tokens[0]);
    expect((await tokenize({ content, parse_special: false })).count).toBeGreaterThan(1);
  });

  it.each([
    [{}, null],
    [{ prompt: "a", content: "a" }, null],
    [{ prompt: 1 }, "prompt"],
    [{ prompt: "a", return_token_strs: 1 }, "return_token_strs"],
  ])("refuse %j", async (body, param) => {
    const { error } = await post<ErrorAnswer>(pair.app, "/tokenize", body, 400);
    expect(error.param).toBe(param);
  });

  it("refuse ids outside the vocabulary", async () => {
    const { error } = await post<ErrorAnswer>(pair.app, "/detokenize", { tokens: [1, 4096] }, 400);
    expect(error.param).toBe("tokens[1]");
  });
});

describe("the chat template", () => {
  async function rendered(fields: object): Promise<string> {
    const { tokens } = await tokenize({ messages, ...fields });
    return (await detokenize(tokens)).prompt;
  }

  it("tells enable_thinking false from true and from unset", async () => {
    const open = "<|im_start|>user\nDefine the word: river<|im_end|>\n<|im_start|>assistant\n";
    expect(await rendered({})).toBe(open);
    expect(await rendered({ chat_template_kwargs: { enable_thinking: true } })).toBe(open);
    expect(await rendered({ chat_template_kwargs: { enable_thinking: false } })).toBe(
      `${open}<think>\n\n</think>\n\n`,
    );
  });

  it("gets the tools, the reasoning and tool calls of messages, and add_generation_prompt", async () => {
    const text = await rendered({
      add_generation_prompt: false,
      tools: [{ type: "function", function: { name: "look_up" } }],
      messages: [
        ...messages,
        {
          role: "assistant",
          reasoning: "Look it up.",
          tool_calls: [{ function: { name: "look_up", arguments: '{"word": "river"}' } }],
        },
        {
          role: "tool",
          content: [
            { type: "text", text: "a large " },
            { type: "text", text: "stream" },
          ],
        },
      ],
    });
    expect(text).toContain('{"type": "function", "function": {"name": "look_up"}}');
    expect(text).toContain("<think>\nLook it up.\n</think>");
    expect(text).toContain('{"name": "look_up", "arguments": {"word": "river"}}');
    expect(text).toMatch(/<\|im_start\|>tool\na large stream<\|im_end\|>\n$/);
  });
});

describe("what the server tells of itself", () => {
  it("lists the model", async () => {
    const response = await pair.app.inject("/v1/models");
    expect(response.json()).toMatchObject({
      object: "list",
      data: [{ id: modelName, object: "model", owned_by: "onpar", max_model_len: contextSize }],
    });
  });

  it("gives what a client needs to render prompts, and no path", async () => {
    const response = await pair.app.inject("/props");
    expect(response.json()).toMatchObject({
      chat_template: pair.engine.info.chatTemplate,
      eos_token: "<|im_end|>",
      bos_token: pair.engine.info.specialTokens["bos_token"] ?? "",
      total_slots: 2,
      default_generation_settings: { n_ctx: contextSize, speculative: true },
    });
    expect(response.body).not.toContain(pair.engine.info.model.path ?? "");
  });

  it("is healthy and has a version", async () => {
    expect((await pair.app.inject("/health")).statusCode).toBe(200);
    expect((await pair.app.inject("/version")).json()).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
  });
});
