import { RenderError } from "../error.ts";
import { parseJson } from "../python/json-reader.ts";
import { type PyDict, textOf, type PyValue, isDict } from "../python/value.ts";

/** Arguments of a tool call as an object: servers read the JSON text that clients send. Null where it is no object. */
export function argumentsAsDict(given: PyValue | undefined): PyDict | null {
  if (isDict(given)) {
    return given;
  }
  const text = textOf(given ?? null);
  if (text === undefined) {
    return null;
  }
  try {
    const value = parseJson(text);
    return isDict(value) ? value : null;
  } catch (error) {
    if (error instanceof RenderError) {
      return null;
    }
    throw error;
  }
}
