import { RenderError } from "../../src/index.ts";

/** What Python gave, in the form of the oracle. */
export type Expectation =
  | { readonly text: string; readonly spans?: readonly (readonly [number, number])[] }
  | { readonly error: { readonly class: string; readonly message: string; readonly line?: number | null } };

/** Python's messages tell lines of the Python that a template was compiled to. */
function withoutPythonLines(text: string): string {
  return text.replace(/\(<template>, line \d+\)/gu, "(<template>)");
}

/** A text, or the class and message of a refusal; `limit` where the renderer gave up. */
export function outcomeOf(render: () => string): string {
  try {
    return `text ${render()}`;
  } catch (error) {
    if (!(error instanceof RenderError)) {
      throw error;
    }
    return error.pythonClass === null
      ? `limit ${error.code}: ${error.message}`
      : `${error.pythonClass}: ${withoutPythonLines(error.message)}`;
  }
}

/** The expectation in the same form. */
export function expectedOutcome(expectation: Expectation | undefined): string {
  if (expectation === undefined) {
    throw new Error("there is no expectation");
  }
  return "text" in expectation
    ? `text ${expectation.text}`
    : `${expectation.error.class}: ${withoutPythonLines(expectation.error.message)}`;
}

/** The refusal that an action ends in. */
export function errorOf(action: () => unknown): RenderError {
  try {
    action();
  } catch (error) {
    if (error instanceof RenderError) {
      return error;
    }
    throw error;
  }
  throw new Error("nothing was thrown");
}
