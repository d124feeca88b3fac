import { describe, expect, test } from "vitest";
import { ConfigError, benchConfigSchema, configFields, resolveConfig } from "../src/index.ts";
import type { BenchConfig, ConfigLayer, ConfigSource } from "../src/index.ts";

function layer(source: ConfigSource, value: Record<string, unknown>): ConfigLayer {
  return { source, value };
}

function messageOf(...layers: ConfigLayer[]): string {
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

describe("layers", () => {
  test("no layer gives the defaults, frozen at every level", () => {
    const { config, provenance } = resolveConfig([]);
    expect(config).toEqual(benchConfigSchema.parse({}));
    expect(new Set(provenance.values())).toEqual(new Set(["defaults"]));
    expect(Object.isFrozen(config)).toBe(true);
    expect(Object.isFrozen(config.sampling)).toBe(true);
    expect(Object.isFrozen(config.chatTemplateKwargs)).toBe(true);
  });

  const file = layer("file", { seed: 1, concurrency: 2, sampling: { topP: 0.5, topK: 4 } });
  const env = layer("env", { concurrency: 3, sampling: { topP: 0.6 } });
  const flags = layer("flags", { sampling: { topP: 0.7 } });
  test.each<[string, ConfigLayer[], Partial<BenchConfig>, Record<string, ConfigSource>]>([
    ["file", [file], { seed: 1, concurrency: 2 }, { seed: "file", numPrompts: "defaults" }],
    ["file < env", [file, env], { seed: 1, concurrency: 3 }, { seed: "file", concurrency: "env" }],
    [
      "file < env < flags",
      [file, env, flags],
      { concurrency: 3, sampling: { ...benchConfigSchema.parse({}).sampling, topP: 0.7, topK: 4 } },
      { "sampling.topP": "flags", "sampling.topK": "file", "sampling.minP": "defaults" },
    ],
    ["undefined sets nothing", [file, layer("flags", { seed: undefined })], { seed: 1 }, { seed: "file" }],
    [
      "null resets what may be null",
      [layer("file", { maxTokens: 5, outputLen: 5 }), layer("flags", { maxTokens: null })],
      { maxTokens: null, outputLen: 5 },
      { maxTokens: "flags" },
    ],
  ])("%s", (_, layers, expected, sources) => {
    const { config, provenance } = resolveConfig(layers);
    expect(config).toMatchObject(expected);
    expect(Object.fromEntries(Object.keys(sources).map((path) => [path, provenance.get(path)]))).toEqual(
      sources,
    );
  });

  test("template variables are merged by name", () => {
    const { config } = resolveConfig([
      layer("file", { skipChatTemplate: false, chatTemplateKwargs: { a: 1, b: { c: 1 } } }),
      layer("flags", { chatTemplateKwargs: { b: { d: 2 } } }),
    ]);
    expect(config.chatTemplateKwargs).toEqual({ a: 1, b: { d: 2 } });
  });

  test("an unset enableThinking is no key, false is one", () => {
    expect("enableThinking" in resolveConfig([]).config).toBe(false);
    const { config } = resolveConfig([layer("file", { skipChatTemplate: false, enableThinking: false })]);
    expect(config.enableThinking).toBe(false);
  });

  test("does not change or keep what it was given", () => {
    const value = {
      skipChatTemplate: false,
      chatTemplateKwargs: { a: { b: 1 } },
      stop: ["x"],
      ignoreEos: false,
    };
    const { config } = resolveConfig([layer("file", value)]);
    expect(Object.isFrozen(value.chatTemplateKwargs.a)).toBe(false);
    expect(Object.isFrozen(value.stop)).toBe(false);
    value.stop.push("y");
    expect(config.stop).toEqual(["x"]);
  });
});

describe("what the settings imply", () => {
  test("chat-completions never skips the template by default", () => {
    const { config, provenance } = resolveConfig([
      layer("flags", { target: { endpoint: "chat-completions" } }),
    ]);
    expect(config.skipChatTemplate).toBe(false);
    expect(provenance.get("skipChatTemplate")).toBe("defaults");
  });

  test("the model of the engine endpoint is the GGUF file", () => {
    const { config, provenance } = resolveConfig([
      layer("flags", { target: { endpoint: "engine", model: "m.gguf" } }),
    ]);
    expect(config.engine.modelPath).toBe("m.gguf");
    expect(config.target.model).toBeNull();
    expect(provenance.get("engine.modelPath")).toBe("flags");
  });

  test("a named engine model leaves the model name alone", () => {
    const { config } = resolveConfig([
      layer("flags", { target: { endpoint: "engine", model: "name" }, engine: { modelPath: "m.gguf" } }),
    ]);
    expect([config.target.model, config.engine.modelPath]).toEqual(["name", "m.gguf"]);
  });

  test("maxTokens alone is the output length too", () => {
    expect(resolveConfig([layer("flags", { maxTokens: 7 })]).config.outputLen).toBe(7);
  });

  test("a length that is named later holds for all outputs; beside recorded lengths it is that of rows without", () => {
    const sharegpt = { kind: "sharegpt", recordedLengths: true };
    const file = layer("file", { datasetPath: "d.json", dataset: sharegpt });
    const of = (...layers: ConfigLayer[]): readonly [boolean, number] => {
      const { config } = resolveConfig(layers);
      return [config.dataset.recordedLengths, config.maxTokens ?? config.outputLen];
    };
    expect(of(file)).toEqual([true, 128]);
    expect(of(file, layer("flags", { outputLen: 64 }))).toEqual([false, 64]);
    expect(of(file, layer("flags", { maxTokens: 32 }))).toEqual([false, 32]);
    expect(of(layer("file", { datasetPath: "d.json", dataset: sharegpt, outputLen: 64 }))).toEqual([
      true,
      64,
    ]);
    const preset = layer("flags", { preset: "vllm-bench-serve-sharegpt", datasetPath: "d.json" });
    expect(of(preset)).toEqual([true, 128]);
    expect(of(preset, layer("flags", { outputLen: 64 }))).toEqual([false, 64]);
  });

  test("a later choice withdraws the settings of the other kind of target", () => {
    const server = layer("file", {
      target: { baseUrl: "http://10.0.0.1:8000", metricsUrl: "http://10.0.0.1/m" },
    });
    const engine = layer("flags", { target: { endpoint: "engine", model: "m.gguf" } });
    const { config, provenance } = resolveConfig([server, engine]);
    expect(config.target.baseUrl).toBe("http://127.0.0.1:8000");
    expect(config.target.metricsUrl).toBeNull();
    expect(provenance.get("target.baseUrl")).toBe("defaults");
  });
});

describe("refusals of single values", () => {
  test.each(configFields.filter(({ schema }) => schema.safeParse(1).success || schema.safeParse(65).success))(
    "state the largest number: $path",
    ({ path }) => {
      const value = path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), 1e20) as Record<
        string,
        unknown
      >;
      expect(messageOf({ source: "file", value })).toMatch(
        /(from -?\d+ to|above \d+ and at most) (?!9007199254740991)\d+(?: or auto)?, got 100000000000000000000/,
      );
    },
  );

  test.each([
    [{ concurrency: 0 }, "concurrency (file): expected a whole number from 1 to 65536, got 0"],
    [{ numPrompts: 1.5 }, "numPrompts (file): expected a whole number from 1 to 1000000, got 1.5"],
    [
      { inputLen: Number.MAX_SAFE_INTEGER },
      "inputLen (file): expected a whole number from 1 to 16777216, got 9007199254740991",
    ],
    [
      { numPrompts: 1e20 },
      "numPrompts (file): expected a whole number from 1 to 1000000, got 100000000000000000000",
    ],
    [
      { sampling: { temperature: Number.POSITIVE_INFINITY } },
      "sampling.temperature (file): expected a number from 0 to 10, got Infinity",
    ],
    [{ seed: -1 }, "seed (file): expected a whole number from 0 to 2147483647, got -1"],
    [{ ignoreEos: "yes" }, 'ignoreEos (file): expected true or false, got "yes"'],
    [{ sampling: { topP: 0 } }, "sampling.topP (file): expected a number above 0 and at most 1, got 0"],
    [{ stop: ["a", ""] }, 'stop (file): expected a list of at most 16 non-empty texts, got ["a",""]'],
    [{ outputJson: "" }, 'outputJson (file): expected a non-empty text, got ""'],
    [
      { target: { endpoint: "chat" } },
      "target.endpoint (file): expected one of chat-completions, completions, responses, llama-completion, " +
        'sglang-generate, ollama-chat, engine, got "chat"',
    ],
    [
      { target: { baseUrl: "localhost:8000" } },
      'target.baseUrl (file): expected an http or https URL, got "localhost:8000"',
    ],
    [
      { target: { baseUrl: "http://user:pass@host" } },
      "target.baseUrl (file): holds a user name or password, which would be stored with the result; put the key " +
        "into an environment variable and name it with --api-key-env",
    ],
    [
      { target: { baseUrl: "http://host/?key=1" } },
      "target.baseUrl (file): must end with the path: a server root has no ?query and no #part",
    ],
    [
      { target: { apiKeyEnv: "sk-very-secret" } },
      "target.apiKeyEnv (file): expected the name of an environment variable (letters, digits, _), got another text",
    ],
    [{ sampling: 3 }, "sampling (file): expected an object of settings, got 3"],
    [{ chatTemplateKwargs: [] }, "chatTemplateKwargs (file): expected a JSON object, got []"],
    [
      { skipChatTemplate: false, chatTemplateKwargs: { messages: [] } },
      'chatTemplateKwargs (file): "messages" is always passed to a template and cannot be set as a variable',
    ],
    [{ ignoreEOS: true }, "ignoreEOS (file): unknown setting; did you mean ignoreEos?"],
    [{ "num-prompts": 3 }, "num-prompts (file): unknown setting; did you mean numPrompts?"],
    [{ temperature: 0 }, "temperature (file): unknown setting; did you mean sampling.temperature?"],
    [{ sampling: { top_p: 1 } }, "sampling.top_p (file): unknown setting; did you mean sampling.topP?"],
    [{ concurency: 1 }, "concurency (file): unknown setting; did you mean concurrency?"],
    [{ zebra: 1 }, "zebra (file): unknown setting"],
  ])("%j", (value, message) => {
    expect(messageOf(layer("file", value))).toBe(message);
  });

  test("prototypes are out of reach", () => {
    const evil = JSON.parse('{"__proto__": {"seed": 3}, "constructor": 1}') as Record<string, unknown>;
    expect(messageOf(layer("file", evil))).toBe(
      "__proto__ (file): unknown setting\nconstructor (file): unknown setting",
    );
    const kwargs = JSON.parse('{"__proto__": 1}') as Record<string, unknown>;
    expect(messageOf(layer("file", { skipChatTemplate: false, chatTemplateKwargs: kwargs }))).toBe(
      'chatTemplateKwargs (file): "__proto__" cannot be the name of a variable',
    );
  });

  test("nesting is bounded", () => {
    const deep = JSON.parse('{"a":'.repeat(5000) + "1" + "}".repeat(5000)) as Record<string, unknown>;
    expect(messageOf(layer("file", { skipChatTemplate: false, chatTemplateKwargs: deep }))).toBe(
      "chatTemplateKwargs (file): nested deeper than 32 levels",
    );
  });

  test("every problem of every layer is reported at once, each with its place", () => {
    const layers: ConfigLayer[] = [
      layer("file", { sed: 1, sampling: { topP: 2 }, output: "x", outputJson: "x" }),
      {
        source: "flags",
        value: { concurrency: 0 },
        origin: new Map([["concurrency", "--concurrency"]]),
        issues: [{ path: "numPrompts", origin: "--num-prompts", message: "needs a value" }],
      },
    ];
    expect(() => resolveConfig(layers)).toThrow(ConfigError);
    expect(messageOf(...layers).split("\n")).toEqual([
      "sed (file): unknown setting; did you mean seed?",
      "--num-prompts: needs a value",
      "sampling.topP (file): expected a number above 0 and at most 1, got 2",
      "--concurrency: expected a whole number from 1 to 65536, got 0",
      "outputJson (file): names the same file as output (file), so the result would overwrite the records",
    ]);
  });

  test("rules do not look at values that are wrong by themselves", () => {
    expect(messageOf(layer("file", { stop: [""], maxTokens: 0, outputLen: 3 })).split("\n")).toHaveLength(2);
  });
});
