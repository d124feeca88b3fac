import { describe, expect, test } from "vitest";
import { compileChatTemplate } from "../src/index.ts";
import {
  fixture,
  fixtureLines,
  fixtureTemplates,
  renderRow,
  type ConversationRow,
} from "./support/fixtures.ts";
import { expectedOutcome, outcomeOf, type Expectation } from "./support/outcome.ts";

const templates = fixtureTemplates();
const conversations = fixtureLines<ConversationRow>("conversations.jsonl");
const rendered = JSON.parse(fixture("rendered.json")) as Readonly<
  Record<string, Readonly<Record<string, Expectation>>>
>;

describe("whole templates with whole conversations, as Python renders them", () => {
  test("every pair has an expectation", () => {
    expect(Object.keys(rendered)).toEqual([...templates.keys()].sort());
    for (const results of Object.values(rendered)) {
      expect(Object.keys(results)).toEqual(conversations.map(({ name }) => name));
    }
  });

  test.each([...templates])("%s", (name, template) => {
    const compiled = compileChatTemplate(template);
    for (const row of conversations) {
      const expectation = rendered[name]?.[row.name];
      expect(
        outcomeOf(() => renderRow(compiled, row).text),
        row.name,
      ).toBe(expectedOutcome(expectation));
    }
  });

  test("spans of generation blocks are Python's, and the same in both kinds of offsets", () => {
    const compiled = compileChatTemplate(templates.get("trained-spans") ?? "");
    const results = rendered["trained-spans"] ?? {};
    const rows = conversations.filter(({ name }) => "text" in (results[name] ?? {}));
    expect(rows.length).toBeGreaterThan(20);
    for (const row of rows) {
      const { text, assistantSpans } = renderRow(compiled, row);
      const characters = Array.from(text);
      const expected = results[row.name];
      expect(
        assistantSpans.map(({ codePoints }) => codePoints),
        row.name,
      ).toEqual(expected !== undefined && "text" in expected ? expected.spans : null);
      expect(assistantSpans.map(({ codePoints }) => characters.slice(...codePoints).join(""))).toEqual(
        assistantSpans.map(({ start, end }) => text.slice(start, end)),
      );
    }
  });
});
