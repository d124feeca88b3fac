import { describe, expect, test } from "vitest";
import { applyChatTemplate, type RenderOptions, type RenderedPrompt } from "../src/index.ts";
import { errorOf } from "./support/outcome.ts";
import { hasShared, sharedNames, sharedText } from "./support/shared.ts";

interface TemplateCase {
  readonly input: {
    readonly template: string;
    readonly messages: readonly Readonly<Record<string, unknown>>[];
    readonly vars: Readonly<Record<string, unknown>>;
    readonly now?: string;
  };
  readonly expected: {
    readonly rendered?: string;
    readonly raises_contains?: string;
    readonly unused_variables?: readonly string[];
    readonly rendered_with_enable_thinking_true?: string;
    readonly rendered_without_date_string?: string;
    readonly rendered_after_joining_parts?: string;
    readonly same_for_enable_thinking_true_and_false?: boolean;
  };
}

function render({ input }: TemplateCase, vars = input.vars, more: RenderOptions = {}): RenderedPrompt {
  const { bos_token, eos_token, add_generation_prompt, tools, ...kwargs } = vars;
  return applyChatTemplate(
    input.template,
    { messages: input.messages, tools: (tools as readonly Readonly<Record<string, unknown>>[]) ?? null },
    {
      addGenerationPrompt: add_generation_prompt === true,
      specialTokens: { bos_token: String(bos_token), eos_token: String(eos_token) },
      kwargs,
      ...(input.now === undefined ? {} : { now: new Date(input.now) }),
      ...more,
    },
  );
}

/** What a case expects beside what comes out, by the names of the case. */
function compared(
  given: TemplateCase,
): Readonly<Record<string, readonly [actual: unknown, wanted: unknown]>> {
  const { input, expected } = given;
  const { enable_thinking: _thinking, ...withoutThinking } = input.vars;
  const { date_string: _date, ...withoutDate } = input.vars;
  const thinking = { ...input.vars, enable_thinking: true };
  const rows: Record<string, readonly [unknown, unknown]> = {};
  if (expected.raises_contains !== undefined) {
    const { message } = errorOf(() => render(given));
    rows["raises"] = [message.includes(expected.raises_contains), true];
  } else {
    rows["rendered"] = [render(given).text, expected.rendered];
  }
  if (expected.unused_variables !== undefined) {
    rows["unused"] = [
      render(given).warnings.map(({ message }) => message),
      expected.unused_variables.map(
        (name) => `the template has no variable ${name}: setting it changes nothing`,
      ),
    ];
  }
  if (expected.rendered_with_enable_thinking_true !== undefined) {
    rows["thinking"] = [render(given, thinking).text, expected.rendered_with_enable_thinking_true];
    rows["unset"] = [render(given, withoutThinking).text, expected.rendered_with_enable_thinking_true];
  }
  if (expected.same_for_enable_thinking_true_and_false === true) {
    rows["same"] = [render(given, thinking).text, render(given).text];
  }
  if (expected.rendered_without_date_string !== undefined) {
    rows["dateless"] = [render(given, withoutDate).text, expected.rendered_without_date_string];
  }
  if (expected.rendered_after_joining_parts !== undefined) {
    // vLLM and llama.cpp join the parts for such a template, each with a line end.
    rows["vllm"] = [render(given, input.vars, { as: "vllm" }).text, expected.rendered_after_joining_parts];
    rows["llama.cpp"] = [
      render(given, input.vars, { as: "llama.cpp" }).text,
      expected.rendered_after_joining_parts,
    ];
  }
  return rows;
}

describe.runIf(hasShared("cases"))("cases from public reports", () => {
  const names = sharedNames("cases", ".json").filter((name) => name.startsWith("D"));

  test.each(names)("%s", (name) => {
    const rows = Object.entries(compared(JSON.parse(sharedText(`cases/${name}.json`)) as TemplateCase));
    expect(rows.map(([what, [actual]]) => [what, actual])).toEqual(
      rows.map(([what, [, wanted]]) => [what, wanted]),
    );
  });
});

test.runIf(!hasShared("cases"))("cases from public reports: not here, nothing was compared", ({ skip }) => {
  expect(hasShared("cases")).toBe(false);
  skip();
});
