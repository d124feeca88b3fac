import { createHash } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isAbsolute, relative, sep } from "node:path";
import { describe, expect, it } from "vitest";
import { demoModel } from "../src/index.ts";

const packageFolder = fileURLToPath(new URL("..", import.meta.url));

interface Prompt {
  id: string;
  task: string;
  messages: { role: string; content: string }[];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isPrompt(value: unknown): value is Prompt {
  return (
    isObject(value) &&
    typeof value["id"] === "string" &&
    typeof value["task"] === "string" &&
    Array.isArray(value["messages"]) &&
    value["messages"].every(
      (m) => isObject(m) && typeof m["role"] === "string" && typeof m["content"] === "string",
    )
  );
}

function readPrompts(): Prompt[] {
  const lines = readFileSync(demoModel.promptsPath, "utf8").trimEnd().split("\n");
  return lines.map((line, index) => {
    const value: unknown = JSON.parse(line);
    if (!isPrompt(value)) throw new Error(`line ${index + 1} of prompts.jsonl is not a prompt`);
    return value;
  });
}

describe.each(["target", "draft"] as const)("%s file", (which) => {
  const file = demoModel[which];

  it("has the stated size and checksum", () => {
    expect(isAbsolute(file.path)).toBe(true);
    expect(statSync(file.path).size).toBe(file.bytes);
    expect(createHash("sha256").update(readFileSync(file.path)).digest("hex")).toBe(file.sha256);
  });

  it("is a GGUF version 3 file whose tensors have the stated number of parameters", () => {
    const bytes = readFileSync(file.path);
    expect(bytes.toString("latin1", 0, 4)).toBe("GGUF");
    expect(bytes.readUInt32LE(4)).toBe(3);
    // Q8_0 takes 34 bytes for 32 weights; norms are kept in 32 bits and the head is small.
    expect(file.bytes / file.parameters).toBeGreaterThan(34 / 32);
    expect(file.bytes / file.parameters).toBeLessThan((34 / 32) * 1.1);
  });
});

describe("prompts", () => {
  it("are 64 conversations that end with a user turn, each line holding id, task and messages only", () => {
    const prompts = readPrompts();
    expect(prompts).toHaveLength(64);
    for (const prompt of prompts) {
      expect(Object.keys(prompt)).toEqual(["id", "task", "messages"]);
      expect(prompt.messages.at(-1)?.role).toBe("user");
      for (const message of prompt.messages) {
        expect(["system", "user", "assistant"]).toContain(message.role);
        expect(message.content.length).toBeGreaterThan(0);
      }
    }
    expect(new Set(prompts.map((prompt) => prompt.id)).size).toBe(64);
  });

  it("cover prose, code, copying, tables and questions, with and without earlier turns", () => {
    const prompts = readPrompts();
    const tasks = new Set(prompts.map((prompt) => prompt.task));
    expect(tasks.size).toBe(26);
    for (const task of [
      "define",
      "story",
      "essay",
      "code",
      "explain",
      "rename",
      "mdtable",
      "copy",
      "email",
      "arith",
    ]) {
      expect(tasks).toContain(task);
    }
    const withHistory = prompts.filter((prompt) =>
      prompt.messages.some((m) => m.role === "assistant"),
    ).length;
    expect(withHistory).toBeGreaterThanOrEqual(12);
    expect(withHistory).toBeLessThanOrEqual(52);
  });
});

describe("published package", () => {
  it("holds every file that the module points at", () => {
    const manifest: unknown = JSON.parse(readFileSync(`${packageFolder}/package.json`, "utf8"));
    const files = isObject(manifest) ? manifest["files"] : undefined;
    const paths = [demoModel.target.path, demoModel.draft.path, demoModel.promptsPath, demoModel.cardPath];
    for (const path of paths) {
      const inPackage = relative(packageFolder, path);
      const top = inPackage.split(sep)[0];
      expect(files).toContain(top);
    }
  });

  it("states the checksums and sizes of the files in its card", () => {
    const card = readFileSync(demoModel.cardPath, "utf8");
    for (const file of [demoModel.target, demoModel.draft]) {
      expect(card).toContain(file.sha256);
      expect(card).toContain(file.bytes.toLocaleString("en"));
      expect(card).toContain(file.parameters.toLocaleString("en"));
    }
  });
});
