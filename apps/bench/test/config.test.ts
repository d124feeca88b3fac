import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import {
  benchConfigSchema,
  configFields,
  configLayerFromText,
  presets,
  resolveConfig,
} from "@onpar/bench-config";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { unsupported, unsupportedSettings } from "../src/unsupported-settings.ts";
import { onpar } from "./fake-env.ts";

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), "onpar-config-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, text: string): string {
  const target = path.join(folder, name);
  writeFileSync(target, text);
  return target;
}

describe("onpar config show", () => {
  it("prints a file that gives the same run, each setting with its source", async () => {
    const config = file("show.yaml", "preset: ctxsweep\nload: { durationS: 5m }\nseed: 3\n");
    const argv = ["config", "show", "--config", config, "--input-len", "8k", "--stop", "a # b"];
    const { code, stdout } = await onpar(argv, { variables: { ONPAR_SEED: "7" } });
    expect(code).toBe(0);
    for (const line of [
      "preset: ctxsweep # file",
      "inputLen: 8000 # flags",
      "  durationS: 300 # file",
      "seed: 7 # env",
      "outputLen: 512 # preset",
    ]) {
      expect(stdout).toContain(`\n${line}\n`);
    }
    const again = resolveConfig([configLayerFromText({ name: "again.yaml", text: stdout })]).config;
    expect(again).toMatchObject({ inputLen: 8000, stop: ["a # b"], load: { durationS: 300 }, seed: 7 });
    const json = await onpar([...argv, "--json"], { variables: { ONPAR_SEED: "7" } });
    expect((JSON.parse(json.stdout) as { config: unknown }).config).toEqual(again);
  });

  it("says on standard error what leaves the preset", async () => {
    const { stderr } = await onpar(["config", "show", "--preset", "vllm-bench", "--no-ignore-eos"]);
    expect(stderr).toContain("onpar: leaves the preset vllm-bench: ignoreEos false instead of true\n");
    const kept = await onpar(["config", "show", "--preset", "vllm-bench", "--concurrency=8"]);
    expect(kept.stderr).toBe("");
  });

  it("never prints a secret, whoever holds it", async () => {
    const config = file("secret.yaml", "target:\n  headers: { Authorization: Bearer sk-verysecret12 }\n");
    const secrets = { OPENAI_API_KEY: "sk-verysecret12", ONPAR_API_KEY_ENV: "sk-verysecret12" };
    const outcomes = await Promise.all([
      onpar(["config", "show", "--config", config]),
      onpar(["config", "show", "--all", "--json"], { variables: { OPENAI_API_KEY: "sk-verysecret12" } }),
      onpar(["config", "show", "--header", "X-Token=sk-verysecret12"]),
      onpar(["config", "show", "--base-url", "http://me:sk-verysecret12@host"]),
      onpar(["config", "show"], { variables: secrets }),
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([2, 0, 2, 2, 2]);
    for (const { stdout, stderr } of outcomes) expect(stdout + stderr).not.toContain("verysecret");
  });

  it("takes known command lines of other harnesses unchanged", async () => {
    const gate =
      "--backend openai --base-url http://127.0.0.1:8001 --endpoint /v1/completions --model gate --tokenizer folder " +
      "--dataset-name custom --dataset-path corpus.jsonl --custom-output-len 128 --skip-chat-template --disable-shuffle " +
      "--num-prompts 96 --max-concurrency 16 --request-rate inf --num-warmups 16 --ready-check-timeout-sec 0 --seed 0 " +
      "--ignore-eos --temperature 0 --save-result --save-detailed --result-dir out --result-filename r.json --disable-tqdm";
    const { code, stdout, stderr } = await onpar(["config", "show", "--json", ...gate.split(" ")]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect((JSON.parse(stdout) as { config: unknown }).config).toMatchObject({
      target: { endpoint: "completions", model: "gate", baseUrl: "http://127.0.0.1:8001" },
      ignoreEos: true,
      skipChatTemplate: true,
      outputLen: 128,
      numPrompts: 96,
      concurrency: 16,
      warmupRequests: 16,
      outputJson: "out/r.json",
      output: "out/r-records.jsonl",
      declared: { tokenizer: "folder" },
    });
  });
});

describe("onpar config validate", () => {
  it("accepts what is right", async () => {
    const config = file("right.yaml", "concurrency: 4\n");
    expect(await onpar(["config", "validate", config])).toEqual({
      code: 0,
      stdout: `${config}: valid\n`,
      stderr: "",
    });
  });

  it("prints every problem with its place", async () => {
    const config = file("wrong.yaml", "concurency: 4\nload:\n  rate: fast\nseed: -1\n");
    const { code, stderr } = await onpar(["config", "validate", config]);
    expect(code).toBe(2);
    expect(stderr.split("\n").map((line) => line.replace(`onpar: ${config}`, ""))).toEqual([
      ":1:1 concurency: unknown setting; did you mean concurrency?",
      ':3:3 load.rate: expected a number above 0 and at most 1000000, or a text such as 10/s or 600/min, got "fast"',
      ":4:1 seed: expected a whole number from 0 to 2147483647, got -1",
      "",
    ]);
  });

  it.each([
    ["missing.yaml", null, "ENOENT"],
    ["binary.yaml", "\u0000\uD800", null],
  ])("says in one line what is wrong with %s", async (name, text, says) => {
    const config = text === null ? path.join(folder, name) : file(name, text);
    const { code, stderr } = await onpar(["config", "validate", config]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^onpar: [^\n]+\n$/);
    expect(stderr).toContain(says ?? config);
  });

  it("refuses a folder", async () => {
    expect((await onpar(["config", "validate", folder])).stderr).toContain("it is a folder");
  });

  it("needs a command", async () => {
    const { code, stderr } = await onpar(["config"]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "onpar: onpar config needs a command: show, validate or schema\n",
    });
  });
});

describe("onpar config schema", () => {
  it("prints a JSON Schema with every group", async () => {
    const { code, stdout } = await onpar(["config", "schema"]);
    expect(code).toBe(0);
    const schema = JSON.parse(stdout) as {
      properties: Record<string, unknown>;
      additionalProperties: unknown;
    };
    expect(Object.keys(schema.properties)).toEqual(
      expect.arrayContaining(["target", "dataset", "load", "cache", "slos", "repetition", "sweep", "server"]),
    );
    expect(schema.additionalProperties).toBe(false);
  });
});

describe("onpar presets", () => {
  it("lists all of them with their date", async () => {
    const { code, stdout } = await onpar(["presets"]);
    expect(code).toBe(0);
    expect(stdout.trimEnd().split("\n")).toHaveLength(presets.length);
    for (const { name, source } of presets)
      expect(stdout).toMatch(new RegExp(`^${name} .*\\(${source.date}\\)$`, "m"));
  });

  it("shows one, with its source and where this program cannot do the same", async () => {
    const { stdout } = await onpar(["presets", "online-gate"]);
    expect(stdout).toContain("source: mudler/vllm.cpp");
    expect(stdout).toContain("  ignoreEos: true\n");
    expect(stdout).toContain("otherwise than the source:\n  - ");
    const json = await onpar(["presets", "online-gate", "--json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ name: "online-gate" });
  });

  it("names the known ones for an unknown one", async () => {
    const { code, stderr } = await onpar(["presets", "ctxswep"]);
    expect(code).toBe(2);
    expect(stderr).toContain('no preset is called "ctxswep"; known are ctxsweep, concbench');
  });
});

describe("onpar run", () => {
  it("refuses by name what a preset asks for and this version does not carry out", async () => {
    const { code, stderr } = await onpar(["run", "--preset", "ctxswep"]);
    expect(code).toBe(2);
    expect(stderr).toBe('onpar: --preset: no preset is called "ctxswep"; did you mean ctxsweep?\n');
  });

  it.each([["--profile"], ["--lora-modules", "a", "b"], ["--use-beam-search"]])(
    "refuses %s of another harness by name",
    async (...flags) => {
      const { code, stderr } = await onpar(["run", ...flags]);
      expect(code).toBe(2);
      expect(stderr).toMatch(new RegExp(`^onpar: ${flags[0]}: cannot be honoured: [^\n]+\n$`));
    },
  );
});

it("what this version does not carry out is named by settings that there are", () => {
  const paths = configFields.map((field) => field.path);
  const unknown = Object.keys(unsupported).filter(
    (known) => !paths.some((one) => one === known || one.startsWith(`${known}.`)),
  );
  expect(unknown).toEqual([]);
  const spelled = (setting: string) => `--${setting}`;
  const changed = { ...benchConfigSchema.parse({}), numPrompts: 7, seed: 5 };
  expect(unsupportedSettings(changed, spelled)).toEqual([]);
});

it("the manual names the commands and shows an example that is valid", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  for (const command of ["config show", "config validate FILE", "config schema", "presets [NAME]"]) {
    expect(readme).toContain(`\`onpar ${command}\``);
  }
  const [, text = ""] = /```yaml\n(# yaml-language-server[^`]+)```/.exec(readme) ?? [];
  expect(resolveConfig([configLayerFromText({ name: "example.yaml", text })]).config.concurrency).toBe(32);
});
