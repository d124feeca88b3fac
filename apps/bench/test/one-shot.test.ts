import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { run } from "../src/run.ts";
import { fakeEnv, onpar } from "./fake-env.ts";
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

describe("a request that does not end well", () => {
  const faults = {
    stall: /200 ms/,
    cut: /./,
    "error-event": /the device was lost/,
    "500": /HTTP 500.*out of memory/,
    html: /./,
  } as const;

  it.each(Object.entries(faults))("says why on standard error, and ends with 4: %s", async (fault, says) => {
    const broken = await startModelServer({ breaks: fault as keyof typeof faults });
    try {
      for (const flags of [[], ["--quiet"], ["--json"]]) {
        const argv = ["chat", `--base-url=${broken.url}`, "--request-timeout=200ms", ...flags, "hello"];
        const { code, stderr } = await onpar(argv);
        expect(code, stderr).toBe(4);
        const lines = stderr.split("\n").filter((line) => line.startsWith("onpar: "));
        expect(lines).toHaveLength(1);
        expect(lines[0]).toMatch(/^onpar: the request failed: ./);
        expect(lines[0]).toMatch(says);
        expect(lines[0]).not.toContain("no reason was recorded");
      }
    } finally {
      await broken.close();
    }
  });

  it("says that it was interrupted", async () => {
    const slow = await startModelServer({ breaks: "stall" });
    const env = fakeEnv();
    try {
      const running = run(["chat", `--base-url=${slow.url}`, "hello"], env);
      while (!env.written.stdout.includes("word1")) await new Promise((resolve) => setTimeout(resolve, 5));
      env.interrupt();
      expect(await running).toBe(130);
    } finally {
      await slow.close();
    }
    expect(env.written.stderr).toMatch(/^onpar: interrupted: /m);
    expect(env.written.stderr).toMatch(/ended by +abort/);
    expect(env.written.stderr).not.toMatch(/ended by +unknown/);
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
