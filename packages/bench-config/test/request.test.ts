import { describe, expect, test } from "vitest";
import {
  configLayerFromFlags,
  effectiveTemplateMode,
  requestFields,
  resolveConfig,
  stoppingRule,
  templateKwargs,
} from "../src/index.ts";
import type { BenchConfig, FlagValues } from "../src/index.ts";

function configOf(values: FlagValues): BenchConfig {
  return resolveConfig([configLayerFromFlags(values)]).config;
}

describe("stopping rule", () => {
  test.each<[FlagValues, ReturnType<typeof stoppingRule>]>([
    [{}, { name: "ignore-eos", cap: 128 }],
    [{ outputLen: "64" }, { name: "ignore-eos", cap: 64 }],
    [{ maxTokens: "32" }, { name: "ignore-eos", cap: 32 }],
    [
      { ignoreEos: false, outputLen: "512" },
      { name: "eos", cap: 512 },
    ],
  ])("%j", (values, rule) => {
    expect(stoppingRule(configOf(values))).toEqual(rule);
  });
});

describe("template", () => {
  test.each<[FlagValues, string]>([
    [{}, "none"],
    [{ skipChatTemplate: false }, "client-side"],
    [{ endpoint: "engine", model: "m" }, "none"],
    [{ endpoint: "engine", model: "m", skipChatTemplate: false }, "client-side"],
    [{ endpoint: "chat-completions" }, "server-side"],
    [{ endpoint: "chat-completions", skipChatTemplate: false }, "server-side"],
  ])("%j", (values, mode) => {
    expect(effectiveTemplateMode(configOf(values))).toBe(mode);
  });

  test.each<[FlagValues, Record<string, unknown>]>([
    [{}, {}],
    [{ enableThinking: false }, { enable_thinking: false }],
    [
      { enableThinking: true, chatTemplateKwargs: '{"a": [1]}' },
      { a: [1], enable_thinking: true },
    ],
    [{ chatTemplateKwargs: '{"enable_thinking": null}' }, { enable_thinking: null }],
  ])("variables of %j", (values, kwargs) => {
    expect(templateKwargs(configOf({ endpoint: "chat-completions", ...values }))).toStrictEqual(kwargs);
  });
});

describe("request fields", () => {
  test("the default protocol says everything", () => {
    expect(requestFields(configOf({}))).toStrictEqual({
      max_tokens: 128,
      ignore_eos: true,
      temperature: 0,
      top_p: 1,
      top_k: -1,
      min_p: 0,
      repetition_penalty: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      seed: 0,
    });
  });

  test("EOS honoured is said too, and stop texts are sent", () => {
    const config = configOf({ ignoreEos: false, stop: ["a", "b"], seed: "3", topK: "40", maxTokens: "9" });
    expect(requestFields(config)).toMatchObject({
      ignore_eos: false,
      stop: ["a", "b"],
      seed: 3,
      top_k: 40,
      max_tokens: 9,
    });
  });

  test("a change to the fields does not change the configuration", () => {
    const config = configOf({ ignoreEos: false, stop: ["a"] });
    const { stop } = requestFields(config);
    (stop as string[]).push("b");
    expect(config.stop).toEqual(["a"]);
  });
});
