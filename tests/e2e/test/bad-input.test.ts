import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { onpar, startServer, type RunningServer } from "../src/processes.ts";
import { temporaryFolder } from "../src/runs.ts";

const key = "a-key-for-this-test";
const folder = temporaryFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer([`--api-key=${key}`, "--ctx=512"]);
});

afterAll(async () => {
  folder.remove();
  expect(await server.stop()).toBe(0);
});

/** Runs a command that must fail and gives its exit code and its one line of complaint. */
async function complaint(flags: readonly string[], apiKey = key) {
  const { code, stdout, stderr } = await onpar(flags, { OPENAI_API_KEY: apiKey });
  expect(stdout).toBe("");
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  return { code, line: stderr.trimEnd() };
}

/** A run of one prompt against the test's server. */
const oneRequest = (...flags: readonly string[]) => [
  "run",
  `--base-url=${server.url}`,
  "--num-prompts=1",
  ...flags,
];

describe("bad input is one line that names what and where, and a non-zero exit code", () => {
  test("unreachable server", async () => {
    const { code, line } = await complaint(["run", "--base-url=http://127.0.0.1:9", "--num-prompts=1"]);
    expect(code).toBe(3);
    expect(line).toContain("http://127.0.0.1:9");
  });

  test("bad key", async () => {
    const { code, line } = await complaint(oneRequest(), "a-wrong-key");
    expect(code).toBe(3);
    expect(line).toContain("401");
    expect(line).toContain("OPENAI_API_KEY");
    expect(line).not.toContain("a-wrong-key");
  });

  test("wrong model", async () => {
    const { code, line } = await complaint(oneRequest("--model=no-such-model"));
    expect(code).toBe(3);
    expect(line).toContain("no-such-model");
  });

  test("prompt over the context", async () => {
    const { code, line } = await complaint(oneRequest("--input-len=600", "--output-len=16"));
    expect(code).toBe(3);
    expect(line).toMatch(/\b512\b/);
    expect(line).toMatch(/\b6\d\d\b/);
  });

  test("unknown flag", async () => {
    const { code, line } = await complaint(["run", "--ignor-eos"]);
    expect(code).toBe(2);
    expect(line).toContain("--ignor-eos");
    expect(line).toContain("--ignore-eos");
  });

  test("contradictory flags", async () => {
    const { code, line } = await complaint(["run", "--chat-template={{ messages }}"]);
    expect(code).toBe(2);
    expect(line).toContain("--chat-template");
    expect(line).toContain("--no-skip-chat-template");
  });

  test("broken dataset line", async () => {
    const dataset = folder.file("prompts.jsonl");
    writeFileSync(dataset, '{"prompt": "one"}\n{"prompt": \n');
    const { code, line } = await complaint(oneRequest(`--dataset-path=${dataset}`));
    expect(code).toBe(2);
    expect(line).toContain(`${dataset}:2`);
  });

  test("missing template", async () => {
    const missing = folder.file("missing.jinja");
    const { code, line } = await complaint(
      oneRequest("--no-skip-chat-template", `--chat-template=${missing}`),
    );
    expect(code).toBe(2);
    expect(line).toContain(missing);
  });
});
