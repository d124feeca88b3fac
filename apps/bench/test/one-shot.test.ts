import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { onpar } from "./fake-env.ts";
import { startModelServer, type ModelServer } from "./model-server.ts";

const folder = mkdtempSync(path.join(tmpdir(), "onpar-bench-"));
const words = "word0 word1 word2 word3 word4 word5 ";
let server: ModelServer;

beforeAll(async () => {
  server = await startModelServer();
});

afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("onpar chat", () => {
  it("prints the text on standard output and the figures on standard error", async () => {
    const { code, stdout, stderr } = await onpar(["chat", `--base-url=${server.url}`, "Say words."]);
    expect(code).toBe(0);
    expect(stdout).toBe(words);
    expect(stderr).toMatch(/tokens +prompt 2\b.*, output 6 \(counted by usage\)/);
    expect(stderr).toMatch(/ended by +stop/);
    expect(stderr).toMatch(/TTFT +[\d.]+ ms/);
    expect(stderr).toMatch(/acceptance +unknown/);
    expect(server.requests.at(-1)).toMatchObject({
      messages: [{ role: "user", content: "Say words." }],
      ignore_eos: false,
      max_tokens: 512,
    });
  });

  it("puts system message, messages of a file and the message in that order", async () => {
    const file = path.join(folder, "messages.json");
    const before = [
      { role: "user", content: "one" },
      { role: "assistant", content: "two" },
    ];
    writeFileSync(file, JSON.stringify({ messages: before }));
    const argv = ["chat", `--base-url=${server.url}`, "--system", "Be brief.", "--messages", file, "three"];
    expect((await onpar(argv)).code).toBe(0);
    expect(server.requests.at(-1)?.["messages"]).toEqual([
      { role: "system", content: "Be brief." },
      ...before,
      { role: "user", content: "three" },
    ]);
  });

  it("sends enable_thinking only when it is set", async () => {
    await onpar(["chat", `--base-url=${server.url}`, "hello"]);
    expect(server.requests.at(-1)?.["chat_template_kwargs"] ?? {}).toEqual({});
    await onpar(["chat", `--base-url=${server.url}`, "--no-enable-thinking", "hello"]);
    expect(server.requests.at(-1)?.["chat_template_kwargs"]).toEqual({ enable_thinking: false });
  });

  it("reads the message from a pipe", async () => {
    const { code } = await onpar(["chat", `--base-url=${server.url}`], { stdin: "from the pipe" });
    expect(code).toBe(0);
    expect(server.requests.at(-1)?.["messages"]).toEqual([{ role: "user", content: "from the pipe" }]);
  });
});

describe("onpar complete", () => {
  it("sends the prompt as it is and takes the cap and the rule from the flags", async () => {
    const argv = ["complete", `--base-url=${server.url}`, "--ignore-eos", "--max-tokens=9", "Once upon"];
    const { code, stdout, stderr } = await onpar(argv);
    expect(code).toBe(0);
    expect(stdout).toBe(`${words}word6 word7 word8 `);
    expect(stderr).toMatch(/ended by +length/);
    expect(server.requests.at(-1)).toMatchObject({ prompt: "Once upon", ignore_eos: true, max_tokens: 9 });
  });

  it("prints one JSON object with --json, and nothing with --quiet but the text", async () => {
    const json = await onpar(["complete", `--base-url=${server.url}`, "--json", "Once upon"]);
    expect({ code: json.code, stderr: json.stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(json.stdout)).toMatchObject({
      schema: "onpar.one-shot/1",
      text: words,
      record: { state: "ok", outputTokens: 6, tokenSource: "usage" },
      figures: { ttftMs: expect.any(Number) },
      acceptance: null,
    });
    const quiet = await onpar(["complete", `--base-url=${server.url}`, "--quiet", "Once upon"]);
    expect(quiet).toEqual({ code: 0, stdout: words, stderr: "" });
  });

  it("ends the text's line on a terminal", async () => {
    const { stdout } = await onpar(["complete", `--base-url=${server.url}`, "Once upon"], {
      stdoutIsTerminal: true,
    });
    expect(stdout).toBe(`${words}\n`);
  });
});
