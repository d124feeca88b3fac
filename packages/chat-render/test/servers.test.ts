import { describe, expect, test } from "vitest";
import { compileChatTemplate, parseJson } from "../src/index.ts";
import type { Conversation } from "../src/index.ts";
import {
  fixture,
  fixtureLines,
  fixtureTemplates,
  now,
  specialTokens,
  variablesOf,
  type ConversationRow,
} from "./support/fixtures.ts";
import { outcomeOf } from "./support/outcome.ts";

/*
 * The views beside the servers themselves: vLLM and llama-server rendered the fixtures' conversations with the fixtures'
 * templates (tools/chat-oracle tells how), and the views must give the same texts.
 */

const templates = fixtureTemplates();
const conversations = fixtureLines<ConversationRow>("conversations.jsonl");

type ServerResult = { readonly text: string } | { readonly error: unknown };
type Results = Readonly<Record<string, ServerResult>>;

/** The prompt; null where the server refused the request. */
function textOf(result: ServerResult | undefined): string | null {
  return result !== undefined && "text" in result ? result.text : null;
}

/** What was sent: the row's JSON text, with an id for every tool call of a message (vLLM refuses calls without one). */
function withIds(text: string): string {
  const { messages } = JSON.parse(text) as { messages: { tool_calls?: { id?: string }[] }[] };
  let next = 0;
  const ids = messages.flatMap(({ tool_calls = [] }) =>
    tool_calls.map(({ id }, index) => (id === undefined ? index : null)),
  );
  return text.replaceAll('{"type": "function", "function": {"name": ', (call: string, at: number) => {
    const index = at < text.indexOf('"tools": [') || !text.includes('"tools": [') ? ids[next++] : null;
    return index === null || index === undefined ? call : call.replace("{", `{"id": "call${index}", `);
  });
}

function conversationOf(text: string): Conversation {
  const value = parseJson(text) as unknown as { get(key: string): unknown };
  return {
    messages: value.get("messages"),
    tools: value.get("tools") ?? null,
    documents: value.get("documents") ?? null,
  } as Conversation;
}

describe("vllm", () => {
  const rendered = JSON.parse(fixture("vllm.json")) as Readonly<Record<string, Results>>;

  test.each(Object.entries(rendered))("%s", (name, results) => {
    const template = (templates.get(name) ?? "").replaceAll("strftime_now is defined", "false");
    const compiled = compileChatTemplate(template);
    for (const row of conversations.filter(({ name }) => textOf(results[name]) !== null)) {
      const text = outcomeOf(
        () =>
          compiled.render(conversationOf(withIds(row.conversation)), {
            as: "vllm",
            // vLLM itself continues only the content.
            continueFinalMessage: row.continue_final_message !== undefined,
            specialTokens: row.special_tokens ?? specialTokens,
            kwargs: variablesOf(row.kwargs ?? "{}"),
            now,
          }).text,
      );
      expect(text, row.name).toBe(`text ${textOf(results[row.name])}`);
    }
  });
});

describe("llama.cpp", () => {
  interface ServerRun {
    readonly bos_token: string;
    readonly eos_token: string;
    readonly results: Results;
  }
  const rendered = JSON.parse(fixture("llama-cpp.json")) as Readonly<Record<string, ServerRun>>;

  /**
   * Where llama.cpp's own engine parts from Python: it trims no U+0085, writes 1.0 as 1, overflows on integers of more than
   * 64 bits, and fails on parts of one template, so that it finds out less about it.
   */
  const apart =
    /beyond ASCII|tool call|typed-tools: (?:null content|missing content|text arguments|parallel calls)/u;

  /** The server writes the day it was asked on. */
  const undated = (text: string): string => text.replace(/\d\d [A-Z][a-z]{2} \d{4}/gu, "(date)");

  test.each(Object.entries(rendered))("%s", (name, { bos_token, eos_token, results }) => {
    const compiled = compileChatTemplate(templates.get(name) ?? "");
    const rows = conversations.filter(
      (row) => textOf(results[row.name]) !== null && !apart.test(`${name}: ${row.name}`),
    );
    for (const row of rows) {
      const text = outcomeOf(
        () =>
          compiled.render(conversationOf(row.conversation), {
            as: "llama.cpp",
            specialTokens: { bos_token, eos_token },
            // The model that lent its tokenizer does not.
            tokenizerAddsBos: false,
            kwargs: variablesOf(row.kwargs ?? "{}"),
            now,
          }).text,
      );
      expect(undated(text), row.name).toBe(`text ${undated(textOf(results[row.name]) ?? "")}`);
    }
  });
});
