import { Ajv } from "ajv";
import { readFileSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { benchConfigSchema, configFields, configJsonSchema } from "../src/index.ts";
import { configOf, refusals } from "./support.ts";
import { validSettings } from "./settings.ts";

const ajv = new Ajv({ allErrors: true, validateFormats: false, allowUnionTypes: true });
const whole = configJsonSchema();
const isValid = ajv.compile(whole);

function partAt(path: string): Record<string, unknown> {
  let part: Record<string, unknown> = whole;
  for (const key of path.split(".")) {
    part = (part["properties"] as Record<string, Record<string, unknown>>)[key] ?? {};
  }
  return part;
}

test("every setting has its description and its default", () => {
  for (const { path, description, default: fallback } of configFields) {
    const part = partAt(path);
    expect(part["description"], path).toBe(description);
    expect(part["default"], path).toEqual(fallback);
  }
});

test("what resolves is valid, in full and as it was written", () => {
  fc.assert(
    fc.property(validSettings, (settings) => {
      expect(isValid(settings), ajv.errorsText(isValid.errors)).toBe(true);
      expect(isValid(JSON.parse(JSON.stringify(configOf(settings)))), ajv.errorsText(isValid.errors)).toBe(
        true,
      );
    }),
    { numRuns: 40 },
  );
  expect(isValid({})).toBe(true);
  expect(isValid(benchConfigSchema.parse({}))).toBe(true);
});

describe("texts with a unit", () => {
  test.each<Record<string, unknown>>([
    { requestTimeoutMs: "500ms" },
    { inputLen: "64k" },
    { concurrency: "1k" },
    { dataset: { rangeRatio: "25%" } },
    { load: { kind: "constant", rate: "600/min", durationS: "2m", ramp: { fromRate: null } } },
    { server: { command: ["x"], readyTimeoutS: "10m" } },
    { $schema: "onpar.schema.json" },
    { preset: "ctxsweep" },
  ])("%j is valid", (value) => {
    expect(isValid(value), ajv.errorsText(isValid.errors)).toBe(true);
  });
});

test.each<Record<string, unknown>>([
  { concurency: 1 },
  { sampling: { top_p: 1 } },
  { seed: -1 },
  { inputLen: "64x" },
  { requestTimeoutMs: "soon" },
  { target: { endpoint: "chat" } },
  { preset: "zebra" },
  { slos: [3] },
  { sweep: { axes: [{ field: "seed" }] } },
  { load: { ramp: { shape: "round" } } },
])("%j is not", (value) => {
  expect(isValid(value)).toBe(false);
  expect(refusals({ source: "file", value })).not.toEqual([]);
});

test("an editor sees most of the mistakes of the long file", () => {
  const text = readFileSync(new URL("fixtures/long-with-mistakes.yaml", import.meta.url), "utf8");
  expect(isValid(parse(text))).toBe(false);
  const places = new Set((isValid.errors ?? []).map(({ instancePath }) => instancePath));
  for (const place of [
    "/preset",
    "/target/endpoint",
    "/ignoreEos",
    "/outputLen",
    "/sampling/temperature",
    "/client/workers",
  ]) {
    expect(places).toContain(place);
  }
});
