import { Command, Option } from "commander";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ConfigError,
  benchFlags,
  configFields,
  configLayerFromFlags,
  flaglessSettings,
  flagArguments,
  refusedFlags,
  resolveConfig,
} from "../src/index.ts";
import type { BenchConfig, FlagValues } from "../src/index.ts";
import { validSettings } from "./settings.ts";

/** A command line read with options made from the table. */
function parse(args: readonly string[]): FlagValues {
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  for (const { flag, argument, value, negatable, description } of benchFlags) {
    const option = new Option(argument === null ? flag : `${flag} <${argument}>`, description);
    if (["string-list", "pairs", "axes"].includes(value)) {
      option.argParser<string[]>((text, before) => [...(before ?? []), text]);
    }
    command.addOption(option);
    if (negatable) {
      command.addOption(new Option(flag.replace("--", "--no-")));
    }
  }
  command.parse(args, { from: "user" });
  return command.opts<Record<string, string | boolean | string[]>>();
}

function messageOf(values: FlagValues): string {
  try {
    resolveConfig([configLayerFromFlags(values)]);
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.message;
    }
    throw error;
  }
  return "accepted";
}

describe("the table", () => {
  test("every setting has exactly one flag or a reason to have none, and every flag a setting", () => {
    const without = configFields.filter(({ path }) =>
      [...flaglessSettings.keys()].some((group) => path === group || path.startsWith(`${group}.`)),
    );
    expect([...benchFlags, ...without].map(({ path }) => path).sort()).toEqual(
      configFields.map(({ path }) => path).sort(),
    );
    expect([...flaglessSettings.values()].filter((reason) => reason.length < 20)).toEqual([]);
  });

  test("names are unique, also those of refused flags", () => {
    const names = [...benchFlags, ...refusedFlags].flatMap(({ flag, key }) => [flag, key]);
    expect(new Set(names).size).toBe(names.length);
    expect(benchFlags.filter(({ flag }) => flag.startsWith("--no-"))).toEqual([]);
  });

  test("kinds agree with the schema", () => {
    for (const { path, value, negatable, argument, choices } of benchFlags) {
      const field = configFields.find((candidate) => candidate.path === path);
      expect(field?.schema.safeParse(true).success, path).toBe(value === "boolean");
      expect(negatable, path).toBe(value === "boolean");
      expect(argument === null, path).toBe(value === "boolean");
      expect(field?.schema.safeParse(0.5).success, path).toBe(
        value === "number" || (value === "duration" && path.endsWith("S")),
      );
      expect(field?.schema.safeParse(["x"]).success, path).toBe(value === "string-list");
      expect(field?.schema.safeParse({ x: 1 }).success, path).toBe(value === "json");
      expect(field?.schema.safeParse({ x: "y" }).success, path).toBe(value === "json" || value === "pairs");
      for (const choice of choices ?? []) {
        expect(field?.schema.safeParse(choice).success, choice).toBe(true);
      }
    }
  });

  test("descriptions and defaults come from the schema", () => {
    const seed = benchFlags.find(({ flag }) => flag === "--seed");
    expect(seed).toMatchObject({ description: "Seed of generated prompts and of sampling.", default: 0 });
    expect(benchFlags.filter(({ description }) => description === "")).toEqual([]);
    expect(benchFlags.find(({ flag }) => flag === "--enable-thinking")?.default).toBeUndefined();
  });

  test("the spellings of vllm-bench are all known", () => {
    const known = [...benchFlags, ...refusedFlags].map(({ flag }) => flag);
    expect(known).toEqual(
      expect.arrayContaining([
        "--model",
        "--dataset-path",
        "--num-prompts",
        "--input-len",
        "--output-len",
        "--concurrency",
        "--seed",
        "--temperature",
        "--max-num-batched-tokens",
        "--num-blocks",
        "--output-token-ids",
        "--output-json",
        "--speculative-config",
        "--kv-cache-dtype",
        "--ignore-eos",
        "--skip-chat-template",
        "--chat-template",
        "--enable-thinking",
      ]),
    );
  });
});

test("descriptions say what a flag needs and what unset means", () => {
  const described = (flag: string) => benchFlags.find((row) => row.flag === flag)?.description;
  expect(described("--stop")).toMatch(/need EOS to be honoured \(--no-ignore-eos\)/);
  expect(described("--ctx")).toMatch(/null takes the model's, at most 8192/);
  expect(described("--num-prompts")).toMatch(/up to 1000000/);
});

describe("reading flags", () => {
  test("a known command line", () => {
    const args = [
      [
        "--model",
        "m",
        "--num-prompts",
        "20",
        "--input-len",
        "100",
        "--output-len",
        "64",
        "--concurrency",
        "4",
      ],
      [
        "--seed",
        "7",
        "--temperature",
        "0.5",
        "--no-ignore-eos",
        "--no-skip-chat-template",
        "--stop",
        "a",
        "--stop",
        "b",
      ],
      [
        "--chat-template-kwargs",
        '{"preserve_thinking": false}',
        "--no-enable-thinking",
        "--request-timeout",
        "30s",
      ],
      ["--presence-penalty", "-0.5", "--top-k", "-1"],
    ].flat();
    const layer = configLayerFromFlags(parse(args));
    expect(layer.value).toEqual({
      target: { model: "m" },
      numPrompts: 20,
      inputLen: 100,
      outputLen: 64,
      concurrency: 4,
      requestTimeoutMs: 30_000,
      ignoreEos: false,
      stop: ["a", "b"],
      sampling: { temperature: 0.5, topK: -1, presencePenalty: -0.5 },
      seed: 7,
      skipChatTemplate: false,
      chatTemplateKwargs: { preserve_thinking: false },
      enableThinking: false,
    });
    expect(layer.origin?.get("ignoreEos")).toBe("--no-ignore-eos");
    expect(resolveConfig([layer]).provenance.get("sampling.topK")).toBe("flags");
  });

  test("no flag sets nothing", () => {
    expect(configLayerFromFlags(parse([]))).toEqual({
      source: "flags",
      value: {},
      origin: new Map(),
      issues: [],
    });
  });

  test.each([
    ["250ms", 250],
    ["30s", 30_000],
    ["1.5s", 1500],
    ["2m", 120_000],
    ["1h", 3_600_000],
  ])("--request-timeout %s", (text, milliseconds) => {
    expect(configLayerFromFlags({ requestTimeout: text }).value).toEqual({ requestTimeoutMs: milliseconds });
  });

  test.each<[FlagValues, string]>([
    [{ concurrency: "x" }, '--concurrency: expected a whole number from 1 to 65536, got "x"'],
    [{ concurrency: "" }, '--concurrency: expected a whole number from 1 to 65536, got ""'],
    [{ concurrency: "4 " }, '--concurrency: expected a whole number from 1 to 65536, got "4 "'],
    [{ concurrency: "0x10" }, '--concurrency: expected a whole number from 1 to 65536, got "0x10"'],
    [{ numPrompts: "2.5" }, "--num-prompts: expected a whole number from 1 to 1000000, got 2.5"],
    [{ temperature: "Infinity" }, '--temperature: expected a number from 0 to 10, got "Infinity"'],
    [{ topP: "0" }, "--top-p: expected a number above 0 and at most 1, got 0"],
    [
      { endpoint: "chat" },
      "--endpoint: expected one of chat-completions, completions, responses, llama-completion, sglang-generate, " +
        'ollama-chat, engine, got "chat"',
    ],
    [
      { requestTimeout: "30" },
      '--request-timeout: expected a duration with its unit, such as 500ms, 30s or 2m, got "30"',
    ],
    [{ requestTimeout: "0.1ms" }, "--request-timeout: expected a whole number from 1 to 2147483647, got 0"],
    [
      { inputLen: "1e20" },
      "--input-len: expected a whole number from 1 to 16777216, got 100000000000000000000",
    ],
    [{ outputLen: "16777217" }, "--output-len: expected a whole number from 1 to 16777216, got 16777217"],
    [{ maxTokens: "1e9" }, "--max-tokens: expected a whole number from 1 to 16777216, got 1000000000"],
    [{ warmup: "100001" }, "--warmup: expected a whole number from 0 to 100000, got 100001"],
    [{ temperature: "1e400" }, '--temperature: expected a number from 0 to 10, got "1e400"'],
    [
      { chatTemplateKwargs: "[1e400]", skipChatTemplate: false },
      '--chat-template-kwargs: expected a JSON object, got ["Infinity"]',
    ],
    [
      { chatTemplateKwargs: "{a: 1}", skipChatTemplate: false },
      '--chat-template-kwargs: expected JSON such as {"name": "value"}, got "{a: 1}"',
    ],
    [
      { chatTemplateKwargs: "[1]", skipChatTemplate: false },
      "--chat-template-kwargs: expected a JSON object, got [1]",
    ],
    [
      { chatTemplateKwargs: `"${"x".repeat(70_000)}"`, skipChatTemplate: false },
      "--chat-template-kwargs: expected at most 65536 characters of JSON, got 70002",
    ],
    [{ model: true }, "--model: needs a value: a non-empty text"],
    [{ ignoreEos: "yes" }, '--ignore-eos: takes no value, got "yes"; use --ignore-eos or --no-ignore-eos'],
    [
      { ignoreEos: [true, false] },
      "--ignore-eos: contradicts --no-ignore-eos, which is given as well; keep one",
    ],
    [{ ignoreEos: [true, true] }, "accepted"],
    [{ seed: ["1", "2"] }, '--seed: is given with different values ("1", "2"); keep one'],
    [{ seed: ["1", "1"] }, "accepted"],
    [
      { apiKeyEnv: "sk-secret-secret" },
      "--api-key-env: expected the name of an environment variable (letters, digits, _), got another text",
    ],
    [
      { apiKeyEnv: ["sk-secret-one", "sk-secret-two"] },
      "--api-key-env: is given with different values (another text, another text); keep one",
    ],
    [{ baseUrl: "ftp://user:secret@host" }, '--base-url: expected an http or https URL, got "ftp://…@host"'],
    [
      { kvCacheDtype: "fp8" },
      "--kv-cache-dtype: cannot be honoured by a client: the KV cache's type is a setting of the server; start the " +
        "server with it",
    ],
    [
      { maxNumBatchedTokens: "1" },
      "--max-num-batched-tokens: cannot be honoured by a client: the scheduler's batch is a setting of the server; " +
        "start the server with it",
    ],
    [
      { numBlocks: "1" },
      "--num-blocks: cannot be honoured by a client: the size of the KV cache is a setting of the server; start the " +
        "server with it",
    ],
    [
      { speculativeConfig: "{}" },
      "--speculative-config: cannot be honoured by a client: speculation is a setting of the server; start the " +
        "server with it, or use --endpoint engine with --draft-model and --draft-tokens",
    ],
    [
      { outputTokenIds: "f" },
      "--output-token-ids: cannot be honoured by a client: servers answer with text, not with token ids; --output " +
        "keeps a record of every request instead",
    ],
    [{ someFlagOfTheCaller: "x" }, "accepted"],
  ])("%j", (values, message) => {
    expect(messageOf(values)).toBe(message);
  });

  test("what is wrong with flags is reported together with everything else", () => {
    const values = { concurrency: "x", requestTimeout: "soon", topP: "7", numBlocks: "1", draftTokens: "3" };
    expect(
      messageOf(values)
        .split("\n")
        .map((line) => line.slice(0, line.indexOf(":"))),
    ).toEqual(["--request-timeout", "--top-p", "--concurrency", "--draft-tokens", "--num-blocks"]);
  });
});

function resolve(value: Record<string, unknown>): BenchConfig {
  return resolveConfig([{ source: "file", value }]).config;
}

describe("properties", () => {
  test("config -> command line, read by a parser -> config is the identity", () => {
    fc.assert(
      fc.property(validSettings, (value) => {
        const config = resolve({ ...value, speculation: {}, declared: {} });
        const values = parse(flagArguments(config));
        expect(resolveConfig([configLayerFromFlags(values)]).config).toEqual(config);
      }),
      { numRuns: 40 },
    );
  });

  test.each<Record<string, unknown>>([
    { target: { endpoint: "chat-completions" }, enableThinking: false },
    { target: { endpoint: "engine", model: "m.gguf" }, engine: { draftModelPath: "d", draftTokens: 2 } },
    { target: { baseUrl: "http://h:1/v1" }, datasetPath: "d.jsonl" },
  ])("endpoints too: %j", (value) => {
    const config = resolve(value);
    expect(resolve(JSON.parse(JSON.stringify(config)) as Record<string, unknown>)).toEqual(config);
    expect(resolveConfig([configLayerFromFlags(parse(flagArguments(config)))]).config).toEqual(config);
  });

  test("the default configuration needs no flag", () => {
    expect(flagArguments(resolveConfig([]).config)).toEqual([]);
  });
});
