import { describe, expect, test } from "vitest";
import { applyChatTemplate, viewNames } from "../src/index.ts";
import type { Conversation, RenderOptions, ViewName } from "../src/index.ts";
import { huggingfaceJs } from "../src/huggingface-js.ts";
import { errorOf } from "./support/outcome.ts";

const dump =
  "{% for m in messages %}{{ m | tojson }}\n{% endfor %}{{ tools | tojson }}{{ add_generation_prompt }}";
const parts = "{% for m in messages %}{% for p in m.content %}[{{ p | tojson }}]{% endfor %}{% endfor %}";
const user = { role: "user", content: "Hi" };

function as(
  view: ViewName,
  template: string,
  conversation: Conversation,
  options: RenderOptions = {},
): string {
  return applyChatTemplate(template, conversation, { as: view, ...options }).text;
}

function warningsOf(view: ViewName, template: string, conversation: Conversation): string[] {
  return applyChatTemplate(template, conversation, { as: view }).warnings.map(({ code }) => code);
}

describe("every view", () => {
  test.each(viewNames)("%s renders a plain conversation alike", (view) => {
    const template =
      "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}";
    const conversation = { messages: [{ role: "system", content: "Be brief." }, user] };
    expect(as(view, template, conversation, { addGenerationPrompt: true })).toBe(
      "<system>Be brief.<user>Hi<assistant>",
    );
  });
});

describe("empty conversations", () => {
  test("render, with a warning; transformers refuses them", () => {
    const { text, warnings } = applyChatTemplate("x{{ messages | length }}", { messages: [] });
    expect([text, warnings.map(({ code }) => code)]).toEqual(["x0", ["EMPTY_CONVERSATION"]]);
    expect(errorOf(() => as("transformers", "x", { messages: [] }))).toMatchObject({
      pythonClass: "ValueError",
      message: "Cannot apply chat template to an empty conversation. Provide at least one message.",
    });
  });
});

describe("vllm", () => {
  test("builds messages anew: known fields, arguments as objects, reasoning under both names", () => {
    const messages = [
      user,
      {
        role: "assistant",
        content: null,
        refusal: null,
        reasoning_content: "hm",
        tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: '{"b": 1.0, "a": 2}' } }],
      },
      {
        role: "tool",
        tool_call_id: "1",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ];
    expect(as("vllm", dump, { messages })).toBe(
      [
        '{"role": "user", "content": "Hi"}',
        '{"role": "assistant", "content": "", "tool_calls": [{"id": "1", "function": {"arguments": {"b": 1.0, "a": 2}, ' +
          '"name": "f"}, "type": "function"}], "reasoning": "hm", "reasoning_content": "hm"}',
        '{"role": "tool", "content": "a\\nb", "tool_call_id": "1"}',
        "nullTrue",
      ].join("\n"),
    );
  });

  test("gives parts to a template that loops over them, and a text to one that does not", () => {
    const given = {
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "a" },
            { type: "text", text: "b" },
          ],
        },
      ],
    };
    expect(as("vllm", parts, { messages: [user] })).toBe('[{"type": "text", "text": "Hi"}]');
    expect(as("vllm", "{{ messages[0].content }}", given)).toBe("a\nb");
    // A macro that is given the content and loops over it counts as well.
    const macro =
      "{% macro show(c) %}{% for p in c %}({{ p.text }}){% endfor %}{% endmacro %}{% for m in messages %}{{ show(m.content) }}{% endfor %}";
    expect(as("vllm", macro, { messages: [user] })).toBe("(Hi)");
  });

  test("writes tools as its request model does", () => {
    const tools = [{ type: "function", function: { parameters: { z: 1, a: 2 }, name: "f", extra: 1 } }];
    expect(as("vllm", "{{ tools | tojson }}", { messages: [user], tools })).toBe(
      '[{"type": "function", "function": {"name": "f", "description": null, "parameters": {"z": 1, "a": 2}}}]',
    );
  });

  test("makes a developer message a system message where the template does not know the role", () => {
    const messages = [{ role: "system", content: "a" }, { role: "developer", content: "b" }, user];
    expect(as("vllm", "{% for m in messages %}{{ m.role }}:{{ m.content }};{% endfor %}", { messages })).toBe(
      "system:a\n\nb;user:Hi;",
    );
    const knows =
      "{% for m in messages %}{{ m.role }}{% if m.role == 'developer' %}!{% endif %};{% endfor %}";
    expect(as("vllm", knows, { messages })).toBe("system;developer!;user;");
  });

  test("refuses variables that are its own", () => {
    const error = errorOf(() => as("vllm", "x", { messages: [user] }, { kwargs: { tokenize: false } }));
    expect(error.message).toBe("Found unexpected chat template kwargs from request: {'tokenize'}");
  });
});

describe("sglang", () => {
  test("turns a last message of the assistant into one of the user, or appends it", () => {
    const messages = [user, { role: "assistant", content: "So" }];
    const template =
      "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}";
    expect(as("sglang", template, { messages })).toBe("<user>Hi<user>So<assistant>");
    expect(as("sglang", template, { messages }, { continueFinalMessage: true })).toBe(
      "<user>Hi<assistant>So",
    );
    expect(warningsOf("sglang", template, { messages })).toEqual(["VIEW_CHANGED_INPUT"]);
  });

  test("writes tools as its request model does, and bare ones where the template refuses them", () => {
    const tools = [{ type: "function", function: { name: "f", parameters: {} } }];
    expect(as("sglang", "{{ tools | tojson }}", { messages: [user], tools })).toBe(
      '[{"type": "function", "function": {"description": null, "name": "f", "parameters": {}, "strict": false}, "defer_loading": null}]',
    );
    const bare =
      "{% if tools[0].function %}{{ raise_exception('bare tools, please') }}{% endif %}{{ tools[0].name }}";
    expect(as("sglang", bare, { messages: [user], tools })).toBe("f");
  });

  test("joins parts with a space, and keeps them for a template that loops over them", () => {
    const messages = [
      {
        role: "user",
        content: [
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
      },
    ];
    expect(as("sglang", "{{ messages[0].content }}", { messages })).toBe("a b");
    expect(as("sglang", parts, { messages })).toBe(
      '[{"type": "text", "text": "a"}][{"type": "text", "text": "b"}]',
    );
    expect(as("sglang", parts, { messages: [user] })).toBe('["H"]["i"]');
  });
});

describe("llama.cpp", () => {
  const now = new Date(2026, 6, 26);

  test("always sets dates, enable_thinking where the template writes reasoning, and tools only when there are any", () => {
    const template =
      "{% for m in messages %}{{ m.reasoning_content }}{{ m.content }}{% endfor %}|" +
      "{{ date_string }}|{{ datetime }}|{{ enable_thinking }}|{{ tools is defined }}|{{ documents is defined }}";
    const conversation = { messages: [user], tools: [] };
    expect(as("llama.cpp", template, conversation, { now })).toBe(
      "Hi|26 Jul 2026|Jul 26 2026|True|False|False",
    );
    expect(as("llama.cpp", template, conversation, { now, kwargs: { enable_thinking: false } })).toContain(
      "2026|False|",
    );
    expect(as("llama.cpp", "{{ enable_thinking }}", conversation)).toBe("False");
  });

  test("leaves out the BOS text, which the server's tokenizer adds", () => {
    const options = { specialTokens: { bos_token: "<s>", eos_token: "</s>" } };
    const template = "{{ bos_token }}{{ messages[0].content }}";
    expect(as("llama.cpp", template, { messages: [user] }, options)).toBe("Hi");
    expect(applyChatTemplate(template, { messages: [user] }, options).beginsWithBos).toBe(true);
    expect(
      applyChatTemplate(template, { messages: [user] }, { ...options, as: "llama.cpp" }).beginsWithBos,
    ).toBe(false);
  });

  test("puts the system message into the next one where the template has no place for it", () => {
    const template =
      "{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system') }}{% endif %}<{{ m.role }}>{{ m.content }}{% endfor %}";
    expect(as("llama.cpp", template, { messages: [{ role: "system", content: "a" }, user] })).toBe(
      "<user>a\nHi",
    );
  });

  test("continues a last message of the assistant", () => {
    const template =
      "{% for m in messages %}<{{ m.role }}>{{ m.content }}</>{% endfor %}{% if add_generation_prompt %}<assistant>{% endif %}";
    const messages = [user, { role: "assistant", content: "So" }];
    expect(as("llama.cpp", template, { messages })).toBe("<user>Hi</><assistant>So");
    expect(
      errorOf(() => as("llama.cpp", template, { messages: [...messages, messages[1] ?? {}] })).message,
    ).toBe("Cannot have 2 or more assistant messages at the end of the list.");
  });

  test("gives arguments as text where the template prints them as they are", () => {
    const call = { type: "function", function: { name: "f", arguments: { a: 1.5, b: "x" } } };
    const messages = [
      user,
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", content: "r" },
    ];
    const printed =
      "{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.function.arguments }}{% endfor %}{% endfor %}";
    expect(as("llama.cpp", printed, { messages })).toBe('{"a":1.5,"b":"x"}');
    const json = printed.replace("arguments }}", "arguments | tojson }}");
    expect(as("llama.cpp", json, { messages })).toBe('{"a": 1.5, "b": "x"}');
  });
});

describe("huggingface-js", () => {
  test("is @huggingface/jinja itself, with its differences", () => {
    const template = "{{ none }}|{{ true }}|{{ [1, none] }}|{{ messages[0].content.strip('H') }}";
    const conversation = { messages: [user] };
    expect(as("transformers", template, conversation)).toBe("None|True|[1, None]|i");
    expect(as("huggingface-js", template, conversation)).toBe("|true|[1, null]|Hi");
    expect(applyChatTemplate(template, conversation, { as: huggingfaceJs }).text).toBe("|true|[1, null]|Hi");
  });

  test("what it cannot do is an error without Python's class", () => {
    const error = errorOf(() => as("huggingface-js", "{{ 'a' is eq 'a' }}", { messages: [user] }));
    expect([error.code, error.pythonClass]).toEqual(["TEMPLATE_FAILED", null]);
    expect(error.message).toMatch(/^@huggingface\/jinja: /u);
  });

  test("floats and the order of keys are those of JSON.parse", () => {
    const messages = [{ role: "user", content: { 10: 1, 9: 2.5 } }];
    expect(as("huggingface-js", "{{ messages[0].content | tojson }}", { messages })).toBe(
      '{"9": 2.5, "10": 1}',
    );
  });
});
