import { describe, expect, test } from "vitest";
import { renderTemplate } from "./support/bare.ts";
import { errorOf, outcomeOf } from "./support/outcome.ts";
import { refusals } from "./support/refused-templates.ts";

/** Python counts lines of the code that Jinja makes, which is not made here. */
function withoutLine(outcome: string): string {
  return outcome.replace(/\(<template>, line \d+\)/u, "(<template>)");
}

describe.each(Object.keys(refusals))("%s", (kind) => {
  test.each(refusals[kind] ?? [])("%s", (template, refusal) => {
    expect(withoutLine(outcomeOf(() => renderTemplate(template)))).toBe(withoutLine(refusal));
  });
});

test("a refusal names the line of the template", () => {
  expect(errorOf(() => renderTemplate("a\n{% if x %}\n{{ y z }}\n{% endif %}"))).toMatchObject({
    code: "TEMPLATE_SYNTAX",
    pythonClass: "TemplateSyntaxError",
    line: 3,
  });
  expect(errorOf(() => renderTemplate("a\n{% for i in [1] %}\n\n{{ i.b.c }}\n{% endfor %}"))).toMatchObject({
    code: "TEMPLATE_FAILED",
    pythonClass: "UndefinedError",
    line: 4,
  });
});
