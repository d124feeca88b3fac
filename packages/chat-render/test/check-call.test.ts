import { describe, expect, test } from "vitest";
import { applyChatTemplate, parseConversation, type ChatTemplate, type Conversation } from "../src/index.ts";
import type { RenderOptions } from "../src/index.ts";
import { errorOf } from "./support/outcome.ts";

const template = "{% for m in messages %}[{{ m.role }}:{{ m.content }}]{% endfor %}{{ bos_token }}";
const conversation: Conversation = { messages: [{ role: "user", content: "Hi" }] };

/** What callers without types pass. */
function refusal(options: unknown, of: unknown = conversation, from: unknown = template): string {
  const { code, message } = errorOf(() =>
    applyChatTemplate(from as ChatTemplate, of as Conversation, options as RenderOptions),
  );
  return `${code} ${message}`;
}

describe("what is passed without types is named where it is wrong", () => {
  test.each([
    [null, "got null"],
    [[{ role: "user" }], "got a list"],
    ["Hi", 'got "Hi"'],
  ])("the conversation %j", (of, got) => {
    expect(refusal({}, of)).toBe(
      `MESSAGES_INVALID conversation: expected an object with \`messages\`, ${got}`,
    );
  });

  test.each([
    [3, "got 3"],
    [null, "got null"],
    [{}, "got another object"],
    [[{ name: "default" }], "got a list of something else"],
  ])("the template %j", (from, got) => {
    expect(refusal({}, conversation, from)).toBe(
      `TEMPLATE_MISSING template: expected a text, what loadChatTemplate gave, or a list of { name, template }, ${got}`,
    );
  });

  test.each([
    [{ addGenerationPrompt: "yes" }, 'addGenerationPrompt: expected true or false, got "yes"'],
    [{ continueFinalMessage: 1 }, "continueFinalMessage: expected true, false or the name of a field, got 1"],
    [{ kwargs: [1] }, "kwargs: expected an object of variables, got a list"],
    [
      { specialTokens: { bos_token: 1 } },
      "specialTokens: expected an object of texts, or of lists of them, got another object",
    ],
    [{ now: "2026-12-01" }, 'now: expected a Date, got "2026-12-01"'],
    [{ now: new Date(Number.NaN) }, "now: expected a Date, got an invalid Date"],
    [{ limits: { steps: -1 } }, "limits.steps: expected a number that is not below zero, got -1"],
    [
      { as: "vLLM" },
      'as: expected one of "transformers", "vllm", "sglang", "llama.cpp", "huggingface-js", or a view, got "vLLM"',
    ],
    [{ kwargs: { day: new Date(0) } }, "kwargs.day: a Date means nothing to a template"],
    [{ kwargs: { names: new Set() } }, "kwargs.names: a Set means nothing to a template"],
  ])("%j", (options, message) => {
    expect(refusal(options)).toBe(`MESSAGES_INVALID ${message}`);
  });

  test("null stands for what is not set", () => {
    const nothing = {
      addGenerationPrompt: null,
      continueFinalMessage: null,
      specialTokens: { bos_token: null },
      kwargs: null,
      chatTemplate: null,
      now: null,
      as: null,
      limits: { steps: null },
    } as unknown as RenderOptions;
    expect(applyChatTemplate(template, conversation, nothing).text).toBe("[user:Hi]");
  });

  test("JSON text may begin with a byte order mark, and is a text", () => {
    const { messages } = parseConversation('\ufeff[{"role": "user", "content": "Hi"}]');
    expect(applyChatTemplate(template, { messages: messages as never }).text).toBe("[user:Hi]");
    expect(errorOf(() => parseConversation(3 as unknown as string)).message).toBe(
      "JSON: expected a text, got a number",
    );
  });
});
