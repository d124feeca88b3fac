import { describe, expect, test } from "vitest";
import { applyChatTemplate, compileChatTemplate } from "../src/index.ts";
import { errorOf, outcomeOf } from "./support/outcome.ts";
import { endless, nested, outside, refused } from "./support/hostile-templates.ts";

const hi = { messages: [{ role: "user", content: "Hi" }] };
const limits = ["STEP_LIMIT", "TIME_LIMIT", "OUTPUT_LIMIT", "SIZE_LIMIT", "DEPTH_LIMIT"];

describe("templates without end", () => {
  test.each(endless)("$name", ({ template, line }) => {
    const error = errorOf(() => applyChatTemplate(template, hi));
    expect(limits.includes(error.code) || error.pythonClass !== null, `${error.code} ${error.message}`).toBe(
      true,
    );
    expect(error.line).toBe(line);
  });

  test.each(refused)("%s", (_, template, pythonClass) => {
    expect(errorOf(() => applyChatTemplate(template, hi)).pythonClass).toBe(pythonClass);
  });

  test.each(nested)("nested %s end in an error or a text", (_, template) => {
    expect(outcomeOf(() => applyChatTemplate(template, hi).text)).toMatch(/^(?:text|limit|[A-Z]\w+Error:)/u);
  });
});

describe("what lies behind values", () => {
  test.each(outside)("%s is not there", (expression) => {
    expect(applyChatTemplate(`{{ (${expression}) is defined }}`, hi).text).toBe("False");
  });

  test("keys of that name are data", () => {
    const messages = [{ role: "user", ["__proto__"]: { a: 1 }, constructor: 2, toString: 3 }];
    const own = JSON.parse('{"__proto__": {"a": 1}, "role": "user"}') as Record<string, unknown>;
    const template = "{{ messages[0].constructor }}{{ messages[0].toString }}{{ messages[1]['__proto__'] }}";
    expect(applyChatTemplate(template, { messages: [...messages, own] }).text).toBe("23{'a': 1}");
  });

  test("a template cannot change what it is given", () => {
    const conversation = {
      messages: [{ role: "user", content: "Hi", extra: { a: [1] } }],
      tools: [{ b: 1 }],
    };
    const before = structuredClone(conversation);
    applyChatTemplate(
      "{% set ns = namespace(m=messages[0]) %}{% set ns.m = 1 %}{% set messages = [] %}",
      conversation,
    );
    expect(conversation).toEqual(before);
  });

  test("values that hold themselves, or are no data, are refused by their place", () => {
    const loop: Record<string, unknown> = { role: "user" };
    loop["self"] = loop;
    expect(errorOf(() => applyChatTemplate("x", { messages: [loop] })).message).toMatch(
      /^messages\[0\]\.self\.self.*: is nested deeper than 500 levels, or holds itself$/u,
    );
    const withFunction = { messages: [hi.messages[0] ?? {}, { role: "user", content: () => "x" }] };
    expect(errorOf(() => applyChatTemplate("x", withFunction))).toMatchObject({
      code: "MESSAGES_INVALID",
      message: "messages[1].content: a function means nothing to a template",
      messageIndex: 1,
      field: "content",
    });
  });
});

describe("limits", () => {
  test("steps, output, one value and nesting can be set", () => {
    const loop = "{% for i in range(99) %}{{ i }}{% endfor %}";
    expect(errorOf(() => applyChatTemplate(loop, hi, { limits: { steps: 50 } })).code).toBe("STEP_LIMIT");
    expect(errorOf(() => applyChatTemplate(loop, hi, { limits: { output: 50 } })).code).toBe("OUTPUT_LIMIT");
    expect(
      errorOf(() => applyChatTemplate("{{ messages[0].content * 99 }}", hi, { limits: { size: 50 } })).code,
    ).toBe("SIZE_LIMIT");
    expect(applyChatTemplate(loop, hi, { limits: { steps: 5000, output: 500 } }).text).toHaveLength(188);
  });

  test("a text of exactly the limit is fine", () => {
    expect(applyChatTemplate("{{ 'abcd' }}e", hi, { limits: { output: 5 } }).text).toBe("abcde");
    expect(errorOf(() => applyChatTemplate("{{ 'abcd' }}ef", hi, { limits: { output: 5 } })).code).toBe(
      "OUTPUT_LIMIT",
    );
  });

  /** A clock on which a millisecond goes by at every look. */
  function ticking(): () => number {
    let time = 0;
    return () => (time += 1);
  }
  const letters = "{% for c in messages[0].content %}{% if c == 'b' %}{{ c }}{% endif %}{% endfor %}";

  test("work that the conversation does not explain ends by the clock", () => {
    const endlessLoop = "\n{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}";
    let looks = 0;
    const tick = ticking();
    const clock = (): number => ((looks += 1), tick());
    const error = errorOf(() => applyChatTemplate(endlessLoop, hi, { limits: { milliseconds: 20 }, clock }));
    expect(error).toMatchObject({ code: "TIME_LIMIT", line: 2, pythonClass: null });
    expect(error.message).toMatch(/^the template takes more than 20 ms/u);
    expect(looks).toBeGreaterThan(5);
    expect(looks).toBeLessThan(25);
  });

  test("work in proportion to the conversation is done on the slowest machine", () => {
    const long = { messages: [{ role: "user", content: "ab".repeat(300_000) }] };
    const options = { limits: { milliseconds: 0 }, clock: ticking() };
    expect(applyChatTemplate(letters, long, options).text).toHaveLength(300_000);
    const twice = `{% for i in range(20) %}${letters}{% endfor %}`;
    expect(errorOf(() => applyChatTemplate(twice, long, options)).code).toBe("TIME_LIMIT");
  });

  test("trials of a view share one clock", () => {
    const macro =
      "{% macro m(n) %}{% if n > 0 %}{{ m(n-1) }}{{ m(n-1) }}{% endif %}{% endmacro %}{{ m(60) }}";
    let looks = 0;
    const tick = ticking();
    const clock = (): number => ((looks += 1), tick());
    const options = { as: "llama.cpp", limits: { milliseconds: 20 }, clock } as const;
    expect(errorOf(() => applyChatTemplate(macro, hi, options)).code).toBe("TIME_LIMIT");
    expect(looks).toBeLessThan(25);
  });

  test("a template of too many tags is refused before it is parsed", () => {
    expect(errorOf(() => compileChatTemplate("{{ a }}\n".repeat(40_000)))).toMatchObject({
      code: "SIZE_LIMIT",
      message: "the template has more than 75000 tokens",
    });
  });

  test("every render has its own", () => {
    const compiled = compileChatTemplate("{% for i in range(50) %}{{ i }}{% endfor %}");
    for (let render = 0; render < 10; render += 1) {
      expect(compiled.render(hi, { limits: { steps: 500 } }).text).toHaveLength(90);
    }
  });

  test("an oversized template is refused", () => {
    expect(errorOf(() => compileChatTemplate("x".repeat(1_000_001))).code).toBe("TEMPLATE_SYNTAX");
  });
});
