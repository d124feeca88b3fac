import { parseJson } from "../../src/index.ts";
import { Pace } from "../../src/python/budget.ts";
import { compileTemplate } from "../../src/render.ts";
import type { PyDict, PyValue } from "../../src/python/value.ts";
import { now } from "./fixtures.ts";

/** A template with these variables and no others, as `Template.render` of Jinja. */
export function renderTemplate(template: string, vars = "{}"): string {
  const variables = new Map<string, PyValue>((parseJson(vars) as PyDict).entries() as [string, PyValue][]);
  return compileTemplate(template).render(variables, {
    now,
    pace: new Pace(
      () => 0,
      1,
      () => 0,
    ),
  }).text;
}
