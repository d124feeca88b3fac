import { RenderError } from "../error.ts";
import { isSpaceUnit } from "../python/unicode.ts";
import { PyDict, isList, textOf, typeName, type PyValue, isDict, isTuple } from "../python/value.ts";

/** What transformers appends to the message that is to be continued, to find its end in the prompt. */
const TAG = "CONTINUE_FINAL_MESSAGE_TAG ";
const BARE_TAG = TAG.trimEnd();

function rstrip(text: string): string {
  let end = text.length;
  while (end > 0 && isSpaceUnit(text.charCodeAt(end - 1))) {
    end -= 1;
  }
  return text.slice(0, end);
}

function strip(text: string): string {
  let start = 0;
  while (start < text.length && isSpaceUnit(text.charCodeAt(start))) {
    start += 1;
  }
  return rstrip(text.slice(start));
}

function valueError(message: string): RenderError {
  return new RenderError("MESSAGES_INVALID", message, { pythonClass: "ValueError" });
}

/** A conversation whose final message is marked, and what to look for in its prompt. */
export interface MarkedConversation {
  readonly messages: readonly PyValue[];
  /** The text that is continued, without white space around it. */
  readonly final: string;
}

/** A copy of a dict in which one key has another value. */
export function withEntry(dict: PyDict, key: string, value: PyValue): PyDict {
  const copy = PyDict.of(dict.entries());
  copy.set(key, value);
  return copy;
}

function appendTag(value: PyValue): string {
  const text = textOf(value);
  if (text === undefined) {
    throw new RenderError(
      "MESSAGES_INVALID",
      `unsupported operand type(s) for +: '${typeName(value)}' and 'str'`,
      { pythonClass: "TypeError" },
    );
  }
  return text + TAG;
}

/** Marks the last part that has a text. */
function markParts(parts: readonly PyValue[]): { readonly parts: PyValue[]; readonly final: string } {
  for (let index = parts.length - 1; index >= 0; index -= 1) {
    const part = parts[index];
    const text = isDict(part) ? part.get("text") : undefined;
    if (isDict(part) && text !== undefined) {
      const marked = [...parts];
      marked[index] = withEntry(part, "text", appendTag(text));
      return { parts: marked, final: textOf(text) ?? "" };
    }
  }
  throw valueError(
    "continue_final_message is set but we could not find any text to continue in the final message!",
  );
}

/**
 * Marks the final message, of whatever role.
 *
 * @param field what is continued: `content`, or a field such as `reasoning_content`
 * @throws RenderError with Python's class and message where there is nothing to continue
 */
export function markFinalMessage(
  messages: readonly PyValue[],
  field: string,
  template: string,
): MarkedConversation {
  const last = messages.at(-1);
  if (!isDict(last)) {
    throw valueError("Cannot apply chat template to an empty conversation. Provide at least one message.");
  }
  const value = last.get(field) ?? null;
  if (value === null) {
    throw valueError(`continue_final_message is set but the final message has no "${field}" to continue!`);
  }
  if (!template.includes(field)) {
    throw valueError(
      `continue_final_message is set to "${field}" but this is not an accepted field in the chat_template`,
    );
  }
  if (isList(value) || isTuple(value)) {
    const { parts, final } = markParts(isList(value) ? value : value.items);
    return { messages: [...messages.slice(0, -1), withEntry(last, field, parts)], final: strip(final) };
  }
  const marked = appendTag(value);
  return {
    messages: [...messages.slice(0, -1), withEntry(last, field, marked)],
    final: strip(textOf(value) ?? ""),
  };
}

/**
 * The prompt up to the end of the marked message.
 *
 * @throws RenderError where the template left the message out
 */
export function cutAtMark(text: string, final: string): string {
  if (!text.includes(final) || !text.includes(BARE_TAG)) {
    throw valueError(
      "continue_final_message is set but the final message does not appear in the chat after applying the chat template!",
    );
  }
  const place = text.lastIndexOf(BARE_TAG);
  const kept = text.slice(0, place);
  // Without its space the tag was trimmed by the template, and so was what stood before it.
  return text.startsWith(TAG, place) ? kept : rstrip(kept);
}
