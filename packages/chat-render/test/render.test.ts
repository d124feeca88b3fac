import { describe, expect, test } from "vitest";
import { applyChatTemplate, compileChatTemplate, parseMessages } from "../src/index.ts";
import { errorOf } from "./support/outcome.ts";

const hi = { messages: [{ role: "user", content: "Hi" }] };

describe("variables", () => {
  test("a variable set to undefined is undefined in the template", () => {
    const template = "{% if enable_thinking is defined %}set{% else %}unset{% endif %}";
    expect(applyChatTemplate(template, hi, { kwargs: { enable_thinking: undefined } }).text).toBe("unset");
    expect(applyChatTemplate(template, hi, { kwargs: { enable_thinking: false } }).text).toBe("set");
  });

  test.each(["messages", "tools", "documents", "add_generation_prompt"])(
    "%s cannot be a variable",
    (name) => {
      const error = errorOf(() => applyChatTemplate("x", hi, { kwargs: { [name]: null } }));
      expect(error).toMatchObject({
        code: "MESSAGES_INVALID",
        field: `kwargs.${name}`,
        message: `kwargs.${name}: is always passed and cannot be set as a variable`,
      });
    },
  );

  test("a function of the conversation does not reach the process", () => {
    for (const path of ["constructor", "__proto__", "prototype"]) {
      expect(applyChatTemplate(`{{ messages[0].${path} is defined }}`, hi).text).toBe("False");
      expect(applyChatTemplate(`{{ messages.${path} is defined }}{{ ''.${path} is defined }}`, hi).text).toBe(
        "FalseFalse",
      );
    }
  });

  test("the injected clock is read, else the machine's", () => {
    const now = new Date(2001, 1, 3);
    expect(applyChatTemplate("{{ strftime_now('%F') }}", hi, { now }).text).toBe("2001-02-03");
    expect(applyChatTemplate("{{ strftime_now('%Y') }}", hi).text).toBe(String(new Date().getFullYear()));
  });
});

describe("compiled templates", () => {
  test("renders do not influence each other", () => {
    const template = compileChatTemplate(
      "{% if x is undefined %}{% set x = messages[0].content %}{% endif %}{{ x }}{{ bos_token }}",
    );
    expect(template.render(hi, { specialTokens: { bos_token: "<s>" } }).text).toBe("Hi<s>");
    expect(template.render({ messages: [{ role: "user", content: "Yo" }] }).text).toBe("Yo");
  });

  test("the conversation is not changed", () => {
    const conversation = {
      messages: [{ role: "user", content: "Hi", extra: { a: [1] } }],
      tools: [{ b: 1, a: 2 }],
    };
    const before = structuredClone(conversation);
    applyChatTemplate(
      "{% set ns = namespace(m=messages[0]) %}{% set ns.m = 1 %}{{ tools|tojson }}",
      conversation,
    );
    expect(conversation).toEqual(before);
  });

  test("keys of messages keep their order", () => {
    const messages = [{ zeta: 1, content: "x", alpha: { y: 1, b: 2 }, role: "user" }];
    expect(applyChatTemplate("{{ messages[0]|tojson }}", { messages }).text).toBe(
      '{"zeta": 1, "content": "x", "alpha": {"y": 1, "b": 2}, "role": "user"}',
    );
  });
});

describe("messages", () => {
  test.each<[unknown, string, Record<string, unknown>]>([
    ["Hi", "messages: expected a list of messages, got a string", { field: "messages" }],
    [
      [],
      "Cannot apply chat template to an empty conversation. Provide at least one message.",
      { pythonClass: "ValueError" },
    ],
    [["Hi"], "messages[0]: expected an object with role and content, got a string", { messageIndex: 0 }],
    [
      [{ role: "user", content: "a" }, { content: "b" }],
      "messages[1].role: expected a non-empty text, got nothing",
      { messageIndex: 1, field: "role" },
    ],
    [[{ role: "", content: "a" }], "messages[0].role: expected a non-empty text, got an empty text", {}],
    [
      [{ role: "user", content: 5 }],
      "messages[0].content: expected a text, null or a list of parts, got a number",
      { field: "content" },
    ],
    [
      [{ role: "user", content: [{ type: "text", text: "a" }, "b"] }],
      'messages[0].content[1]: expected an object such as {"type": "text", "text": …}, got a string',
      { field: "content[1]" },
    ],
    [
      [{ role: "assistant", tool_calls: {} }],
      "messages[0].tool_calls: expected a list of tool calls, got an object",
      { field: "tool_calls" },
    ],
    [
      [{ role: "assistant", tool_calls: [{ function: { name: "f", arguments: 3 } }] }],
      "messages[0].tool_calls[0].function.arguments: expected an object or its JSON text, got a number",
      { field: "tool_calls[0].function.arguments" },
    ],
    [
      [{ role: "assistant", tool_calls: [{ function: { arguments: "{}" } }] }],
      "messages[0].tool_calls[0].function.name: expected a non-empty text, got nothing",
      { field: "tool_calls[0].function.name" },
    ],
  ])("%j", (messages, message, details) => {
    expect(errorOf(() => parseMessages(messages))).toMatchObject({
      code: "MESSAGES_INVALID",
      message,
      ...details,
    });
  });

  test("what is valid is returned untouched", () => {
    const messages = [
      { role: "user", content: null },
      { role: "tool" },
      { role: "user", content: [{ type: "text", text: "a" }, { type: "image" }], name: "n" },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "1", function: { name: "f", arguments: '{"a": 1}' } }],
      },
      { role: "assistant", tool_calls: [{ name: "f", arguments: { a: 1 } }], reasoning_content: "hm" },
      { role: "assistant", content: "x", tool_calls: null },
    ];
    const before = structuredClone(messages);
    const parsed = parseMessages(messages);
    expect(parsed).toEqual(before);
    expect(parsed[3]).toBe(messages[3]);
  });

  test("JSON text of arguments is not encoded again", () => {
    const template =
      "{% set f = messages[0].tool_calls[0].function %}{{ f.arguments }}|{{ f.arguments is string }}";
    const messages = [
      { role: "assistant", tool_calls: [{ function: { name: "f", arguments: '{"a": 1}' } }] },
    ];
    expect(applyChatTemplate(template, { messages }).text).toBe('{"a": 1}|True');
  });

  test.each(["tools", "documents"])("%s must be a list of objects", (field) => {
    const conversation = { ...hi, [field]: ["x"] };
    expect(errorOf(() => applyChatTemplate("x", conversation))).toMatchObject({
      code: "MESSAGES_INVALID",
      message: `${field}: expected a list of objects, or null, got a list`,
    });
  });
});
