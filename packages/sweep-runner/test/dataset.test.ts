import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DeclaredRows } from "../src/datasets/dataset-rows.ts";
import { readDataset } from "../src/datasets/dataset.ts";
import { runError, withFolder } from "./support/run.ts";

async function read(content: string | Buffer, wanted = 100, declared: DeclaredRows = "auto") {
  return withFolder(async (folder) => {
    const path = join(folder, "data.jsonl");
    await writeFile(path, content);
    return readDataset(path, wanted, { declared });
  });
}

async function fault(content: string | Buffer): Promise<string> {
  const error = await runError(read(content));
  expect(error.code).toBe("DATASET_INVALID");
  return error.message;
}

const lines = (...rows: readonly unknown[]): string =>
  rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n");

describe("a declared kind", () => {
  const prompt = { prompt: "a" };
  const shareGpt = { conversations: [{ from: "human", value: "hello" }] };

  it("takes the rows that it names", async () => {
    expect((await read(lines(prompt, prompt), 2, "prompts")).rows).toHaveLength(2);
    expect((await read(JSON.stringify([shareGpt]), 1, "sharegpt")).rows).toHaveLength(1);
  });

  it("refuses others, with their place", async () => {
    const asPrompts = await runError(read(lines(prompt, shareGpt), 2, "prompts"));
    expect(asPrompts.message).toMatch(/data\.jsonl:2: .*said to hold prompts/);
    const asShareGpt = await runError(read(JSON.stringify([shareGpt, prompt]), 2, "sharegpt"));
    expect(asShareGpt.message).toMatch(/entry 1: .*said to be sharegpt/);
  });
});

describe("JSON lines", () => {
  it("read prompts under the usual names, conversations and ids", async () => {
    const tools = [{ type: "function", function: { name: "f" } }];
    const messages = [{ role: "user", content: "m", name: "kept" }];
    const { rows } = await read(
      `\uFEFF${lines({ prompt: "a" }, { text: "b", id: 7 }, "", { question: "c", question_id: "q" }, { turns: ["d", "e"] }, { messages, tools })}\r\n`,
    );
    expect(rows).toEqual([
      { kind: "text", id: null, text: "a" },
      { kind: "text", id: "7", text: "b" },
      { kind: "text", id: "q", text: "c" },
      { kind: "text", id: null, text: "d" },
      { kind: "conversation", id: null, conversation: { messages, tools } },
    ]);
  });

  it("are not ended by the line separators that JSON texts may hold", async () => {
    const prompt = "a\u2028b\u2029c\u0085d";
    const { rows } = await read(lines({ prompt }, { prompt: "e" }));
    expect(rows).toMatchObject([{ text: prompt }, { text: "e" }]);
  });

  it("stop at the rows that are wanted", async () => {
    const { rows } = await read(lines({ prompt: "a" }, { prompt: "b" }, "broken"), 2);
    expect(rows).toHaveLength(2);
  });

  it.each([
    ["not JSON", lines({ prompt: "a" }, "{oops"), /data\.jsonl:2: not JSON: /],
    ["no object", lines("3"), /:1: expected an object.*found a number/],
    ["no known key", lines({ instruction: "x", label: 1 }), /:1: no "prompt".*keys: instruction, label/],
    ["an empty prompt", lines({ prompt: "" }), /:1: "prompt" is empty/],
    ["a prompt that is no text", lines({ prompt: ["a"] }), /:1: "prompt" must be a text, found a list/],
    ["no messages", lines({ prompt: "a" }, "", { messages: [] }), /:3: .*empty conversation/],
    ["a message without role", lines({ messages: [{ content: "x" }] }), /:1: messages\[0\]\.role/],
    [
      "tools that are no list",
      lines({ messages: [{ role: "user", content: "x" }], tools: 3 }),
      /:1: "tools"/,
    ],
    [
      "a role that no server knows",
      lines({
        messages: [
          { role: "user", content: "x" },
          { role: "wizard", content: "x" },
        ],
      }),
      /data\.jsonl:1: messages\[1\]\.role: expected one of system, developer, user, assistant, tool, got "wizard"$/,
    ],
    [
      "content that is a number",
      lines({ prompt: "a" }, { messages: [{ role: "user", content: 3 }] }),
      /data\.jsonl:2: messages\[0\]\.content: expected a text, null or a list of parts, got a number$/,
    ],
    [
      "an id for the second time",
      lines(
        { id: "a", prompt: "x" },
        { prompt: "y" },
        { question_id: "b", prompt: "z" },
        { id: "a", text: "w" },
      ),
      /data\.jsonl:4: the id "a" stands at line 1 already$/,
    ],
    ["an empty line of turns", lines({ turns: [] }), /:1: "turns"/],
  ])("name file, line and fault: %s", async (_, content, message) => {
    expect(await fault(content)).toMatch(message);
  });
});

it("every role of the API is read", async () => {
  const messages = ["system", "developer", "user", "assistant", "tool"].map((role) => ({
    role,
    content: "x",
  }));
  expect((await read(lines({ messages }))).rows).toMatchObject([{ conversation: { messages } }]);
});

it("bytes that are not UTF-8 are refused with their line, in lines and in a list", async () => {
  const latin1 = (text: string): Buffer => Buffer.from(text, "latin1");
  expect(await fault(latin1('{"prompt": "a"}\n{"prompt": "caf\u00e9"}\n'))).toMatch(
    /data\.jsonl:2: not UTF-8: save the file in that encoding$/,
  );
  expect(await fault(latin1('[\n{"prompt": "a"},\n{"prompt": "caf\u00e9"}]'))).toMatch(
    /data\.jsonl:3: not UTF-8/,
  );
  expect((await read('{"prompt": "\uFFFD caf\u00e9"}')).rows).toMatchObject([{ text: "\uFFFD caf\u00e9" }]);
});

describe("ShareGPT", () => {
  const turn = (from: string, value: string) => ({ from, value });

  it("gives the first human turn of each conversation and leaves out those without one", async () => {
    const list = [
      { id: "a", conversations: [turn("system", "s"), turn("human", "hello"), turn("gpt", "hi")] },
      { id: "b", conversations: [turn("gpt", "alone")] },
      { id: "c", conversations: [{ role: "user", content: "yo" }] },
      { id: "d", conversations: [] },
    ];
    expect(await read(JSON.stringify(list, null, 1))).toEqual({
      rows: [
        { kind: "text", id: "a", text: "hello" },
        { kind: "text", id: "c", text: "yo" },
      ],
      skipped: 2,
    });
    expect((await read(lines(...list))).rows).toHaveLength(2);
  });

  it("refuses an id for the second time", async () => {
    const list = ["a", "b", "a"].map((id) => ({ id, conversations: [turn("human", "hello")] }));
    expect(await fault(JSON.stringify(list))).toMatch(/: entry 2: the id "a" stands at entry 0 already$/);
  });

  it("names the entry, or the line where the JSON breaks", async () => {
    expect(await fault(JSON.stringify([{ conversations: [{ value: "x" }] }]))).toMatch(
      /entry 0: conversations\[0\]\.from/,
    );
    expect(await fault('[\n{"conversations": []},\n{"conversations": oops}\n]')).toMatch(
      /data\.jsonl:3: not JSON/,
    );
  });
});

it("a folder is said to be one", async () => {
  await withFolder(async (folder) => {
    const error = await runError(readDataset(folder, 1));
    expect(error.code).toBe("DATASET_INVALID");
    expect(error.message).toBe(`cannot read the dataset ${folder}: it is a folder; name a file in it`);
  });
});

it("a file that is not there is said so", async () => {
  const error = await runError(readDataset("/nonexistent/prompts.jsonl", 1));
  expect(error.message).toBe("cannot read the dataset /nonexistent/prompts.jsonl: no such file");
});
