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

describe.runIf(hasShared("cases"))("cases from public reports", () => {
  const names = sharedNames("cases", ".json").filter((name) => name.startsWith("D"));

  test.each(names)("%s", (name) => {
    const given = JSON.parse(sharedText(`cases/${name}.json`)) as TemplateCase;
    const { input, expected } = given;
    if (expected.raises_contains !== undefined) {
      expect(errorOf(() => render(given)).message).toContain(expected.raises_contains);
    } else {
      const { text, warnings } = render(given);
      expect(text).toBe(expected.rendered);
      for (const variable of expected.unused_variables ?? []) {
        expect(warnings).toContainEqual({
          code: "UNUSED_VARIABLE",
          message: `the template has no variable ${variable}: setting it changes nothing`,
        });
      }
    }
    if (expected.rendered_with_enable_thinking_true !== undefined) {
      const { enable_thinking: _, ...unset } = input.vars;
      expect(render(given, { ...input.vars, enable_thinking: true }).text).toBe(
        expected.rendered_with_enable_thinking_true,
      );
      expect(render(given, unset).text).toBe(expected.rendered_with_enable_thinking_true);
    }
    if (expected.same_for_enable_thinking_true_and_false === true) {
      expect(render(given, { ...input.vars, enable_thinking: true }).text).toBe(render(given).text);
    }
    if (expected.rendered_without_date_string !== undefined) {
      const { date_string: _, ...unset } = input.vars;
      expect(render(given, unset).text).toBe(expected.rendered_without_date_string);
    }
    if (expected.rendered_after_joining_parts !== undefined) {
      // vLLM and llama.cpp join the parts for such a template, each with a line end.
      expect(render(given, input.vars, { as: "vllm" }).text).toBe(expected.rendered_after_joining_parts);
      expect(render(given, input.vars, { as: "llama.cpp" }).text).toBe(expected.rendered_after_joining_parts);
    }
  });
});
