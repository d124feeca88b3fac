import { RenderError } from "../error.ts";
import { parseJson } from "../python/json-reader.ts";
import { PyDict, textOf, type PyValue } from "../python/value.ts";

/** Arguments of a tool call as an object: servers read the JSON text that clients send. Null where it is no object. */
export function argumentsAsDict(given: PyValue | undefined): PyDict | null {
  if (given instanceof PyDict) {
    return given;
  }
  const text = textOf(given ?? null);
  if (text === undefined) {
    return null;
  }
  try {
    const value = parseJson(text);
    return value instanceof PyDict ? value : null;
  } catch (error) {
    if (error instanceof RenderError) {
      return null;
    }
    throw error;
  }
}
