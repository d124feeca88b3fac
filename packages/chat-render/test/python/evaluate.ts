import { Runtime } from "../../src/jinja/scope.ts";
import { compileSource } from "../../src/jinja/template.ts";
import { Budget, defaultLimits, type BudgetLimits } from "../../src/python/budget.ts";
import { PyError } from "../../src/python/errors.ts";
import { filters } from "../../src/python/filters/index.ts";
import { parseJson } from "../../src/python/json-reader.ts";
import { tests } from "../../src/python/tests/index.ts";
import { PyDict, textOf, type PyContext, type PyValue } from "../../src/python/value.ts";

/** A context for operations on values; the clock stands still and the same item is drawn every time. */
export function context(limits: Partial<BudgetLimits> = {}): PyContext {
  return {
    budget: new Budget({ ...defaultLimits, steps: 1_000_000, ...limits }),
    filters,
    tests,
    now: new Date(2026, 6, 26, 12, 34, 56),
    random: () => 0,
  };
}

/** Renders a template with variables from JSON text. */
export function render(template: string, variables = "{}", limits: Partial<BudgetLimits> = {}): string {
  const ctx = context(limits);
  const values = parseJson(variables);
  const named = new Map<string, PyValue>();
  for (const [key, value] of values instanceof PyDict ? values.entries() : []) {
    named.set(textOf(key) ?? "", value);
  }
  return compileSource(ctx, template).run(new Runtime(ctx), named).text;
}

/** What an expression prints, or the error that it raises, in the form of the fixtures. */
export function outcomeOf(
  expression: string,
  variables?: string,
): { readonly text: string } | { readonly error: string } {
  try {
    return { text: render(`{{ ${expression} }}`, variables) };
  } catch (error) {
    if (error instanceof PyError) {
      return { error: `${error.pythonClass}: ${error.message}` };
    }
    throw error;
  }
}
