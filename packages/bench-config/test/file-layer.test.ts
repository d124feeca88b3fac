import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { configLayerFromText, resolveConfig } from "../src/index.ts";
import { issuesOf, refusals, yaml } from "./support.ts";

test("a file of 300 lines with 12 mistakes tells all 12, each with its place", async () => {
  const text = readFileSync(new URL("fixtures/long-with-mistakes.yaml", import.meta.url), "utf8");
  expect(text.trimEnd().split("\n")).toHaveLength(300);
  const lines = refusals(yaml(text, "long.yaml"));
  expect(lines).toHaveLength(12);
  for (const line of lines) {
    expect(line).toMatch(/^long\.yaml:\d+:\d+ /);
  }
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("golden/long-with-mistakes.txt");
});

test("problems stand in the order of the file, and carry their place as data", () => {
  const layer = yaml("seed: -1\nzebra: 1\nconcurrency: 0\nload:\n  rate: 5\n  kind: closed-loop\n");
  const places = issuesOf(layer).map(({ place }) => [place?.line, place?.column]);
  expect(places).toEqual([
    [1, 1],
    [2, 1],
    [3, 1],
    [5, 3],
  ]);
});

describe("what is no YAML", () => {
  test.each<[string, string, string[]]>([
    ["a repeated key", "seed: 1\nseed: -2\n", ["f.yaml:2:1: no valid YAML: Map keys must be unique"]],
    [
      "what the first of two keys says is judged",
      "seed: -1\nseed: 2\n",
      [
        "f.yaml:1:1 seed: expected a whole number from 0 to 2147483647, got -1",
        "f.yaml:2:1: no valid YAML: Map keys must be unique",
      ],
    ],
    ["an unknown tag", "seed: !secret 1\n", ["f.yaml:1:7: no valid YAML: Unresolved tag: !secret"]],
    ["no settings at all", "- 1\n", ["f.yaml:1:1: expected settings, one `name: value` a line"]],
    ["a text", "hello", ["f.yaml:1:1: expected settings, one `name: value` a line"]],
    ["a group that is none", "load: 3\n", ["f.yaml:1:1 load: expected an object of settings, got 3"]],
    [
      "a setting twice, nested and by its path",
      "load.rate: 5\nload: { rate: 6, kind: constant }\n",
      ["f.yaml:2:9 load.rate: is set twice, nested and by its path; keep one"],
    ],
  ])("%s", (_, text, expected) => {
    expect(refusals(yaml(text))).toEqual(expected);
  });

  test("after the first place that cannot be read nothing is judged, and before it everything", () => {
    const lines = refusals(yaml("concurency: 1\nseed: -1\nstop: [a, b\nconcurrency: 0\n"));
    expect(lines.slice(0, 2)).toEqual([
      "f.yaml:1:1 concurency: unknown setting; did you mean concurrency?",
      "f.yaml:2:1 seed: expected a whole number from 0 to 2147483647, got -1",
    ]);
    expect(lines.slice(2).every((line) => line.includes("no valid YAML"))).toBe(true);
    expect(lines.length).toBeGreaterThan(2);
  });

  test("two documents", () => {
    expect(refusals(yaml("seed: 1\n---\nseed: 2\n"))[0]).toMatch(/^f\.yaml:2:1: no valid YAML: /);
  });
});

describe("bounds", () => {
  test("aliases cannot explode", () => {
    const levels = Array.from({ length: 12 }, (_, level) =>
      level === 0
        ? "a0: &a0 [x, x, x, x, x, x, x, x, x]"
        : `a${level}: &a${level} [${Array(9)
            .fill(`*a${level - 1}`)
            .join(", ")}]`,
    );
    expect(refusals(yaml(levels.join("\n")))).toEqual([
      "f.yaml:1:1: cannot be read: more than 100000 values",
    ]);
  });

  test("an alias stands for its value", () => {
    const { config } = resolveConfig([
      yaml("stop: &s [a, b]\nignoreEos: false\nchatTemplateKwargs: {}\nslos: []\n"),
    ]);
    expect(config.stop).toEqual(["a", "b"]);
    const text = "target: &t\n  model: m\nchatTemplateKwargs:\n  t: *t\nskipChatTemplate: false\n";
    expect(resolveConfig([yaml(text)]).config.chatTemplateKwargs).toEqual({ t: { model: "m" } });
  });

  test("an alias to nothing and one to itself are refused", () => {
    expect(refusals(yaml("seed: *nobody\n"))).toEqual(["f.yaml:1:7 seed: *nobody refers to nothing"]);
    expect(refusals(yaml("chatTemplateKwargs: &a { b: *a }\n"))[0]).toMatch(
      /^f\.yaml:1:1: cannot be read: more than 64 levels/,
    );
  });

  test("nesting and size are bounded", () => {
    expect(refusals(yaml(`chatTemplateKwargs: ${"[".repeat(100)}${"]".repeat(100)}\n`))).toEqual([
      "f.yaml:1:1: cannot be read: more than 64 levels",
    ]);
    expect(refusals(yaml(`# ${"x".repeat(1_048_576)}\n`))).toEqual([
      "f.yaml:1:1: has 1048579 characters, and at most 1048576 are read",
    ]);
  });
});

describe("what is read", () => {
  test("an empty file sets nothing", () => {
    for (const text of ["", "# nothing\n", "---\n", "null\n"]) {
      expect(yaml(text)).toMatchObject({ value: {}, issues: [] });
    }
  });

  test("JSON, with a schema for editors", () => {
    const text = '{\n\t"$schema": "onpar.schema.json",\n\t"sampling": { "topP": 0.5 },\n\t"sed": 1\n}';
    const layer = configLayerFromText({ name: "f.json", text });
    expect(layer.value).toEqual({ sampling: { topP: 0.5 }, sed: 1 });
    expect(refusals(layer)).toEqual(["f.json:4:2 sed: unknown setting; did you mean seed?"]);
  });

  test("the places of parts of a value are told", () => {
    expect(refusals(yaml("ignoreEos: false\nstop:\n  - a\n  - 3\n"))).toEqual([
      'f.yaml:4:5 stop.1: expected a list of at most 16 non-empty texts, got ["a",3]',
    ]);
    const axes = "sweep:\n  axes:\n    - field: concurrency\n      valuess: [1]\n";
    expect(refusals(yaml(axes))).toEqual([
      "f.yaml:3:7 sweep.axes.0: expected a list of at most 8 objects with field and values, got " +
        '[{"field":"concurrency","valuess":[1]}]',
    ]);
  });

  test("words of YAML 1.1 are texts, so that `no` is never false by accident", () => {
    expect(refusals(yaml("ignoreEos: no\n"))).toEqual([
      'f.yaml:1:1 ignoreEos: expected true or false, got "no"',
    ]);
  });

  test("units", () => {
    const text =
      "requestTimeoutMs: 1.5s\ninputLen: 64Ki\noutputLen: 2k\nload: { kind: constant, rate: 600/min, durationS: 2m }\n" +
      "dataset: { rangeRatio: 25% }\n";
    expect(resolveConfig([yaml(text)]).config).toMatchObject({
      requestTimeoutMs: 1500,
      inputLen: 65_536,
      outputLen: 2000,
      load: { rate: 10, durationS: 120 },
      dataset: { rangeRatio: 0.25 },
    });
  });

  test("prototypes are out of reach", () => {
    expect(refusals(yaml("__proto__: { seed: 3 }\nconstructor: 1\n"))).toEqual([
      "f.yaml:1:1 __proto__: unknown setting",
      "f.yaml:2:1 constructor: unknown setting",
    ]);
  });
});
