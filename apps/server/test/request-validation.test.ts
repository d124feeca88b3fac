import { describe, expect, it } from "vitest";

import { post, type Answer, type ErrorAnswer } from "./support/http.ts";
import { modelName, servedPair } from "./support/served-pair.ts";

const pair = servedPair();
const messages = [{ role: "user", content: "Define the word: river" }];
const chat = (fields: object) => ({ messages, max_tokens: 1, ...fields });
const completion = (fields: object) => ({ prompt: "The river", max_tokens: 1, ...fields });

describe("chat completions refuse", () => {
  const refused: readonly [param: string | null, body: object, message: RegExp][] = [
    ["messages", { max_tokens: 1 }, /^messages: expected array/],
    ["messages", { messages: [] }, /^messages: /],
    ["messages[0].role", { messages: [{ role: "robot", content: "" }] }, /^messages\[0\]\.role: /],
    ["messages[1].content", { messages: [...messages, { role: "user" }] }, /is required/],
    [
      "messages[0].content",
      { messages: [{ role: "user", content: 5 }] },
      /expected a string or an array of text/,
    ],
    [
      "messages[0].content[1].type",
      {
        messages: [
          {
            role: "user",
            content: [
              { type: "text", text: "a" },
              { type: "image_url", image_url: {} },
            ],
          },
        ],
      },
      /only text parts/,
    ],
    [
      "messages[0].tool_calls[0].function.arguments",
      { messages: [{ role: "assistant", tool_calls: [{ function: { name: "f", arguments: "{" } }] }] },
      /is not valid JSON/,
    ],
    ["temperature", chat({ temperature: "hot" }), /^temperature: expected number, received string$/],
    ["temperature", chat({ temperature: -0.1 }), /^temperature: /],
    ["top_p", chat({ top_p: 0 }), /^top_p: /],
    ["top_k", chat({ top_k: -2 }), /^top_k: /],
    ["min_p", chat({ min_p: 1.5 }), /^min_p: /],
    ["repetition_penalty", chat({ repetition_penalty: 0 }), /^repetition_penalty: /],
    ["presence_penalty", chat({ presence_penalty: 3 }), /^presence_penalty: /],
    ["frequency_penalty", chat({ frequency_penalty: -3 }), /^frequency_penalty: /],
    ["max_tokens", chat({ max_tokens: 0 }), /^max_tokens: /],
    ["max_completion_tokens", chat({ max_completion_tokens: 1.5 }), /^max_completion_tokens: /],
    ["seed", chat({ seed: "1" }), /^seed: /],
    ["stop", chat({ stop: Array.from({ length: 17 }, () => "x") }), /^stop: /],
    ["stop", chat({ stop: "" }), /^stop: /],
    ["stop_token_ids", chat({ stop_token_ids: [4096] }), /token id 4096 is outside the vocabulary/],
    ["ignore_eos", chat({ ignore_eos: 1 }), /^ignore_eos: expected boolean/],
    ["min_tokens", chat({ min_tokens: 2 }), /is 2, more than the output cap of 1/],
    ["stream", chat({ stream: "yes" }), /^stream: /],
    ["stream_options", chat({ stream_options: { include_usage: true } }), /only allowed with stream: true/],
    ["chat_template_kwargs", chat({ chat_template_kwargs: "x" }), /^chat_template_kwargs: /],
    ["chat_template_kwargs.messages", chat({ chat_template_kwargs: { messages: [] } }), /not a variable/],
    ["chat_template", chat({ chat_template: "{{ 1 }}" }), /templates from requests are off/],
    ["n", chat({ n: 129 }), /^n: 129 outputs are more than the 128/],
    ["n", chat({ n: 2, temperature: 0 }), /^n: must be 1/],
    ["top_logprobs", chat({ top_logprobs: 2 }), /needs logprobs: true/],
    ["top_logprobs", chat({ logprobs: true, top_logprobs: 21 }), /^top_logprobs: /],
    ["logit_bias", chat({ logit_bias: { 5: 1 } }), /^logit_bias: /],
    ["response_format.type", chat({ response_format: { type: "xml" } }), /^response_format\.type: /],
    ["ignore_eos", chat({ response_format: { type: "json_object" }, ignore_eos: true }), /beside a format/],
    ["tool_choice", chat({ tool_choice: { type: "function", function: { name: "f" } } }), /has no tools/],
    ["tool_choice", chat({ tool_choice: "required" }), /^tool_choice: /],
    [
      "continue_final_message",
      chat({ continue_final_message: true, add_generation_prompt: true }),
      /^continue_final_message: excludes/,
    ],
  ];

  it.each(refused)("%s of %j", async (param, body, message) => {
    const { error } = await post<ErrorAnswer>(pair.app, "/v1/chat/completions", body, 400);
    expect(error).toMatchObject({ param, type: "invalid_request_error" });
    expect(error.message).toMatch(message);
  });
});

describe("completions refuse", () => {
  const refused: readonly [param: string | null, body: object, message: RegExp][] = [
    ["prompt", {}, /^prompt: expected a string/],
    ["prompt", { prompt: [] }, /^prompt: is empty|has no tokens/],
    ["prompt", { prompt: Array.from({ length: 65 }, () => "a"), n: 2 }, /2 outputs of each of 65 prompts/],
    ["prompt", { prompt: [1, "a"] }, /^prompt: expected a string/],
    ["prompt", { prompt: [5, 4096] }, /token id 4096 is outside the vocabulary \(0 to 4095\)/],
    ["prompt", { prompt: "" }, /has no tokens/],
    ["echo", completion({ echo: true }), /^echo: /],
    ["logprobs", completion({ logprobs: 21 }), /^logprobs: /],
    ["best_of", completion({ best_of: 3 }), /^best_of: /],
    ["suffix", completion({ suffix: "end" }), /^suffix: /],
  ];

  it.each(refused)("%s of %j", async (param, body, message) => {
    const { error } = await post<ErrorAnswer>(pair.app, "/v1/completions", body, 400);
    expect(error.param).toBe(param);
    expect(error.message).toMatch(message);
  });
});

describe("requests are taken", () => {
  const accepted: readonly object[] = [
    chat({ n: 1, logprobs: false, logit_bias: {}, response_format: { type: "text" }, tool_choice: "auto" }),
    chat({
      temperature: null,
      top_p: null,
      stop: null,
      seed: null,
      stream_options: null,
      max_tokens: null,
      max_completion_tokens: 1,
    }),
    chat({ stop: Array.from({ length: 16 }, (_, index) => `stop ${index}`), top_k: -1, min_p: 0 }),
    chat({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "Define " },
            { type: "text", text: "river" },
          ],
        },
      ],
    }),
    chat({
      tools: [{ type: "function", function: { name: "look_up", parameters: {} } }],
      messages: [
        ...messages,
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "1", type: "function", function: { name: "look_up", arguments: '{"word": "river"}' } },
          ],
        },
        { role: "tool", tool_call_id: "1", content: "a large stream" },
      ],
    }),
  ];

  it.each(accepted.map((body) => [body]))("%j", async (body) => {
    const answer = await post<Answer>(pair.app, "/v1/chat/completions", body);
    expect(answer.usage?.completion_tokens).toBe(1);
    expect(answer.model).toBe(modelName);
  });

  it("with the fields that did nothing named in a header", async () => {
    const body = chat({ ignore_eoss: true, user: "someone", "bad name\n": 1, priority: null });
    const { headers } = await post<Answer>(pair.app, "/v1/chat/completions", body);
    expect(headers["x-onpar-ignored-fields"]).toBe("ignore_eoss, user, bad?name?");
    const plain = await post<Answer>(pair.app, "/v1/chat/completions", chat({}));
    expect(plain.headers).not.toHaveProperty("x-onpar-ignored-fields");
  });

  it("with the prompt as text, as a list of one, and as token ids alike", async () => {
    const text = "The river runs";
    const ids = pair.engine.tokenize(text);
    const texts = [];
    for (const prompt of [text, [text], ids, [ids]]) {
      const answer = await post<Answer>(pair.app, "/v1/completions", {
        prompt,
        temperature: 0,
        max_tokens: 12,
      });
      expect(answer.usage?.prompt_tokens).toBe(ids.length);
      texts.push(answer.choices[0]?.text);
    }
    expect(new Set(texts).size).toBe(1);
  });
});
