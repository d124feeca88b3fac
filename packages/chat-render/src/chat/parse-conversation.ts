import { RenderError } from "../error.ts";
import { parseJson } from "../python/json-reader.ts";
import { type PyDict, isList, type PyValue, isDict } from "../python/value.ts";

/** A conversation as it stands in its JSON text. */
export interface ParsedConversation {
  readonly messages: readonly PyValue[];
  readonly tools: readonly PyValue[] | null;
  readonly documents: readonly PyValue[] | null;
}

function invalid(field: string, expected: string): RenderError {
  return new RenderError("MESSAGES_INVALID", `${field}: expected ${expected}`, { field });
}

function optionalList(dict: PyDict, field: "tools" | "documents"): readonly PyValue[] | null {
  const value = dict.get(field) ?? null;
  if (value !== null && !isList(value)) {
    throw invalid(field, "a list of objects, or null");
  }
  return value;
}

/**
 * Reads a conversation from JSON text so that everything keeps its meaning: 1.0 stays a float, integers have any size, and
 * keys keep their order, also those that look like numbers. JSON.parse loses all three.
 *
 * @param jsonText a list of messages, or an object with `messages` and perhaps `tools` and `documents`
 * @throws RenderError `MESSAGES_INVALID`, with line and column where it is no JSON
 */
export function parseConversation(jsonText: string): ParsedConversation {
  const value = parseJson(jsonText);
  if (isList(value)) {
    return { messages: value, tools: null, documents: null };
  }
  const messages = isDict(value) ? value.get("messages") : undefined;
  if (!isDict(value) || messages === undefined || !isList(messages)) {
    throw invalid("messages", "a list of messages, or an object with one");
  }
  return { messages, tools: optionalList(value, "tools"), documents: optionalList(value, "documents") };
}
