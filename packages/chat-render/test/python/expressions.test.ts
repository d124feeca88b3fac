import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { outcomeOf } from "./evaluate.ts";

/** An expression and what Python makes of it; tools/chat-oracle/make-python-fixtures.py writes them. */
interface Row {
  readonly expression: string;
  readonly vars?: string;
  readonly text?: string;
  readonly error?: string;
}

const subjects = {
  data: 10,
  filters: 1000,
  "format-specs": 600,
  items: 300,
  methods: 1200,
  numbers: 90,
  operators: 1500,
  printf: 400,
  "str-format": 200,
  tests: 500,
  text: 40,
} as const;

function rowsOf(subject: string): readonly Row[] {
  const text = readFileSync(new URL(`../fixtures/python/${subject}.jsonl`, import.meta.url), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Row => JSON.parse(line));
}

describe("expressions print and raise what they do in Python", () => {
  test.each(Object.entries(subjects))("%s", (subject, atLeast) => {
    const rows = rowsOf(subject);
    expect(rows.length).toBeGreaterThanOrEqual(atLeast);
    const different = rows
      .map(({ expression, vars, text, error }) => ({
        expression,
        python: error === undefined ? { text } : { error },
        here: outcomeOf(expression, vars),
      }))
      .filter(({ python, here }) => JSON.stringify(python) !== JSON.stringify(here));
    expect(different).toEqual([]);
  });
});
