import { describe, expect, test } from "vitest";
import { renderTemplate } from "./support/bare.ts";
import { fixtureLines } from "./support/fixtures.ts";
import { expectedOutcome, outcomeOf, type Expectation } from "./support/outcome.ts";

type Row = Expectation & { readonly area: string; readonly template: string; readonly vars?: string };

const rows = fixtureLines<Row>("constructs.jsonl");
const areas = [...new Set(rows.map(({ area }) => area))];

describe("small templates, as Python renders them", () => {
  test("there are several hundred", () => {
    expect(rows.length).toBeGreaterThan(500);
  });

  test.each(areas)("%s", (area) => {
    for (const row of rows.filter((row) => row.area === area)) {
      expect(
        outcomeOf(() => renderTemplate(row.template, row.vars)),
        row.template,
      ).toBe(expectedOutcome(row));
    }
  });
});
