import { describe, expect, test } from "vitest";
import { compileChatTemplate, parseJson } from "../src/index.ts";
import type { CompiledChatTemplate, Conversation } from "../src/index.ts";
import { renderTemplate } from "./support/bare.ts";
import { now, specialTokens, type ConversationRow } from "./support/fixtures.ts";
import { outcomeOf } from "./support/outcome.ts";
import { hasShared, sharedNames, sharedText } from "./support/shared.ts";

/** `"Class: message"`, as the corpus writes refusals. */
type SharedExpectation = { readonly text: string } | { readonly error: string };

function outcome(expectation: SharedExpectation | undefined): string {
  if (expectation === undefined) {
    return "nothing is expected";
  }
  const said = "text" in expectation ? `text ${expectation.text}` : expectation.error;
  return said.replace(/\(<template>, line \d+\)/gu, "(<template>)");
}

/** What the JSON reader gives for an object. */
interface JsonObject {
  get(key: string): unknown;
  entries(): Iterable<readonly [string, unknown]>;
}

/** Renders one of the conversation files, which also hold what it is rendered with. */
function conversationOf(text: string): (compiled: CompiledChatTemplate) => string {
  const value = parseJson(text) as unknown as JsonObject;
  const conversation = {
    messages: value.get("messages"),
    tools: value.get("tools") ?? null,
    documents: value.get("documents") ?? null,
  } as Conversation;
  const row = JSON.parse(text) as ConversationRow;
  const kwargs = Object.fromEntries((value.get("kwargs") as JsonObject | undefined)?.entries() ?? []);
  return (compiled) =>
    compiled.render(conversation, {
      addGenerationPrompt: row.add_generation_prompt ?? false,
      continueFinalMessage: row.continue_final_message ?? false,
      specialTokens: row.special_tokens ?? specialTokens,
      kwargs,
      now,
    }).text;
}

describe.runIf(hasShared("chat/templates"))("real templates", () => {
  const conversations = sharedNames("chat/contexts", ".json").map(
    (name) => [name, conversationOf(sharedText(`chat/contexts/${name}.json`))] as const,
  );

  test.each(sharedNames("chat/templates", ".jinja"))("%s", (name) => {
    const template = sharedText(`chat/templates/${name}.jinja`).replace(/\r\n?/gu, "\n");
    const expected = JSON.parse(sharedText(`chat/expected/${name}.json`)) as Readonly<
      Record<string, SharedExpectation>
    >;
    let compiled: CompiledChatTemplate | undefined;
    for (const [conversation, render] of conversations) {
      const actual = outcomeOf(() => render((compiled ??= compileChatTemplate(template))));
      expect(actual, conversation).toBe(outcome(expected[conversation]));
    }
  });
});

describe.runIf(hasShared("chat/snippets.json"))("small constructs", () => {
  interface Snippet {
    readonly area: string;
    readonly template: string;
    readonly vars: Readonly<Record<string, unknown>>;
    readonly expected: SharedExpectation;
  }
  const snippets = hasShared("chat/snippets.json")
    ? (JSON.parse(sharedText("chat/snippets.json")) as readonly Snippet[])
    : [];

  test.each([...new Set(snippets.map(({ area }) => area))])("%s", (area) => {
    for (const { template, vars, expected } of snippets.filter((snippet) => snippet.area === area)) {
      expect(
        outcomeOf(() => renderTemplate(template, JSON.stringify(vars))),
        template,
      ).toBe(outcome(expected));
    }
  });
});

test.runIf(!hasShared("chat"))(
  "real templates and constructs: not here, nothing was compared",
  ({ skip }) => {
    expect(hasShared("chat")).toBe(false);
    skip();
  },
);
