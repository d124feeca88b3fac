import { describe, expect, test } from "vitest";
import {
  benchFlags,
  configLayerFromEnv,
  configLayerFromFlags,
  resolveConfig,
  variableFor,
} from "../src/index.ts";
import { refusals } from "./support.ts";

const fromEnv = (variables: Record<string, string>): string[] => refusals(configLayerFromEnv(variables));

test("every flag has a variable of its own", () => {
  const names = benchFlags.map(variableFor);
  expect(new Set(names).size).toBe(benchFlags.length);
  expect(names).toContain("ONPAR_REQUEST_RATE");
});

test("values are written as after the flag", () => {
  const layer = configLayerFromEnv({
    ONPAR_IGNORE_EOS: "0",
    ONPAR_STOP: '["a, b", "c"]',
    ONPAR_SLO: "ttft<=500ms",
    ONPAR_HEADER: '["X-Team=a=b"]',
    ONPAR_INPUT_LEN: "64k",
    ONPAR_REQUEST_TIMEOUT: "2m",
    ONPAR_SWEEP: "concurrency=1,2,4",
    ONPAR_SEED: "",
    HOME: "elsewhere",
  });
  const { config, provenance } = resolveConfig([layer]);
  expect(config).toMatchObject({
    ignoreEos: false,
    stop: ["a, b", "c"],
    slos: ["ttft<=500ms"],
    target: { headers: { "X-Team": "a=b" } },
    inputLen: 64_000,
    requestTimeoutMs: 120_000,
    sweep: { axes: [{ field: "concurrency", values: [1, 2, 4] }] },
    seed: 0,
  });
  expect([provenance.get("ignoreEos"), provenance.get("seed")]).toEqual(["env", "defaults"]);
});

test("flags win over it, and it wins over a file", () => {
  const layers = [
    { source: "file" as const, value: { seed: 1, numPrompts: 1, concurrency: 1 } },
    configLayerFromEnv({ ONPAR_SEED: "2", ONPAR_NUM_PROMPTS: "2" }),
    configLayerFromFlags({ seed: "3" }),
  ];
  expect(resolveConfig(layers).config).toMatchObject({ seed: 3, numPrompts: 2, concurrency: 1 });
});

describe("refusals", () => {
  test.each<[Record<string, string>, string[]]>([
    [
      { ONPAR_TEMPERATUR: "1" },
      ["ONPAR_TEMPERATUR: is no setting of the environment; did you mean ONPAR_TEMPERATURE?"],
    ],
    [{ ONPAR_ZEBRA: "sk-secretsecret" }, ["ONPAR_ZEBRA: is no setting of the environment"]],
    [{ ONPAR_IGNORE_EOS: "perhaps" }, ["ONPAR_IGNORE_EOS: expected true, false, 1 or 0, got another text"]],
    [
      { ONPAR_DURATION: "30" },
      ['ONPAR_DURATION: expected a duration with its unit, such as 500ms, 30s or 2m, got "30"'],
    ],
    [{ ONPAR_TOP_P: "2" }, ["ONPAR_TOP_P: expected a number above 0 and at most 1, got 2"]],
    [{ ONPAR_SERVER_CWD: "." }, ["ONPAR_SERVER_CWD: is no setting of the environment"]],
    [{ ONPAR_HEADER: "no pair" }, ['ONPAR_HEADER: expected NAME=VALUE, got a text without a name and "="']],
  ])("%j", (variables, expected) => {
    expect(fromEnv(variables)).toEqual(expected);
  });

  test("not of what the caller knows", () => {
    const layer = configLayerFromEnv({ ONPAR_DEBUG: "1" }, { known: new Set(["ONPAR_DEBUG"]) });
    expect(refusals(layer)).toEqual([]);
  });
});
