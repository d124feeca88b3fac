import { RenderError } from "../error.ts";

import { isList, isStr, textOf, typeName, type PyValue, isDict } from "../python/value.ts";
import { toPython } from "./to-python.ts";

/** An object of a conversation, passed to the template as it is. */
export type TemplateObject = Readonly<Record<string, unknown>>;

/** What a template renders, in the form of an OpenAI request. */
export interface Conversation {
  /** Fields that are not checked (`name`, `reasoning_content`, …) reach the template untouched. */
  readonly messages: readonly TemplateObject[];
  /** JSON schemas of the tools. Absent and null are `none` to the template; an empty list stays an empty list. */
  readonly tools?: readonly TemplateObject[] | null;
  readonly documents?: readonly TemplateObject[] | null;
}

/** A conversation as Python values: what the template sees. */
export interface PythonConversation {
  readonly messages: readonly PyValue[];
  readonly tools: readonly PyValue[] | null;
  readonly documents: readonly PyValue[] | null;
}

const words: Readonly<Record<string, string>> = {
  NoneType: "null",
  str: "a string",
  bool: "a boolean",
  int: "a number",
  float: "a number",
  list: "a list",
  dict: "an object",
};

function inWords(value: PyValue | undefined): string {
  if (value === undefined) {
    return "nothing";
  }
  return value === "" ? "an empty text" : (words[typeName(value)] ?? `a ${typeName(value)}`);
}

interface Place {
  readonly messageIndex?: number;
  readonly field?: string;
}

function invalid(where: string, expected: string, value: PyValue | undefined, place: Place): RenderError {
  return new RenderError("MESSAGES_INVALID", `${where}: expected ${expected}, got ${inWords(value)}`, place);
}

/** One message while it is checked. */
class MessageCheck {
  readonly index: number;

  constructor(index: number) {
    this.index = index;
  }

  fail(field: string, expected: string, value: PyValue | undefined): never {
    const place = { messageIndex: this.index, field };
    throw invalid(`messages[${this.index}].${field}`, expected, value, place);
  }

  text(field: string, value: PyValue | undefined): void {
    if (value === undefined || (textOf(value) ?? "") === "") {
      this.fail(field, "a non-empty text", value);
    }
  }

  toolCalls(calls: PyValue | undefined): void {
    if (calls === undefined || calls === null) {
      return;
    }
    if (!isList(calls)) {
      this.fail("tool_calls", "a list of tool calls", calls);
    }
    for (const [index, call] of calls.entries()) {
      this.#toolCall(`tool_calls[${index}]`, call);
    }
  }

  #toolCall(field: string, call: PyValue): void {
    const shape = "an object with function.name and function.arguments";
    if (!isDict(call)) {
      this.fail(field, shape, call);
    }
    // Without the wrapper too, as transformers accepts it.
    const wrapped = call.get("function");
    const inner = wrapped === undefined && call.has("name") ? call : wrapped;
    const name = inner === call ? field : `${field}.function`;
    if (!isDict(inner)) {
      this.fail(name, shape, inner);
    }
    this.text(`${name}.name`, inner.get("name"));
    const given = inner.get("arguments");
    // Templates treat an object and its JSON text differently, so neither is turned into the other.
    if (given !== undefined && given !== null && !isStr(given) && !isDict(given)) {
      this.fail(`${name}.arguments`, "an object or its JSON text", given);
    }
  }

  content(content: PyValue | undefined): void {
    if (content === undefined || content === null || isStr(content)) {
      return;
    }
    if (!isList(content)) {
      this.fail("content", "a text, null or a list of parts", content);
    }
    for (const [index, part] of content.entries()) {
      if (!isDict(part)) {
        this.fail(`content[${index}]`, 'an object such as {"type": "text", "text": …}', part);
      }
    }
  }
}

function checkMessage(message: PyValue, index: number, strict: boolean): void {
  if (!isDict(message)) {
    const expected = "an object with role and content";
    throw invalid(`messages[${index}]`, expected, message, { messageIndex: index });
  }
  const check = new MessageCheck(index);
  check.text("role", message.get("role"));
  if (strict) {
    check.content(message.get("content"));
  }
  check.toolCalls(message.get("tool_calls"));
}

function messageList(messages: PyValue): readonly PyValue[] {
  if (!isList(messages)) {
    throw invalid("messages", "a list of messages", messages, { field: "messages" });
  }
  return messages;
}

export function emptyConversation(): RenderError {
  return new RenderError(
    "MESSAGES_INVALID",
    "Cannot apply chat template to an empty conversation. Provide at least one message.",
    { pythonClass: "ValueError", field: "messages" },
  );
}

function isObjectList(value: unknown): value is readonly TemplateObject[] {
  return Array.isArray(value) && value.every((item) => typeof item === "object" && item !== null);
}

/**
 * Checks messages read from outside, among them that their content is text, null or parts, and returns them as they are:
 * no field is added, removed or reordered.
 *
 * @throws RenderError `MESSAGES_INVALID`, naming the message's index and the field.
 */
export function parseMessages(value: unknown): readonly TemplateObject[] {
  const messages = messageList(toPython(value ?? null, "messages"));
  if (messages.length === 0) {
    throw emptyConversation();
  }
  messages.forEach((message, index) => {
    checkMessage(message, index, true);
  });
  if (!isObjectList(value)) {
    throw invalid("messages", "a list of messages", messages, { field: "messages" });
  }
  return value;
}

function objects(value: unknown, field: "tools" | "documents"): readonly PyValue[] | null {
  const list = toPython(value ?? null, field);
  if (list === null) {
    return null;
  }
  if (!isList(list) || !list.every((item) => isDict(item))) {
    throw invalid(field, "a list of objects, or null", list, { field });
  }
  return list;
}

/**
 * A conversation as the template sees it. The content of a message may be any value, as in transformers: a template may
 * know what to do with a number.
 *
 * @throws RenderError `MESSAGES_INVALID`.
 */
export function pythonConversation(conversation: {
  readonly messages: unknown;
  readonly tools?: unknown;
  readonly documents?: unknown;
}): PythonConversation {
  const messages = messageList(toPython(conversation.messages ?? null, "messages"));
  messages.forEach((message, index) => {
    checkMessage(message, index, false);
  });
  return {
    messages,
    tools: objects(conversation.tools, "tools"),
    documents: objects(conversation.documents, "documents"),
  };
}
