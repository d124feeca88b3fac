import { describe, expect, test } from "vitest";
import { compileChatTemplate } from "../src/index.ts";
import { strftime } from "../src/python/strftime.ts";
import { fixture } from "./support/fixtures.ts";
import { expectedOutcome, outcomeOf, type Expectation } from "./support/outcome.ts";
import type { Conversation } from "../src/index.ts";

/** A row of cases.json. */
interface Case {
  readonly name: string;
  readonly template?: string;
  readonly template_file?: string;
  readonly messages: Conversation["messages"];
  readonly tools?: Conversation["tools"];
  readonly documents?: Conversation["documents"];
  readonly add_generation_prompt?: boolean;
  readonly special_tokens?: Record<string, string>;
  readonly kwargs?: Record<string, unknown>;
  readonly now?: string;
}

const cases = JSON.parse(fixture("cases.json")) as readonly Case[];
const expected = JSON.parse(fixture("expected.json")) as Readonly<Record<string, Expectation>>;

function render(row: Case): string {
  const template = row.template ?? fixture(row.template_file ?? "");
  return compileChatTemplate(template).render(
    { messages: row.messages, tools: row.tools ?? null, documents: row.documents ?? null },
    {
      addGenerationPrompt: row.add_generation_prompt ?? false,
      specialTokens: row.special_tokens ?? {},
      kwargs: row.kwargs ?? {},
      now: new Date(row.now ?? "2026-07-26T12:34:56"),
    },
  ).text;
}

describe("conversations as JavaScript objects, as Python renders them", () => {
  test("every case has an expectation and the other way round", () => {
    expect(cases.map(({ name }) => name)).toEqual(Object.keys(expected));
    expect(cases.length).toBeGreaterThan(50);
  });

  test.each(cases)("$name", (row) => {
    expect(outcomeOf(() => render(row))).toBe(expectedOutcome(expected[row.name]));
  });
});

describe("strftime", () => {
  const rows = JSON.parse(fixture("strftime.json")) as {
    readonly moment: readonly [number, number, number, number, number, number];
    readonly layout: string;
    readonly text: string;
  }[];

  test(`${rows.length} layouts and moments as Python writes them`, () => {
    const ours = rows.map(({ moment: [year, month, ...rest], layout }) => ({
      moment: [year, month, ...rest],
      layout,
      text: strftime(new Date(year, month - 1, ...rest), layout),
    }));
    expect(ours).toEqual(rows);
  });

  test("seconds since the epoch do not depend on the time zone", () => {
    expect(strftime(new Date(1_783_141_567_890), "%s")).toBe("1783141567");
  });
});
