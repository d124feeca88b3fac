import { describe, expect, test } from "vitest";
import { RenderError } from "../src/index.ts";
import type { RenderErrorCode } from "../src/index.ts";
import { strftime } from "../src/python/strftime.ts";
import { cases, expected, fixture, render } from "./fixtures.ts";
import type { Case, Expectation } from "./fixtures.ts";

const same = cases.filter(({ name }) => !name.startsWith("differs: "));
const differing = cases.filter(({ name }) => name.startsWith("differs: "));

/** The text, or the code of the error and for what the template itself raised its message. */
type Outcome =
  | { readonly text: string }
  | { readonly code: RenderErrorCode; readonly message: string | null };

function outcomeOf(row: Case): Outcome {
  try {
    return { text: render(row) };
  } catch (error) {
    if (error instanceof RenderError) {
      return { code: error.code, message: error.code === "TEMPLATE_RAISED" ? error.message : null };
    }
    throw error;
  }
}

/** What Python's result means here: messages of other exceptions are the runtime's own. */
function promised(expectation: Expectation | undefined): Outcome {
  if (expectation === undefined) {
    throw new Error("no expectation");
  }
  if ("text" in expectation) {
    return expectation;
  }
  const { class: pythonClass, message } = expectation.error;
  switch (pythonClass) {
    case "TemplateError":
      return { code: "TEMPLATE_RAISED", message };
    case "TemplateSyntaxError":
      return { code: "TEMPLATE_SYNTAX", message: null };
    default:
      return { code: "TEMPLATE_FAILED", message: null };
  }
}

describe("as Python renders", () => {
  test("every case has an expectation and the other way round", () => {
    expect(cases.map(({ name }) => name)).toEqual(Object.keys(expected));
    expect(same.length).toBeGreaterThan(50);
  });

  test.each(same)("$name", (row) => {
    expect(outcomeOf(row)).toEqual(promised(expected[row.name]));
  });
});

describe("where the runtime parts from Python, as the README says", () => {
  test.each(differing)("$name", (row) => {
    expect(outcomeOf(row)).not.toEqual(promised(expected[row.name]));
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
