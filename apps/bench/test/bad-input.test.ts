import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { onpar, type FakeEnvOptions } from "./fake-env.ts";
import { startModelServer, type ModelServer } from "./model-server.ts";

const folder = mkdtempSync(path.join(tmpdir(), "onpar-bench-"));
const inFolder = (name: string) => path.join(folder, name);
let server: ModelServer;
let locked: ModelServer;

beforeAll(async () => {
  server = await startModelServer({ contextSize: 64 });
  locked = await startModelServer({ apiKey: "right" });
  writeFileSync(inFolder("broken.jsonl"), '{"prompt": "one"}\n{"prompt": \n');
  writeFileSync(inFolder("conversation.jsonl"), '{"messages": [{"role": "user", "content": "one"}]}\n');
  writeFileSync(inFolder("messages.json"), '[{"role": "user", "content": 7}]');
  writeFileSync(inFolder("not.json"), "{");
  writeFileSync(inFolder("not.gguf"), "no model");
});

afterAll(async () => {
  await Promise.all([server.close(), locked.close()]);
  rmSync(folder, { recursive: true, force: true });
});

interface Case {
  readonly argv: () => readonly string[];
  readonly code: number;
  readonly says: readonly string[];
  readonly options?: FakeEnvOptions;
}

const toServer = (...flags: string[]) => ["run", `--base-url=${server.url}`, "--num-prompts=1", ...flags];
const short = ["--input-len=8", "--output-len=8"];

const cases: Readonly<Record<string, Case>> = {
  "unreachable server": {
    argv: () => ["run", "--base-url=http://127.0.0.1:9", "--num-prompts=1"],
    code: 3,
    says: ["http://127.0.0.1:9"],
  },
  "bad key": {
    argv: () => ["run", `--base-url=${locked.url}`, "--num-prompts=1", ...short],
    code: 3,
    says: ["401", "OPENAI_API_KEY"],
    options: { variables: { OPENAI_API_KEY: "wrong-key" } },
  },
  "wrong model": { argv: () => toServer("--model=other", ...short), code: 3, says: ["other"] },
  "prompt over the context": {
    argv: () => toServer("--input-len=100", "--output-len=8"),
    code: 3,
    says: ["64"],
  },
  "unknown flag": { argv: () => ["run", "--ignor-eos"], code: 2, says: ["--ignor-eos", "--ignore-eos"] },
  "unknown negated flag": { argv: () => ["chat", "--no-ignor-eos"], code: 2, says: ["--no-ignore-eos"] },
  "unknown command": { argv: () => ["rnu"], code: 2, says: ["rnu", "run"] },
  "no command": {
    argv: () => [],
    code: 2,
    says: ["a command is needed: run, chat, complete, ", "render", "sweep", "onpar --help shows them"],
  },
  "no kind of sweep": {
    argv: () => ["sweep"],
    code: 2,
    says: ["onpar sweep", "context, concurrency, ", "onpar sweep --help shows them"],
  },
  "unknown kind of experiment": {
    argv: () => ["experiment", "eos"],
    code: 2,
    says: ["unknown command 'eos'", "accfix, ", "lossless", "onpar experiment --help shows them"],
  },
  "flag and its opposite": {
    argv: () => ["run", "--ignore-eos", "--no-ignore-eos"],
    code: 2,
    says: ["--ignore-eos", "--no-ignore-eos"],
  },
  "template that is skipped": {
    argv: () => ["run", "--chat-template={{ messages }}"],
    code: 2,
    says: ["--chat-template", "--no-skip-chat-template"],
  },
  "flag of the engine's own": { argv: () => ["run", "--num-blocks", "4"], code: 2, says: ["--num-blocks"] },
  "file that only an engine can fill": {
    argv: () => ["run", "--output-token-ids", "ids.jsonl"],
    code: 2,
    says: ["--output-token-ids: cannot be honoured", "not with token ids"],
  },
  "file before another flag": {
    argv: () => ["run", "--output-token-ids", "--json"],
    code: 2,
    says: ["--output-token-ids needs a value, and is followed by --json"],
  },
  "overwrite of nothing": {
    argv: () => toServer("--overwrite"),
    code: 2,
    says: ["--overwrite", "--output-json"],
  },
  "key that is not there": {
    argv: () => toServer("--api-key-env=NO_SUCH_KEY", ...short),
    code: 2,
    says: ["--api-key-env NO_SUCH_KEY", "not set"],
  },
  "key of a one-shot that is not there": {
    argv: () => ["chat", `--base-url=${server.url}`, "--api-key-env=NO_SUCH_KEY", "hello"],
    code: 2,
    says: ["--api-key-env NO_SUCH_KEY", "not set"],
    options: { variables: { NO_SUCH_KEY: "" } },
  },
  "conversation without a template": {
    argv: () => toServer(`--dataset-path=${inFolder("conversation.jsonl")}`, "--output-len=8"),
    code: 2,
    says: ["is a conversation", "--no-skip-chat-template"],
  },
  "more slots than the engine has": {
    argv: () => ["run", "--demo", "--num-prompts=2", "--concurrency=1000"],
    code: 2,
    says: ["--concurrency must be an integer from 1 to 256, got 1000"],
  },
  "more context than the model has": {
    argv: () => ["complete", "--demo", "--ctx=16000000", "text"],
    code: 2,
    says: ["--ctx 16000000 is more than"],
  },
  "flag without its value": {
    argv: () => ["run", "--model", "--concurrency", "4"],
    code: 2,
    says: ["--model needs a value", "--concurrency"],
  },
  "flag at the end without its value": { argv: () => ["run", "--model"], code: 2, says: ["--model"] },
  "no number": { argv: () => ["run", "--concurrency", "many"], code: 2, says: ["--concurrency", "many"] },
  "broken dataset line": {
    argv: () => toServer(`--dataset-path=${inFolder("broken.jsonl")}`, "--output-len=8"),
    code: 2,
    says: [`${inFolder("broken.jsonl")}:2`],
  },
  "missing dataset": {
    argv: () => toServer(`--dataset-path=${inFolder("none.jsonl")}`, "--output-len=8"),
    code: 2,
    says: [inFolder("none.jsonl")],
  },
  "missing template": {
    argv: () => toServer("--no-skip-chat-template", `--chat-template=${inFolder("none.jinja")}`, ...short),
    code: 2,
    says: [inFolder("none.jinja")],
  },
  "missing model file": {
    argv: () => ["complete", "--endpoint=engine", `--model=${inFolder("none.gguf")}`, "text"],
    code: 2,
    says: [inFolder("none.gguf")],
  },
  "no model file": {
    argv: () => ["complete", "--endpoint=engine", `--model=${inFolder("not.gguf")}`, "text"],
    code: 2,
    says: [inFolder("not.gguf")],
  },
  "demo and a model": {
    argv: () => ["run", "--demo", "--model=other"],
    code: 2,
    says: ["--demo", "--model"],
  },
  "demo and a server": {
    argv: () => ["chat", "--demo", "--base-url=http://127.0.0.1:9", "hello"],
    code: 2,
    says: ["--base-url"],
  },
  "raw prompt to a chat endpoint": {
    argv: () => ["complete", "--endpoint=chat-completions", "text"],
    code: 2,
    says: ["onpar chat"],
  },
  "no message": { argv: () => ["chat"], code: 2, says: ["message"] },
  "empty standard input": {
    argv: () => ["complete"],
    code: 2,
    says: ["prompt"],
    options: { stdin: "" },
  },
  "messages that are none": {
    argv: () => ["chat", `--messages=${inFolder("messages.json")}`],
    code: 2,
    says: [inFolder("messages.json"), "messages[0].content"],
  },
  "messages that are no JSON": {
    argv: () => ["chat", `--messages=${inFolder("not.json")}`],
    code: 2,
    says: [inFolder("not.json"), "JSON"],
  },
  "one-shot with a wrong model": {
    argv: () => ["chat", `--base-url=${server.url}`, "--model=other", "--max-tokens=8", "hello"],
    code: 3,
    says: ["other"],
  },
  "one-shot to an unreachable server": {
    argv: () => ["complete", "--base-url=http://127.0.0.1:9", "hello"],
    code: 3,
    says: ["http://127.0.0.1:9"],
  },
};

describe("bad input is one line on standard error, and an exit code of the table", () => {
  it.each(Object.entries(cases))("%s", async (_name, { argv, code, says, options }) => {
    const outcome = await onpar(argv(), options);
    expect(outcome.code, outcome.stderr).toBe(code);
    expect(outcome.stdout).toBe("");
    expect(outcome.stderr).toMatch(/^onpar: [^\n]+\n$/);
    for (const part of says) expect(outcome.stderr).toContain(part);
    expect(outcome.stderr).not.toMatch(/\n +at |wrong-key/);
  });

  it("shows the stack when ONPAR_DEBUG=1", async () => {
    const { stderr } = await onpar(["run", "--model"], { variables: { ONPAR_DEBUG: "1" } });
    expect(stderr).toMatch(/\n +at /);
  });
});
