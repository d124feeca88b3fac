import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  compareProtocols,
  declaredProtocol,
  describeAxis,
  presetNamed,
  presets,
  resolveConfig,
  verdictOf,
} from "../src/index.ts";
import type { AxisName, AxisState, PartialProtocol } from "../src/index.ts";
import { configOf, sharedFile } from "./support.ts";

function protocol(value: Record<string, unknown> = {}): PartialProtocol {
  return declaredProtocol(configOf(value));
}

/** A protocol that leaves nothing open. */
const whole: PartialProtocol = {
  ...protocol({ target: { model: "m" } }),
  model: {
    requested: "m",
    resolved: "m",
    repository: "r",
    revision: "1",
    quantization: "fp8",
    kvDtype: "bf16",
  },
  tokenizer: "t",
  workload: { source: "generated", sha256: "a".repeat(64), prompts: 50 },
  cache: { policy: "none", state: "cold", cachedTokens: 0 },
  speculation: { observed: false, draftBudget: null },
  counting: { tokenSource: "usage", rateConventions: ["vllm", "ctxsweep"] },
  engine: { name: "vllm", version: "1" },
  hardware: { device: "GPU", clientHost: "here" },
  outputTokens: { min: 128, p50: 128, max: 128 },
};

function stateOf(axis: AxisName, a: PartialProtocol, b: PartialProtocol): AxisState | undefined {
  return compareProtocols(a, b).axes.find((one) => one.axis === axis)?.state;
}

const axes: readonly AxisName[] = compareProtocols({}, {}).axes.map(({ axis }) => axis);

describe("verdicts", () => {
  test("matched only where nothing differs and nothing is unknown", () => {
    expect(compareProtocols(whole, whole)).toMatchObject({
      verdict: "matched",
      reasons: ["no axis differs or is unknown"],
    });
  });

  test("two protocols of which nothing is known are equal in nothing", () => {
    const { verdict, axes: compared } = compareProtocols({}, {});
    expect(verdict).toBe("matched-except");
    expect(new Set(compared.map(({ state }) => state))).toEqual(new Set(["unknown"]));
    expect(new Set(compared.flatMap(({ a, b }) => [a, b])).has("unknown")).toBe(true);
  });

  test.each<AxisName>(["stopping rule", "model", "weights", "endpoint", "workload"])("%s decides", (axis) => {
    const change: Record<string, PartialProtocol> = {
      "stopping rule": { stoppingRule: { ...whole.stoppingRule, cap: 64 } },
      model: { model: { ...whole.model, resolved: "other" } },
      weights: { model: { ...whole.model, quantization: "int4" } },
      endpoint: { endpoint: "chat-completions" },
      workload: { workload: { ...whole.workload, sha256: "b".repeat(64) } },
    };
    const { verdict, reasons } = compareProtocols(whole, { ...whole, ...change[axis] });
    expect(verdict).toBe("not-comparable");
    expect(reasons[0]).toMatch(new RegExp(`^${axis} differs \\(.+ \\| .+\\)$`));
  });

  test("what decides is told first, then what else differs, and nothing that is unknown", () => {
    const { reasons } = compareProtocols(
      { ...whole, hardware: null },
      { ...whole, endpoint: "engine", load: { ...whole.load, concurrency: 8 } },
    );
    expect(reasons).toEqual([
      "endpoint differs (completions | engine)",
      "load differs (closed loop at 1, 1 warm-up | closed loop at 8, 1 warm-up)",
    ]);
  });

  test("axes of other origin can be judged beside those of a protocol", () => {
    const lost = {
      axis: "requests answered",
      state: "differs" as const,
      a: "9 of 10",
      b: "10 of 10",
      decisive: false,
    };
    expect(verdictOf([lost])).toEqual({
      verdict: "matched-except",
      reasons: ["requests answered differs (9 of 10 | 10 of 10)"],
    });
    expect(describeAxis({ ...lost, state: "unknown" })).toBe("requests answered unknown");
  });
});

describe("axes", () => {
  test.each<[AxisName, PartialProtocol, AxisState]>([
    ["stopping rule", { stoppingRule: { ...whole.stoppingRule, stop: ["x"] } }, "differs"],
    ["stopping rule", { stoppingRule: { name: "ignore-eos" } }, "unknown"],
    ["model", { model: { requested: "m" } }, "equal"],
    ["model", { model: null }, "unknown"],
    ["weights", { model: { ...whole.model, revision: null } }, "unknown"],
    ["weights", { model: { revision: "2" } }, "differs"],
    ["tokenizer", { tokenizer: "u" }, "differs"],
    ["template", { template: { mode: "server-side" } }, "differs"],
    ["template kwargs", { template: { mode: "server-side", kwargs: {} } }, "differs"],
    ["sampling", { sampling: { ...whole.sampling, topK: 40 } }, "differs"],
    ["sampling", { sampling: { temperature: 0 } }, "unknown"],
    ["sampling", { sampling: { ...whole.sampling, topP: "unset" } }, "unknown"],
    ["sampling", { extraBody: { top_a: 1 } }, "differs"],
    ["workload", { workload: { sha256: null } }, "unknown"],
    ["output length", { outputTokens: { min: 170, p50: 270, max: 333 } }, "differs"],
    ["output length", { outputTokens: { min: 100, p50: 120, max: 160 } }, "equal"],
    ["load", { load: { ...whole.load, warmupRequests: 0 } }, "differs"],
    ["load", { workload: { ...whole.workload, prompts: 10 } }, "differs"],
    ["load", { load: { ...whole.load, durationS: null } }, "unknown"],
    ["cache state", { cache: { policy: "none", state: "cold", cachedTokens: 3 } }, "equal"],
    ["cache state", { cache: { policy: "none", state: "warm", cachedTokens: 300 } }, "differs"],
    ["cache state", { cache: { policy: "nonce", state: "cold", cachedTokens: 0 } }, "differs"],
    ["cache state", { cache: { policy: "none" } }, "unknown"],
    ["speculation", { speculation: { observed: true, draftBudget: 5 } }, "differs"],
    ["speculation", { speculation: { draftBudget: null, observed: null } }, "unknown"],
    ["speculation", { speculation: { method: "off" } }, "equal"],
    ["repetition", { repetition: { reps: 3, boots: 1 } }, "differs"],
    ["counting", { counting: { tokenSource: "tokenizer", rateConventions: ["vllm"] } }, "differs"],
    ["counting", { counting: { tokenSource: "usage", rateConventions: ["vllm"] } }, "equal"],
    ["counting", { counting: { tokenSource: "usage", rateConventions: ["guidellm"] } }, "differs"],
    ["engine", { engine: { name: "vllm", version: "2" } }, "differs"],
    ["engine", { engine: { name: "vllm", version: null } }, "unknown"],
    ["hardware", { hardware: { device: "other", clientHost: "here" } }, "differs"],
  ])("%s of %j: %s", (axis, change, state) => {
    const other = { ...whole, ...change };
    expect(stateOf(axis, whole, other)).toBe(state);
    expect(stateOf(axis, other, whole)).toBe(state);
  });

  test("every axis has both values, in words and as data", () => {
    for (const { axis, a, b, parts } of compareProtocols(
      whole,
      protocol({ target: { endpoint: "chat-completions" } }),
    ).axes) {
      expect(a, axis).not.toBe("");
      expect(b, axis).not.toBe("");
      expect(parts.length, axis).toBeGreaterThan(0);
    }
    expect(axes).toHaveLength(17);
  });

  test("prompt lengths are equal as far as they can be calibrated", () => {
    const prompts = (p50: number): PartialProtocol => ({
      workload: { kind: "source-code", promptTokens: { min: p50, p50, max: p50 } },
    });
    const partState = (a: number, b: number) =>
      compareProtocols(prompts(a), prompts(b))
        .axes.find(({ axis }) => axis === "workload")
        ?.parts.find(({ part }) => part === "prompt tokens")?.state;
    expect([
      partState(512, 520),
      partState(512, 530),
      partState(65_536, 65_842),
      partState(65_536, 66_500),
    ]).toEqual(["equal", "differs", "equal", "differs"]);
  });

  test("a load is told by what it has", () => {
    const words = (value: Record<string, unknown>) =>
      compareProtocols(protocol(value), {}).axes.find(({ axis }) => axis === "load")?.a;
    expect(words({ load: { rate: 5, maxInFlight: 64, durationS: 60 } })).toBe(
      "poisson at 5 requests/s for 60 s, at most 64 in flight, 1 warm-up",
    );
    expect(words({ load: { rate: 5, burstiness: 0.5 } })).toBe(
      "gamma at 5 requests/s, burstiness 0.5, 1 warm-up",
    );
    expect(words({ load: { ramp: { fromConcurrency: 1, toConcurrency: 8 } } })).toBe(
      "ramp of concurrency 1 to 8 (linear), 1 warm-up",
    );
    expect(words({ load: { kind: "trace", traceSpeed: 2 }, datasetPath: "t" })).toBe(
      "trace at 2 times its speed, 1 warm-up",
    );
    expect(words({ load: { startTogether: true }, concurrency: 4 })).toBe(
      "closed loop at 4, started together, 1 warm-up",
    );
  });
});

/** What the comparator publishes of a rung of its context ladder; everything else about it is unknown. */
function publishedRung(row: Readonly<Record<string, string>>): PartialProtocol {
  const tokens = Number(row["prompt_tokens"]);
  const output = Number(row["out_tokens"]);
  return {
    model: { quantization: "nvfp4", kvDtype: "bf16" },
    endpoint: "chat-completions",
    template: {
      mode: "server-side",
      sha256: null,
      kwargs: { enable_thinking: false, preserve_thinking: false },
    },
    stoppingRule: { name: "eos", cap: 512, stop: [], sent: { max_tokens: 512 } },
    sampling: {
      temperature: Number(row["temperature"]),
      topP: "unset",
      topK: "unset",
      minP: "unset",
      repetitionPenalty: "unset",
      presencePenalty: "unset",
      frequencyPenalty: "unset",
      seed: "unset",
    },
    extraBody: {},
    workload: {
      kind: "source-code",
      prompts: 1,
      promptTokens: { min: tokens, p50: tokens, max: tokens },
      sharedPrefixTokens: 0,
      turns: 1,
    },
    load: { kind: "closed-loop", concurrency: 1, warmupRequests: 0, durationS: "all", startTogether: false },
    cache: { policy: "nonce" },
    speculation: { method: "dflash2", draftBudget: 16 },
    repetition: { reps: Number(row["reps"]) },
    counting: { tokenSource: "usage", rateConventions: ["ctxsweep"] },
    engine: { name: "sglang" },
    hardware: { device: "DGX Spark" },
    outputTokens: { min: output, p50: output, max: output },
  };
}

function rows(text: string): Record<string, string>[] {
  const [head = "", ...lines] = text.trim().split(/\r?\n/u);
  const names = head.split(",");
  return lines.map((line) =>
    Object.fromEntries(line.split(",").map((cell, index) => [names[index] ?? "", cell])),
  );
}

const shared = sharedFile("data/comparator/ctxsweep-recommended.csv");
/** A rung as the comparator's table has it, where the table itself is not there. */
const example = "temperature,ctx_target,prompt_tokens,out_tokens,reps\n0.0,8192,8159,279,4\n";
const published = rows(shared === null ? example : readFileSync(shared, "utf8"));

describe("published rungs (one row stands for them where the table is absent)", () => {
  test.each(published)("temperature $temperature, $ctx_target tokens, boot $boot", (row) => {
    const theirs = publishedRung(row);
    const ours = protocol({ preset: "vllm-bench" });
    const seed = compareProtocols(ours, theirs);
    expect(seed.verdict).toBe("not-comparable");
    const named = seed.reasons.map((reason) => reason.slice(0, reason.indexOf(" differs")));
    expect(named).toEqual(expect.arrayContaining(["stopping rule", "endpoint", "template", "output length"]));
    expect(named.slice(0, 2)).toEqual(["stopping rule", "endpoint"]);
    expect(seed.reasons[0]).toBe("stopping rule differs (ignore-eos, exactly 128 tokens | eos, cap 512)");

    const same = resolveConfig([
      {
        source: "flags",
        value: {
          preset: "ctxsweep",
          inputLen: Number(row["prompt_tokens"]),
          sampling: { temperature: Number(row["temperature"]) },
        },
      },
    ]).config;
    const matched = compareProtocols(declaredProtocol(same), theirs);
    expect(matched.verdict).toBe("matched-except");
    expect(matched.axes.filter(({ state }) => state === "differs")).toEqual([]);
    expect(matched.axes.filter(({ state }) => state === "unknown").map(({ axis }) => axis)).toEqual([
      // Not published, or not known before a run: names, weights, tokenizer, the server's template, values that the
      // publisher left to the server, the prompts themselves.
      "model",
      "weights",
      "tokenizer",
      "template",
      "sampling",
      "workload",
      "output length",
      "cache state",
      "speculation",
      "repetition",
      "counting",
      "engine",
      "hardware",
    ]);
  });

  test("the target that a rung missed is a difference", () => {
    const [row] = published;
    const theirs = publishedRung({ ...row, prompt_tokens: "324" });
    const ours = protocol({ preset: "ctxsweep", inputLen: 512 });
    expect(compareProtocols(ours, theirs).reasons[0]).toMatch(
      /^workload differs \(.*512 prompt tokens.* \| .*324 prompt tokens/,
    );
  });
});

test("every preset has a date, a source, and says where this program parts from it", () => {
  for (const { name, source, departures, title } of presets) {
    expect(source.date, name).toMatch(/^2026-\d\d-\d\d$/);
    expect(source.url, name).toMatch(/^https:\/\/github\.com\//);
    expect(departures.length, name).toBeGreaterThan(0);
    expect(title, name).not.toMatch(/\.$/);
    expect(presetNamed(name)?.name).toBe(name);
  }
});

describe("what only some runs have", () => {
  test.each<[AxisName, Record<string, unknown>, string]>([
    ["load", { retries: 3 }, "3 retries"],
    ["endpoint", { target: { stream: false } }, "not streamed"],
    [
      "workload",
      { datasetPath: "d.json", dataset: { kind: "sharegpt", recordedLengths: true } },
      "outputs as long as recorded",
    ],
  ])("%s: a run with it is no equal of one without", (axis, settings, words) => {
    const without = protocol(
      axis === "workload" ? { datasetPath: "d.json", dataset: { kind: "sharegpt" } } : {},
    );
    const has = protocol(settings);
    expect(stateOf(axis, has, has)).toBe(stateOf(axis, without, without));
    expect(stateOf(axis, has, without)).toBe("differs");
    expect(compareProtocols(has, without).axes.find((one) => one.axis === axis)?.a).toContain(words);
  });
});
