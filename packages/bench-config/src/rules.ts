import type { ConfigIssue } from "./error.ts";
import { contradictionRules } from "./rules/contradictions.ts";
import { strayDependents } from "./rules/dependents.ts";
import type { RuleContext } from "./rules/rule.ts";
import { templateRules } from "./rules/template.ts";

const rules = [...templateRules, ...strayDependents, ...contradictionRules];

/** Applies every rule whose settings are valid on their own. */
export function applyRules(context: RuleContext, invalid: ReadonlySet<string>): ConfigIssue[] {
  return rules
    .filter((rule) => !rule.reads.some((path) => invalid.has(path)))
    .flatMap((rule) => rule.check(context))
    .filter(({ path }) => !invalid.has(path))
    .map(({ path, message }) => ({ path, origin: context.spelled(path), message }));
}
