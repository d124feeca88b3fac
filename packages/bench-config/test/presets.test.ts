import { describe, expect, test } from "vitest";
import {
  configLayerFromFlags,
  configLayerFromPreset,
  declaredProtocol,
  fingerprint,
  presetDepartures,
  presetNamed,
  presets,
  resolveConfig,
} from "../src/index.ts";
import { configOf, refusals } from "./support.ts";

/** Presets of rows need a file. */
function started(name: string, value: Record<string, unknown> = {}) {
  const kind = (presetNamed(name)?.settings["dataset"] as { kind?: string } | undefined)?.kind ?? "";
  const file = ["prompts", "sharegpt"].includes(kind) ? { datasetPath: "rows.jsonl" } : {};
  return resolveConfig([{ source: "file", value: { preset: name, ...file, ...value } }]);
}

test("the published protocols are all there", () => {
  expect(presets.map(({ name }) => name)).toEqual([
    "ctxsweep",
    "concbench",
    "accfix",
    "lossless",
    "vllm-bench",
    "vllm-bench-serve",
    "vllm-bench-serve-sharegpt",
    "sglang-bench-serving",
    "llama-benchy",
    "online-gate",
    "serve-low-c8",
  ]);
});

describe.each(presets.map(({ name }) => name))("%s", (name) => {
  test("is valid, and kept when nothing else is said", () => {
    const { config, provenance } = started(name);
    expect(presetDepartures(config)).toEqual([]);
    expect(provenance.get("preset")).toBe("file");
    expect([...provenance.values()]).toContain("preset");
  });

  test("a stored run of it resolves to itself, and is still it", () => {
    const { config } = started(name);
    const again = configOf(JSON.parse(JSON.stringify(config)) as Record<string, unknown>);
    expect(again).toEqual(config);
    expect(presetDepartures(again)).toEqual([]);
  });

  test("every free setting and every step of the ladder is a setting", () => {
    const preset = presetNamed(name);
    const paths = [...(preset?.free ?? []), ...(preset?.ladder === null ? [] : [preset?.ladder.field])];
    const values = preset?.ladder?.values ?? [];
    for (const path of paths) {
      expect(
        refusals({ source: "file", value: { sweep: { axes: [{ field: path, values: ["x"] }] } } }).join(),
      ).not.toContain("is no setting");
    }
    expect(values.length === 0 || new Set(values).size === values.length).toBe(true);
  });

  test("another seed of it is another protocol", () => {
    const one = fingerprint(declaredProtocol(started(name).config));
    const other = fingerprint(declaredProtocol(started(name, { seed: 77 }).config));
    expect(one).not.toBe(other);
  });
});

describe("overrides", () => {
  test("lie over the preset, layer by layer", () => {
    const { config, provenance } = resolveConfig([
      { source: "file", value: { preset: "ctxsweep", inputLen: 4096 } },
      configLayerFromFlags({ maxTokens: "200", temperature: "1" }),
    ]);
    expect(config).toMatchObject({
      inputLen: 4096,
      outputLen: 200,
      maxTokens: 200,
      sampling: { temperature: 1 },
    });
    expect(provenance.get("outputLen")).toBe("flags");
    expect(provenance.get("ignoreEos")).toBe("preset");
    // The length is what was published; prompt length and temperature are left to whoever runs it.
    expect(presetDepartures(config)).toEqual([{ path: "outputLen", published: 512, actual: 200 }]);
  });

  test("that leave it are all told", () => {
    const { config } = started("online-gate", {
      ignoreEos: false,
      stop: ["x"],
      skipChatTemplate: false,
      enableThinking: true,
      sampling: { topK: 40 },
      load: { rate: 5 },
    });
    expect(presetDepartures(config).map(({ path }) => path)).toEqual([
      "ignoreEos",
      "stop",
      "sampling.topK",
      "skipChatTemplate",
      "enableThinking",
      "load.kind",
      "load.rate",
    ]);
  });

  test("the last preset that is named counts", () => {
    const layers = [
      { source: "file" as const, value: { preset: "ctxsweep" } },
      configLayerFromFlags({ preset: "online-gate" }),
    ];
    const { config } = resolveConfig(layers);
    expect(config).toMatchObject({
      preset: "online-gate",
      ignoreEos: true,
      target: { endpoint: "completions" },
    });
  });

  test("a preset made for a server gives way to the in-process engine", () => {
    const { config } = resolveConfig([
      configLayerFromFlags({ preset: "online-gate", endpoint: "engine", model: "m.gguf" }),
    ]);
    expect(config.engine.modelPath).toBe("m.gguf");
    expect(presetDepartures(config).map(({ path }) => path)).toEqual(["target.endpoint"]);
  });

  test("without a preset there is nothing to leave", () => {
    expect(presetDepartures(configOf({ seed: 5 }))).toEqual([]);
  });
});

test("online-gate is exactly what the gate asks for on /v1/completions", () => {
  const { stoppingRule, template, endpoint } = declaredProtocol(started("online-gate").config);
  expect(endpoint).toBe("completions");
  expect(template?.mode).toBe("none");
  expect(stoppingRule).toMatchObject({
    name: "ignore-eos",
    cap: 128,
    sent: { ignore_eos: true, max_tokens: 128 },
  });
});

test("presets are data that nobody can change", () => {
  expect(Object.isFrozen(presets[0]?.settings)).toBe(true);
  const [preset] = presets;
  expect(preset === undefined ? null : configLayerFromPreset(preset).source).toBe("preset");
});
