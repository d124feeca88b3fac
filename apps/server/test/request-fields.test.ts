import { describe, expect, it } from "vitest";

import { createApp } from "../src/index.ts";
import { endOf, post, postStream, streamedText, type Answer, type ErrorAnswer } from "./support/http.ts";
import { servedPair } from "./support/served-pair.ts";

const pair = servedPair();
const chatUrl = "/v1/chat/completions";
const completionUrl = "/v1/completions";
const messages = [{ role: "user", content: "Define the word: river" }];
const greedy = { temperature: 0, chat_template_kwargs: { enable_thinking: false } };
const schema = {
  type: "object",
  properties: { word: { type: "string", maxLength: 12 }, long: { type: "boolean" } },
  required: ["word", "long"],
  additionalProperties: false,
};
const lookUp = { type: "function", function: { name: "look_up", parameters: schema } };

interface Logprob {
  readonly token: string;
  readonly logprob: number;
  readonly top_logprobs: readonly { readonly token: string; readonly logprob: number }[];
}
interface TokenChoice {
  readonly text?: string;
  readonly token_ids?: readonly number[];
  readonly prompt_token_ids?: readonly number[];
  readonly logprobs: {
    readonly content?: readonly Logprob[];
    readonly tokens?: readonly string[];
    readonly token_logprobs?: readonly number[];
    readonly text_offset?: readonly number[];
  } | null;
}

describe("several outputs", () => {
  it("of one request differ by seed, and stand in order of prompt and output", async () => {
    const body = { prompt: ["The river", "Count"], n: 2, seed: 3, temperature: 0.9, max_tokens: 12 };
    const answer = await post<Answer>(pair.app, completionUrl, body);
    expect(answer.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
    expect(answer.choices[0]?.text).not.toBe(answer.choices[1]?.text);
    const one = await post<Answer>(pair.app, completionUrl, { ...body, prompt: "Count", n: 1, seed: 4 });
    expect(one.choices[0]?.text).toBe(answer.choices[3]?.text);
    const prompts = ["The river", "Count"].map((text) => pair.engine.tokenize(text).length);
    expect(answer.usage?.prompt_tokens).toBe(prompts.reduce((a, b) => a + b, 0));

    const chunks = await postStream(pair.app, completionUrl, body);
    for (const { index, text } of answer.choices) {
      const streamed = chunks.flatMap(({ choices }) => choices).filter((choice) => choice.index === index);
      expect(streamed.map((choice) => choice.text ?? "").join("")).toBe(text);
    }
  });
});

describe("token ids and log-probabilities", () => {
  it("are given on request, whole and streamed", async () => {
    const body = { prompt: "The river", temperature: 0, max_tokens: 12, logprobs: 2, return_token_ids: true };
    const whole = await post<{ choices: readonly TokenChoice[] }>(pair.app, completionUrl, body);
    const choice = whole.choices[0];
    expect(choice?.prompt_token_ids).toEqual(pair.engine.tokenize("The river", { addSpecial: true }));
    expect(pair.engine.detokenize(choice?.token_ids ?? [])).toBe(choice?.text);
    expect(choice?.logprobs?.tokens).toHaveLength(choice?.token_ids?.length ?? -1);
    for (const value of choice?.logprobs?.token_logprobs ?? []) expect(value).toBeLessThanOrEqual(0);
    expect(choice?.logprobs?.text_offset?.[0]).toBe(0);

    const chunks = await postStream(pair.app, completionUrl, body);
    const streamed = chunks.flatMap(({ choices }) => choices) as unknown as readonly TokenChoice[];
    expect(streamed.flatMap((one) => one.token_ids ?? [])).toEqual(choice?.token_ids);
    expect(streamed.flatMap((one) => one.logprobs?.tokens ?? [])).toEqual(choice?.logprobs?.tokens);
    expect(streamed.flatMap((one) => one.logprobs?.text_offset ?? [])).toEqual(choice?.logprobs?.text_offset);
  });

  it("of chat list the most probable first", async () => {
    const body = { ...greedy, messages, max_tokens: 6, logprobs: true, top_logprobs: 3 };
    const whole = await post<{ choices: readonly TokenChoice[] }>(pair.app, chatUrl, body);
    const content = whole.choices[0]?.logprobs?.content ?? [];
    expect(content).toHaveLength(6);
    for (const { token, top_logprobs } of content) {
      expect(top_logprobs).toHaveLength(3);
      expect(top_logprobs[0]?.token).toBe(token);
    }
  });
});

describe("response_format", () => {
  const response_format = { type: "json_schema", json_schema: { name: "word", schema } };

  it("holds the output to a schema, whole and streamed", async () => {
    const body = { ...greedy, messages, max_tokens: 80, response_format };
    const whole = await post<Answer>(pair.app, chatUrl, body);
    const content = whole.choices[0]?.message?.content ?? "";
    expect(Object.keys(JSON.parse(content) as object)).toEqual(["word", "long"]);
    expect(streamedText(await postStream(pair.app, chatUrl, body)).content).toBe(content);
  });

  it("with a schema that cannot be used is refused, also as a stream", async () => {
    const broken = {
      type: "json_schema",
      json_schema: { schema: { type: "object", properties: { a: { $ref: "elsewhere" } } } },
    };
    for (const stream of [false, true]) {
      const body = { ...greedy, messages, max_tokens: 5, response_format: broken, stream };
      const { error } = await post<ErrorAnswer>(pair.app, chatUrl, body, 400);
      expect(error.type).toBe("invalid_request_error");
    }
  });
});

describe("tools", () => {
  it("are called when the request names one, and its arguments follow its schema", async () => {
    const body = {
      ...greedy,
      messages,
      max_tokens: 80,
      tools: [lookUp],
      tool_choice: { type: "function", function: { name: "look_up" } },
    };
    interface Called {
      readonly choices: readonly {
        readonly message: {
          readonly tool_calls: readonly { function: { name: string; arguments: string } }[];
        };
      }[];
    }
    const answer = await post<Called>(pair.app, chatUrl, body);
    const call = answer.choices[0]?.message.tool_calls[0];
    expect(call?.function.name).toBe("look_up");
    expect(Object.keys(JSON.parse(call?.function.arguments ?? "") as object)).toEqual(["word", "long"]);
  });
});

describe("templates", () => {
  const template = "{% for m in messages %}{{ m.content }}{% endfor %}";

  it("come with requests only where the server allows it", async () => {
    const app = createApp({ engine: pair.engine, requestTemplates: true, limits: { maxTemplateChars: 200 } });
    const body = { messages, chat_template: template };
    const { tokens } = await post<{ tokens: number[] }>(app, "/tokenize", body);
    expect(pair.engine.detokenize(tokens)).toBe("Define the word: river");
    const long = await post<ErrorAnswer>(app, "/tokenize", { messages, chat_template: "x".repeat(201) }, 400);
    expect(long.error.message).toMatch(/201 characters, more than the 200/);
    const refused = await post<ErrorAnswer>(pair.app, "/tokenize", body, 400);
    expect(refused.error.code).toBe("unsupported_parameter");
  });

  it("that never end are stopped, and the next request works", async () => {
    const app = createApp({ engine: pair.engine, requestTemplates: true });
    const hostile =
      "{% for a in range(99999) %}{% for b in range(99999) %}{% for c in range(99999) %}{% endfor %}{% endfor %}{% endfor %}";
    const { error } = await post<ErrorAnswer>(app, chatUrl, { messages, chat_template: hostile }, 400);
    expect(error.code).toBe("template_failed");
    await post<Answer>(app, chatUrl, { ...greedy, messages, max_tokens: 1 });
  });

  it("continue the last message", async () => {
    const begun = [...messages, { role: "assistant", content: "A river is" }];
    const { tokens } = await post<{ tokens: number[] }>(pair.app, "/tokenize", {
      messages: begun,
      continue_final_message: true,
    });
    expect(pair.engine.detokenize(tokens, { renderSpecial: true })).toMatch(/A river is$/);
  });
});

describe("the rest", () => {
  it("tells timings as llama.cpp does when they are asked for", async () => {
    const body = { ...greedy, messages, max_tokens: 40, timings_per_token: true };
    interface Timed {
      readonly timings?: Readonly<Record<string, number>>;
    }
    const whole = await post<Answer & Timed>(pair.app, chatUrl, body);
    expect(whole.timings?.["predicted_n"]).toBe(whole.usage?.completion_tokens);
    expect(whole.timings?.["draft_n"]).toBe(whole.metrics?.speculative_decoding.num_draft_tokens);
    const chunks: readonly (Answer & Timed)[] = await postStream(pair.app, chatUrl, body);
    expect(chunks.at(-1)?.timings?.["predicted_n"]).toBe(whole.usage?.completion_tokens);
    expect(endOf(chunks).finish_reason).toBe(whole.choices[0]?.finish_reason);
  });

  it("shares cached prefixes among requests of one salt alone", async () => {
    const body = { prompt: "word ".repeat(60), temperature: 0, max_tokens: 1 };
    const hits = () => pair.engine.counters().prefixCacheHits ?? 0;
    const cached = async (fields: object) => {
      const before = hits();
      const answer = await post<Answer>(pair.app, completionUrl, { ...body, ...fields });
      const told = answer.usage?.prompt_tokens_details?.cached_tokens ?? -1;
      expect(hits() - before).toBe(told);
      return told;
    };
    await pair.engine.resetPrefixCache();
    expect(await cached({})).toBe(0);
    expect(await cached({})).toBeGreaterThan(0);
    expect(await cached({ cache_salt: "mine" })).toBe(0);
    expect(await cached({ cache_salt: "mine" })).toBeGreaterThan(0);
    expect(await cached({ cache_salt: "another's" })).toBe(0);
    expect(await cached({ cache_salt: "another's" })).toBeGreaterThan(0);
    expect(await cached({ cache_salt: "another's", cache_prompt: false })).toBe(0);
  });

  it("refuses unknown fields in strict mode, and notes them otherwise", async () => {
    const notes: string[] = [];
    const strict = createApp({ engine: pair.engine, strict: true });
    const body = { prompt: "x", max_tokens: 1, ignore_eoss: "a secret" };
    const { error } = await post<ErrorAnswer>(strict, completionUrl, body, 400);
    expect(error).toMatchObject({ code: "unknown_parameter", param: "ignore_eoss" });
    const app = createApp({ engine: pair.engine, onNote: (note) => notes.push(note) });
    await post<Answer>(app, completionUrl, body);
    expect(notes).toEqual(["ignored fields of a request: ignore_eoss"]);
  });
});
