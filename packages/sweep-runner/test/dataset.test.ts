import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readDataset } from "../src/dataset.ts";
import { runError, withFolder } from "./support/run.ts";

async function read(content: string, wanted = 100) {
  return withFolder(async (folder) => {
    const path = join(folder, "data.jsonl");
    await writeFile(path, content);
    return readDataset(path, wanted);
  });
}

async function fault(content: string): Promise<string> {
  const error = await runError(read(content));
  expect(error.code).toBe("DATASET_INVALID");
  return error.message;
}

const lines = (...rows: readonly unknown[]): string =>
  rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n");

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
    ["an empty line of turns", lines({ turns: [] }), /:1: "turns"/],
  ])("name file, line and fault: %s", async (_, content, message) => {
    expect(await fault(content)).toMatch(message);
  });
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

  it("names the entry, or the line where the JSON breaks", async () => {
    expect(await fault(JSON.stringify([{ conversations: [{ value: "x" }] }]))).toMatch(
      /entry 0: conversations\[0\]\.from/,
    );
    expect(await fault('[\n{"conversations": []},\n{"conversations": oops}\n]')).toMatch(
      /data\.jsonl:3: not JSON/,
    );
  });
});

it("a file that is not there is said so", async () => {
  const error = await runError(readDataset("/nonexistent/prompts.jsonl", 1));
  expect(error.message).toBe("cannot read the dataset /nonexistent/prompts.jsonl: no such file");
});
