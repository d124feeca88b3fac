import { readFileSync } from "node:fs";
import { demoModel } from "@onpar/demo-model";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startServer, type RunningServer } from "../src/processes.ts";

const prompts = 20;
let drafting: RunningServer;
let plain: RunningServer;

beforeAll(async () => {
  drafting = await startServer(["--draft-tokens=5", "--slots=1"]);
  plain = await startServer(["--no-draft", "--slots=1"]);
});

afterAll(async () => {
  expect(await Promise.all([drafting.stop(), plain.stop()])).toEqual([0, 0]);
});

async function greedyAnswer(server: RunningServer, messages: unknown): Promise<string | undefined> {
  const response = await fetch(new URL("/v1/chat/completions", server.url), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      messages,
      temperature: 0,
      max_tokens: 256,
      chat_template_kwargs: { enable_thinking: false },
    }),
  });
  expect(response.status).toBe(200);
  const body = (await response.json()) as { choices: { message: { content: string } }[] };
  return body.choices[0]?.message.content;
}

test(`greedy text is the same with the draft and without it, on ${prompts} prompts`, async () => {
  const rows = readFileSync(demoModel.promptsPath, "utf8")
    .trim()
    .split("\n")
    .slice(0, prompts)
    .map((line) => JSON.parse(line) as { id: string; messages: unknown });
  expect(rows).toHaveLength(prompts);
  for (const { id, messages } of rows) {
    const [withDraft, without] = [
      await greedyAnswer(drafting, messages),
      await greedyAnswer(plain, messages),
    ];
    expect(withDraft, id).toMatch(/\S/);
    expect(withDraft, id).toBe(without);
  }
});
