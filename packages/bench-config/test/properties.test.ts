import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  benchConfigSchema,
  benchFlags,
  canonicalProtocol,
  compareProtocols,
  configFields,
  configLayerFromEnv,
  configLayerFromFlags,
  configLayerFromText,
  configToYaml,
  declaredProtocol,
  fingerprint,
  flagArguments,
  flaglessSettings,
  resolveConfig,
  variableFor,
} from "../src/index.ts";
import type { BenchConfig, FlagValues, PartialProtocol } from "../src/index.ts";
import { configOf } from "./support.ts";
import { validSettings } from "./settings.ts";

function printed(config: BenchConfig): string {
  return fingerprint(declaredProtocol(config));
}

/** Names of every object in another order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(turned);
  }
  return typeof value === "object" && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .map(([key, inner]) => [key, turned(inner)])
          .reverse(),
      )
    : value;
}

/** The arguments of a command line by the keys of their flags. */
function parsed(args: readonly string[]): FlagValues {
  const values: Record<string, (string | boolean)[]> = {};
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? "";
    const flag = benchFlags.find(
      (one) => one.flag === arg || (one.negatable && one.flag.replace("--", "--no-") === arg),
    );
    if (flag === undefined) {
      throw new Error(`${arg} is no flag`);
    }
    const given = flag.negatable ? flag.flag === arg : (args[++index] ?? "");
    (values[flag.key] ??= []).push(given);
  }
  return values;
}

function withoutFlagless(config: BenchConfig): BenchConfig {
  const defaults = benchConfigSchema.parse({});
  const groups = Object.fromEntries(
    [...flaglessSettings.keys()].map((group) => [group, defaults[group as "server"]]),
  );
  return { ...config, ...groups };
}

describe("round trips", () => {
  test("configuration -> YAML -> configuration is the identity", () => {
    fc.assert(
      fc.property(validSettings, (settings) => {
        const config = configOf(settings);
        const layer = configLayerFromText({ name: "f.yaml", text: configToYaml(config) });
        expect(resolveConfig([layer]).config).toEqual(config);
      }),
      { numRuns: 60 },
    );
  });

  test("so is JSON, and so are the settings that differ from the defaults alone", () => {
    fc.assert(
      fc.property(validSettings, (settings) => {
        const resolved = resolveConfig([{ source: "file", value: settings }]);
        const json = configLayerFromText({ name: "f.json", text: JSON.stringify(resolved.config) });
        expect(resolveConfig([json]).config).toEqual(resolved.config);
        const sources = new Set(["file"] as const);
        const text = configToYaml(resolved.config, { sources, provenance: resolved.provenance });
        expect(resolveConfig([configLayerFromText({ name: "f.yaml", text })]).config).toEqual(
          resolved.config,
        );
      }),
      { numRuns: 60 },
    );
  });

  test("configuration -> flags -> configuration, but for what has no flag", () => {
    fc.assert(
      fc.property(validSettings, (settings) => {
        const config = withoutFlagless(configOf(settings));
        expect(resolveConfig([configLayerFromFlags(parsed(flagArguments(config)))]).config).toEqual(config);
      }),
      { numRuns: 60 },
    );
  });

  test("the environment says the same as flags", () => {
    fc.assert(
      fc.property(validSettings, (settings) => {
        const config = withoutFlagless(configOf(settings));
        const values = parsed(flagArguments(config));
        const variables = benchFlags.flatMap((flag): [string, string][] => {
          const given = values[flag.key];
          const list = Array.isArray(given) ? given.map(String) : [];
          const isList = ["string-list", "pairs", "axes"].includes(flag.value);
          return list.length === 0
            ? []
            : [[variableFor(flag), isList ? JSON.stringify(list) : (list[0] ?? "")]];
        });
        expect(resolveConfig([configLayerFromEnv(Object.fromEntries(variables))]).config).toEqual(config);
      }),
      { numRuns: 60 },
    );
  });
});

describe("the fingerprint", () => {
  test("is the same however a configuration is written", () => {
    fc.assert(
      fc.property(validSettings, (settings) => {
        const config = configOf(settings);
        const other = configOf(turned(settings) as Record<string, unknown>);
        expect(printed(other)).toBe(printed(config));
        // In full, and with what changes no protocol.
        const stored = JSON.parse(JSON.stringify(config)) as Record<string, unknown>;
        expect(printed(configOf({ ...stored, outputJson: "elsewhere", requestTimeoutMs: 7, slos: [] }))).toBe(
          printed(config),
        );
      }),
      { numRuns: 60 },
    );
  });

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["the cap's two names", { maxTokens: 64 }, { outputLen: 64 }],
    [
      "a variable's two names",
      { skipChatTemplate: false, enableThinking: false },
      {
        skipChatTemplate: false,
        chatTemplateKwargs: { enable_thinking: false },
      },
    ],
    [
      "gamma of shape 1",
      { load: { kind: "gamma", rate: 5, burstiness: 1 } },
      { load: { kind: "poisson", rate: 5 } },
    ],
    ["a rate alone", { load: { rate: 5 } }, { load: { kind: "poisson", rate: 5 } }],
    [
      "stop texts in another order, or twice",
      { ignoreEos: false, stop: ["a", "b"] },
      { ignoreEos: false, stop: ["b", "a", "b"] },
    ],
    [
      "units",
      { load: { kind: "constant", rate: "60/min" }, inputLen: "1k" },
      { load: { kind: "constant", rate: 1 }, inputLen: 1000 },
    ],
    [
      "another address",
      { target: { baseUrl: "http://a:1" } },
      { target: { baseUrl: "http://b:2", apiKeyEnv: "K" } },
    ],
    ["the folder of a file", { datasetPath: "a/rows.jsonl" }, { datasetPath: "b/rows.jsonl" }],
    ["auto, and what it means without a file", {}, { dataset: { kind: "random-text" } }],
    [
      "the template that a chat endpoint skips",
      { target: { endpoint: "chat-completions" } },
      {
        target: { endpoint: "chat-completions" },
        skipChatTemplate: false,
      },
    ],
  ])("is the same for %s", (_, a, b) => {
    expect(printed(configOf(a))).toBe(printed(configOf(b)));
  });

  test("differs wherever an axis differs", () => {
    fc.assert(
      fc.property(validSettings, validSettings, (one, other) => {
        const [a, b] = [declaredProtocol(configOf(one)), declaredProtocol(configOf(other))];
        const isOther = fingerprint(a) !== fingerprint(b);
        const differs = compareProtocols(a, b).axes.some(
          ({ axis, state }) => state === "differs" && axis !== "output length",
        );
        // Another fingerprint may also come from what only one of the two states.
        expect(isOther || !differs).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  test.each<Record<string, unknown>>(
    [
      { target: { endpoint: "chat-completions" } },
      { target: { model: "m" } },
      { target: { extraBody: { priority: 1 } } },
      { ignoreEos: false },
      { outputLen: 64 },
      { ignoreEos: false, minTokens: 5 },
      { ignoreEos: false, stop: ["a"] },
      { sampling: { temperature: 1 } },
      { sampling: { minP: 0.1 } },
      { seed: 1 },
      { logprobs: 2 },
      { skipChatTemplate: false },
      { skipChatTemplate: false, chatTemplate: "{{ messages }}" },
      { skipChatTemplate: false, chatTemplate: "other.jinja" },
      { skipChatTemplate: false, enableThinking: true },
      { skipChatTemplate: false, enableThinking: false },
      { datasetPath: "rows.jsonl" },
      { datasetPath: "other.jsonl" },
      { inputLen: 5 },
      { numPrompts: 5 },
      { dataset: { rangeRatio: 0.5 } },
      { dataset: { kind: "random-ids" } },
      { dataset: { kind: "shared-prefix", sharedPrefixLen: 5 } },
      { dataset: { kind: "shared-prefix", prefixGroups: 5 } },
      { dataset: { kind: "shared-prefix", hitRate: 0.5 } },
      { dataset: { kind: "source-code" } },
      { dataset: { kind: "source-code", task: "t" } },
      { concurrency: 5 },
      { warmupRequests: 5 },
      { load: { startTogether: true } },
      { load: { durationS: 5 } },
      { load: { kind: "constant", rate: 5 } },
      { load: { kind: "poisson", rate: 5 } },
      { load: { kind: "poisson", rate: 5, maxInFlight: 5 } },
      { load: { kind: "gamma", rate: 5, burstiness: 2 } },
      { load: { ramp: { fromRate: 1, toRate: 5 } } },
      { load: { ramp: { fromConcurrency: 1, toConcurrency: 5 } } },
      { cache: { policy: "nonce" } },
      { speculation: { method: "ngram" } },
      { speculation: { draftTokens: 5 } },
      { speculation: { draftModel: "d" } },
      { repetition: { reps: 5 } },
      { declared: { repository: "r" } },
      { declared: { revision: "r" } },
      { declared: { quantization: "q" } },
      { declared: { kvDtype: "q" } },
      { declared: { tokenizer: "t" } },
      { declared: { engine: "vllm 1" } },
      { declared: { hardware: "h" } },
    ].map((value) => ({ value })),
  )("is another one for $value", ({ value }) => {
    const changed = configOf(value as Record<string, unknown>);
    expect(printed(changed)).not.toBe(printed(configOf({})));
  });

  test("no two of these have the same one", () => {
    const some: PartialProtocol[] = [
      {},
      { endpoint: "engine" },
      { tokenizer: "engine" },
      { hardware: { device: "engine" } },
    ];
    expect(new Set(some.map(fingerprint)).size).toBe(some.length);
    expect(fingerprint({})).toMatch(/^[0-9a-f]{64}$/);
    expect(canonicalProtocol({})).toMatch(/^\{"axes":\{"cache state":/);
  });

  test("what only an observation tells is not in it", () => {
    const protocol = declaredProtocol(configOf({}));
    const seen: PartialProtocol = {
      ...protocol,
      outputTokens: { min: 1, p50: 2, max: 3 },
      cache: { policy: "none", state: "warm", cachedTokens: 5 },
      speculation: { ...protocol.speculation, observed: true },
      counting: { tokenSource: "usage", rateConventions: ["vllm"] },
      hardware: { device: null, clientHost: "here" },
    };
    expect(fingerprint(seen)).toBe(fingerprint(protocol));
  });
});

test("the flags cover the schema: every setting has one, or a reason to have none", () => {
  const bare = configFields.filter(({ path }) => !benchFlags.some((flag) => flag.path === path));
  const reasons = bare.map(({ path }) => flaglessSettings.get(path.split(".")[0] ?? ""));
  expect(bare.length).toBe(18);
  expect(reasons.every((reason) => (reason ?? "").length > 20)).toBe(true);
});
