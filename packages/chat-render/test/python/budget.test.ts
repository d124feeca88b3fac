import { describe, expect, test } from "vitest";
import { BudgetError } from "../../src/python/budget.ts";
import { PyError } from "../../src/python/errors.ts";
import { render } from "./evaluate.ts";

/** The code of the budget that a template runs into, or the class that Python raises. */
function endOf(template: string, limits = {}): string {
  try {
    render(template, "{}", limits);
  } catch (error) {
    if (error instanceof BudgetError) {
      return error.code;
    }
    if (error instanceof PyError) {
      return error.pythonClass;
    }
    throw error;
  }
  return "rendered";
}

const doubling = (value: string): string =>
  `{% set ns = namespace(x=${value}) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}`;

describe("one operation that would make too much is refused before it works", () => {
  test.each([
    '"ab" * 10**9',
    '["ab"] * 10**9',
    '"%999999999d" % 1',
    '"%.999999999f" % 1.5',
    '"%*d" % (999999999, 1)',
    '"{:999999999}".format(1)',
    '"{:>{w}}".format(1, w=10**9)',
    '"{:.99999999f}".format(1.5)',
    '"{:07999999,}".format(1)',
    '"a".center(10**9)',
    '"a".ljust(10**9)',
    '"a".zfill(10**9)',
    '("\\t" * 10**5).expandtabs(10**5)',
    '("a" * 10**6).replace("a", "b" * 100)',
    '("a" * 10**6).replace("", "b" * 100)',
    '("a" * 10**6).join("b" * 10**5)',
    '("a" * 10**6).translate({97: "b" * 100})',
    '("a\\n" * 10**5)|indent(10**4)',
    "[1]|batch(10**9, 0)|list",
    "[1]|slice(10**9)|list",
    "range(10**5)|map('center', 10**5)|list",
    "2 ** (10 ** 9)",
    "(2 ** (10 ** 6)) ** 1000",
    "(5).to_bytes(10**8)",
  ])("%s", (expression) => {
    expect(endOf(`{{ (${expression})|length }}`)).toMatch(/^(SIZE|STEP)_LIMIT$/);
  });
});

describe("values that share their parts are not unfolded", () => {
  test.each([
    ["repr", "{{ ns.x }}"],
    ["tojson", "{{ ns.x|tojson }}"],
    ["pprint", "{{ ns.x|pprint }}"],
    ["string", "{{ ns.x|string }}"],
  ])("%s", (_name, use) => {
    expect(endOf(`${doubling("[1]")}${use}`)).toMatch(/^(SIZE|STEP)_LIMIT$/);
  });

  test("==, of two that are built alike", () => {
    expect(endOf(`${doubling("[1]")}{% set y = ns.x %}${doubling("[1]")}{{ ns.x == y }}`)).toBe("STEP_LIMIT");
  });

  test("a tuple as a key", () => {
    const tuples = doubling("(1,)").replace("[ns.x, ns.x]", "(ns.x, ns.x)");
    expect(endOf(`${tuples}{{ {ns.x: 1} }}`)).toBe("SIZE_LIMIT");
  });
});

describe("deep values end as in Python", () => {
  const deep = "{% set ns = namespace(x=[]) %}{% for i in range(2000) %}{% set ns.x = [ns.x] %}{% endfor %}";
  test.each(["{{ ns.x }}", "{{ ns.x|tojson }}", "{{ ns.x|pprint }}"])("%s", (use) => {
    expect(endOf(deep + use)).toBe("RecursionError");
  });
});

describe("many small operations are counted by the length of what they touch", () => {
  const text = '{% set s = "a" * 10**6 %}';
  test.each([
    'x = s ~ "" == "b" * 10**6',
    "x = s.upper()",
    "x = s|length",
    's.find("b")',
    "s[1:]",
    's.split("b")',
    's.strip("a")',
    "s|tojson",
    "s|int",
    "[s]|string",
    '"%s"|format(s)',
    "s|wordcount",
    "s is lower",
  ])("%s", (expression) => {
    const use = expression.startsWith("x = ") ? `{% set ${expression} %}` : `{% set x = ${expression} %}`;
    expect(endOf(`${text}{% for i in range(100000) %}${use}{% endfor %}`)).toBe("STEP_LIMIT");
  });
});

test("limits are the caller's to set", () => {
  expect(endOf('{{ "a" * 100 }}', { size: 50 })).toBe("SIZE_LIMIT");
  expect(endOf("{% for i in range(100) %}{{ i }}{% endfor %}", { steps: 50 })).toBe("STEP_LIMIT");
  expect(endOf("{% for i in range(100) %}{{ i }}{% endfor %}", { output: 50 })).toBe("OUTPUT_LIMIT");
  expect(endOf("{% for i in range(10) %}{{ i }}{% endfor %}")).toBe("rendered");
});
