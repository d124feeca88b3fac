import { z } from "zod";
import { RenderError } from "./error.ts";

/** An object of a conversation, passed to the template as it is. */
export type TemplateObject = Readonly<Record<string, unknown>>;

/** What a template renders, in the form of an OpenAI request. */
export interface Conversation {
  /** At least one. Fields that are not checked (`name`, `reasoning_content`, …) reach the template untouched. */
  readonly messages: readonly TemplateObject[];
  /** JSON schemas of the tools. Absent and null are `none` to the template; an empty list stays an empty list. */
  readonly tools?: readonly TemplateObject[] | null;
  readonly documents?: readonly TemplateObject[] | null;
}

const textOrParts = z.union([z.string(), z.array(z.looseObject({}))]).nullable();

const toolCall = z.looseObject({
  function: z.looseObject({
    name: z.string().min(1),
    // An object or its JSON text. Templates treat the two differently, so neither is turned into the other.
    arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
  }),
});

/** Without the wrapper, as transformers accepts it too. */
const bareToolCall = toolCall.shape.function;

const message = z.looseObject({
  role: z.string().min(1),
  content: textOrParts.optional(),
  tool_calls: z.array(z.union([toolCall, bareToolCall])).nullish(),
});

const expectations: readonly (readonly [field: RegExp, expected: string])[] = [
  [/^role$/u, "a non-empty text"],
  [/^content$/u, "a text, null or a list of parts"],
  [/^content\[\d+\]$/u, 'an object such as {"type": "text", "text": …}'],
  [/^tool_calls$/u, "a list of tool calls"],
  [/\.arguments$/u, "an object or its JSON text"],
  [/\.name$/u, "a non-empty text"],
  [/^tool_calls\[\d+\](\.function)?$/u, "an object with function.name and function.arguments"],
];

function typeInWords(value: unknown): string {
  if (value === null) {
    return "null";
  }
  if (value === undefined) {
    return "nothing";
  }
  if (Array.isArray(value)) {
    return "a list";
  }
  return value === "" ? "an empty text" : `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}

function invalid(
  where: string,
  expected: string,
  value: unknown,
  place: { messageIndex?: number; field?: string },
) {
  return new RenderError(
    "MESSAGES_INVALID",
    `${where}: expected ${expected}, got ${typeInWords(value)}`,
    place,
  );
}

function fieldName(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (name, key) =>
      typeof key === "number" ? `${name}[${key}]` : name === "" ? String(key) : `${name}.${String(key)}`,
    "",
  );
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

/** The issue that lies deepest says most: a union's own issue only names its start. */
function deepestPath(issues: readonly z.core.$ZodIssue[]): readonly PropertyKey[] {
  let deepest: readonly PropertyKey[] = [];
  for (const issue of issues) {
    const inner =
      issue.code === "invalid_union" ? [...issue.path, ...deepestPath(issue.errors.flat())] : issue.path;
    if (inner.length > deepest.length) {
      deepest = inner;
    }
  }
  return deepest;
}

function isObject(value: unknown): value is TemplateObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function checkMessage(value: unknown, messageIndex: number): void {
  if (!isObject(value)) {
    throw invalid(`messages[${messageIndex}]`, "an object with role and content", value, { messageIndex });
  }
  const result = message.safeParse(value);
  if (!result.success) {
    const path = deepestPath(result.error.issues);
    const field = fieldName(path);
    const expected = expectations.find(([pattern]) => pattern.test(field))?.[1] ?? "another value";
    throw invalid(`messages[${messageIndex}].${field}`, expected, valueAt(value, path), {
      messageIndex,
      field,
    });
  }
}

function isObjectList(value: unknown): value is readonly TemplateObject[] {
  return Array.isArray(value) && value.every(isObject);
}

/**
 * Checks messages read from outside and returns them as they are: no field is added, removed or reordered.
 *
 * @throws RenderError `MESSAGES_INVALID`, naming the message's index and the field.
 */
export function parseMessages(value: unknown): readonly TemplateObject[] {
  if (!Array.isArray(value)) {
    throw invalid("messages", "a list of messages", value, { field: "messages" });
  }
  if (value.length === 0) {
    throw new RenderError(
      "MESSAGES_INVALID",
      "Cannot apply chat template to an empty conversation. Provide at least one message.",
      { pythonClass: "ValueError", field: "messages" },
    );
  }
  value.forEach(checkMessage);
  return value.filter(isObject);
}

/** @throws RenderError `MESSAGES_INVALID`. */
export function checkConversation(conversation: Conversation): void {
  parseMessages(conversation.messages);
  for (const field of ["tools", "documents"] as const) {
    const list = conversation[field];
    if (list !== undefined && list !== null && !isObjectList(list)) {
      throw invalid(field, "a list of objects, or null", list, { field });
    }
  }
}
