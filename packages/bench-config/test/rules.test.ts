import { describe, expect, test } from "vitest";
import { ConfigError, configLayerFromFlags, resolveConfig } from "../src/index.ts";
import type { ConfigLayer, FlagValues } from "../src/index.ts";

function outcome(...layers: ConfigLayer[]): string {
  try {
    resolveConfig(layers);
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.message;
    }
    throw error;
  }
  return "accepted";
}

function withFlags(values: FlagValues): string {
  return outcome(configLayerFromFlags(values));
}

const skippedByDefault =
  "cannot be honoured while the chat template is skipped (the default, --skip-chat-template): prompts are sent as " +
  "they are; add --no-skip-chat-template or leave this out";

describe("a skipped template", () => {
  test.each<[FlagValues, string]>([
    [{ chatTemplate: "t.jinja" }, `--chat-template: ${skippedByDefault}`],
    [{ chatTemplateKwargs: '{"a": 1}' }, `--chat-template-kwargs: ${skippedByDefault}`],
    [{ enableThinking: true }, `--enable-thinking: ${skippedByDefault}`],
    [{ enableThinking: false }, `--no-enable-thinking: ${skippedByDefault}`],
    [{ datasetPath: "rows.jsonl", tokenizer: "model" }, `--tokenizer: ${skippedByDefault}`],
    // It counts the tokens of texts that are made, and of answers that caps are taken from.
    [{ tokenizer: "model" }, "accepted"],
    [{ datasetPath: "rows.jsonl", recordedLengths: true, tokenizer: "model" }, "accepted"],
    [{ datasetPath: "rows.jsonl", datasetKind: "trace", tokenizer: "model" }, "accepted"],
    [
      { chatTemplate: "t.jinja", skipChatTemplate: true },
      `--chat-template: ${skippedByDefault.replace("the default, --skip", "--skip")}`,
    ],
    [{ endpoint: "engine", model: "m", enableThinking: true }, `--enable-thinking: ${skippedByDefault}`],
    [{ chatTemplateKwargs: "{}" }, "accepted"],
    [
      {
        skipChatTemplate: false,
        chatTemplate: "t.jinja",
        chatTemplateKwargs: '{"a": 1}',
        enableThinking: false,
        tokenizer: "model",
      },
      "accepted",
    ],
  ])("%j", (values, message) => {
    expect(withFlags(values)).toBe(message);
  });
});

describe("chat-completions", () => {
  test.each<[FlagValues, string]>([
    [
      { skipChatTemplate: true },
      "--skip-chat-template: cannot be honoured on chat-completions, where the server always applies its chat " +
        "template; for raw prompts use --endpoint completions",
    ],
    [
      { chatTemplate: "t.jinja" },
      "--chat-template: cannot be honoured on chat-completions, where the server applies its own chat template; to " +
        "render prompts with this one use --endpoint completions --no-skip-chat-template --chat-template FILE",
    ],
    [
      { datasetPath: "rows.jsonl", tokenizer: "model" },
      "--tokenizer: cannot be honoured on chat-completions, where the server applies its own chat template; to " +
        "render prompts with this model's template use --endpoint completions --no-skip-chat-template",
    ],
    [{ tokenizer: "model" }, "accepted"],
    [{ skipChatTemplate: false, chatTemplateKwargs: '{"a": 1}', enableThinking: false }, "accepted"],
    [{}, "accepted"],
  ])("%j", (values, message) => {
    expect(withFlags({ endpoint: "chat-completions", ...values })).toBe(message);
  });

  test("a file that skips the template is refused as well", () => {
    const file: ConfigLayer = { source: "file", value: { skipChatTemplate: true } };
    expect(outcome(file, configLayerFromFlags({ endpoint: "chat-completions" }))).toMatch(
      /^skipChatTemplate \(file\): cannot be honoured on chat-completions/u,
    );
  });
});

const needsEngine =
  "only the in-process engine can honour this, and the endpoint is completions; add --endpoint engine, or set it on " +
  "the server";

describe("contradictions", () => {
  test.each<[FlagValues, string]>([
    [
      { skipChatTemplate: false, enableThinking: true, chatTemplateKwargs: '{"enable_thinking": false}' },
      "--enable-thinking: sets enable_thinking to true, --chat-template-kwargs sets it to false; keep one",
    ],
    [
      { skipChatTemplate: false, enableThinking: false, chatTemplateKwargs: '{"enable_thinking": null}' },
      "--no-enable-thinking: sets enable_thinking to false, --chat-template-kwargs sets it to null; keep one",
    ],
    [
      { skipChatTemplate: false, enableThinking: false, chatTemplateKwargs: '{"enable_thinking": false}' },
      "accepted",
    ],
    [{ draftModel: "d.gguf" }, `--draft-model: ${needsEngine}`],
    [{ draftTokens: "3" }, `--draft-tokens: ${needsEngine}`],
    // Given, so it is refused even though it changes nothing.
    [{ draftTokens: "5" }, `--draft-tokens: ${needsEngine}`],
    [{ ctx: "4096" }, `--ctx: ${needsEngine}`],
    [{ threads: "2" }, `--threads: ${needsEngine}`],
    [{ threads: "auto" }, `--threads: ${needsEngine}`],
    [{ draftLength: "adaptive" }, `--draft-length: ${needsEngine}`],
    [{ gpu: "auto" }, `--gpu: ${needsEngine}`],
    [
      { endpoint: "engine", model: "m.gguf", draftLength: "adaptive" },
      "--draft-length: nothing is drafted; add --draft-model FILE, or --speculative-config for prompt lookup",
    ],
    [
      {
        endpoint: "engine",
        model: "m.gguf",
        draftLength: "adaptive",
        speculativeConfig: '{"method":"ngram"}',
        threads: "auto",
        gpu: "vulkan",
      },
      "accepted",
    ],
    [{ engineModel: "m.gguf" }, `--engine-model: ${needsEngine}`],
    [{ endpoint: "engine" }, "--endpoint: the in-process engine needs a model file; add --model FILE"],
    [
      { endpoint: "engine", model: "m.gguf", draftTokens: "3" },
      "--draft-tokens: nothing is drafted without a draft model; add --draft-model FILE",
    ],
    [
      { endpoint: "engine", model: "m.gguf", draftModel: "d.gguf", draftTokens: "3", threads: "2" },
      "accepted",
    ],
    [
      { endpoint: "engine", model: "m.gguf", baseUrl: "http://127.0.0.1:1" },
      "--base-url: the in-process engine has no server; leave this out, or choose --endpoint completions",
    ],
    [
      { datasetPath: "d.jsonl", inputLen: "9" },
      "--input-len: prompts of a dataset are sent whole, so their length cannot be chosen; leave this out, or leave " +
        "out --dataset-path for generated prompts",
    ],
    [
      { maxTokens: "64", outputLen: "128" },
      "--max-tokens: asks for 64 output tokens, --output-len for 128; keep one",
    ],
    [
      { maxTokens: "64", outputLen: "128", ignoreEos: false },
      "--max-tokens: asks for 64 output tokens, --output-len for 128; keep one",
    ],
    [{ maxTokens: "64", outputLen: "64" }, "accepted"],
    [
      { stop: ["\n"] },
      "--stop: a stop text would end an output before the exact length that ignoring EOS asks for (the default, " +
        "--ignore-eos); add --no-ignore-eos or leave this out",
    ],
    [
      { stop: "END", ignoreEos: true },
      "--stop: a stop text would end an output before the exact length that ignoring EOS asks for (--ignore-eos); " +
        "add --no-ignore-eos or leave this out",
    ],
    [{ stop: "END", ignoreEos: false }, "accepted"],
    [
      { output: "a", outputJson: "a" },
      "--output-json: names the same file as --output, so the result would overwrite the records",
    ],
  ])("%j", (values, message) => {
    expect(withFlags(values)).toBe(message);
  });

  test("a setting of the same or a later layer than the choice that makes it meaningless is refused", () => {
    const dataset: ConfigLayer = { source: "file", value: { datasetPath: "d", inputLen: 9 } };
    expect(outcome(dataset)).toMatch(/^inputLen \(file\): prompts of a dataset/u);
    const length: ConfigLayer = { source: "file", value: { inputLen: 9 } };
    expect(outcome(length, configLayerFromFlags({ datasetPath: "d" }))).toBe("accepted");
    expect(
      outcome({ source: "file", value: { datasetPath: "d" } }, configLayerFromFlags({ inputLen: "9" })),
    ).toMatch(/^--input-len: prompts of a dataset/u);
  });
});

describe("generated prompts that cannot be held", () => {
  test.each<[FlagValues, string]>([
    [
      { numPrompts: "1000000" },
      "--num-prompts: 1000000 prompts (--num-prompts) and 1 of the warm-up (--warmup) of 512 tokens each (--input-len) " +
        "are 512000512 tokens, and at most 200000000 are generated for one run; lower --num-prompts or --input-len",
    ],
    [
      { inputLen: "16777216" },
      "--input-len: 50 prompts (--num-prompts) and 1 of the warm-up (--warmup) of 16777216 tokens each (--input-len) " +
        "are 855638016 tokens, and at most 200000000 are generated for one run; lower --num-prompts or --input-len",
    ],
    [{ numPrompts: "1000000", inputLen: "200", warmup: "0" }, "accepted"],
    [{ numPrompts: "1000000", datasetPath: "prompts.jsonl" }, "accepted"],
    [
      { numPrompts: "1e9", inputLen: "4" },
      "--num-prompts: expected a whole number from 1 to 1000000, got 1000000000",
    ],
  ])("%j", (values, message) => {
    expect(withFlags(values)).toBe(message);
  });
});
