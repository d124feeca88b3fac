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
      if (expectation !== undefined && "text" in expectation && row.continue_final_message === undefined) {
        const { text, assistantSpans } = renderRow(compiled, row);
        expect(
          assistantSpans.map(({ codePoints }) => codePoints),
          row.name,
        ).toEqual(expectation.spans);
        const characters = Array.from(text);
        for (const { start, end, codePoints } of assistantSpans) {
          expect(characters.slice(...codePoints).join("")).toBe(text.slice(start, end));
        }
      }
    }
  });
});
