import { parseMessages, RenderError, type Conversation, type TemplateObject } from "@onpar/chat-render";
import { z } from "zod";
import { messageOf } from "../errors.ts";

/** What a row of a dataset holds. */
export type DatasetRow =
  | { readonly kind: "text"; readonly id: string | null; readonly text: string }
  | { readonly kind: "conversation"; readonly id: string | null; readonly conversation: Conversation }
  /** A ShareGPT conversation in which no person speaks: nothing to send. */
  | { readonly kind: "nothing" };

/** What a dataset was said to hold; `auto` takes every kind of row. */
export type DeclaredRows = "auto" | "prompts" | "sharegpt" | "openai-batch";

/** Why a row cannot be read, in words that finish "line 3: …". */
export class RowError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "RowError";
  }
}

const TEXT_KEYS = ["prompt", "text", "question"] as const;
/** Roles of the OpenAI API. Any other one would be left out by a template, or end as a refusal in the middle of a run. */
const ROLES = ["system", "developer", "user", "assistant", "tool"] as const;
const HUMAN = new Set(["human", "user"]);

const idSchema = z.union([z.string(), z.number()]);
const toolsSchema = z.array(z.looseObject({}));
const turnSchema = z.looseObject({
  from: z.string().optional(),
  role: z.string().optional(),
  value: z.string().nullish(),
  content: z.string().nullish(),
});

/**
 * A row: `{"messages": […], "tools"?}`, `{"conversations": [{"from", "value"}]}` (ShareGPT), `{"prompt" | "text" |
 * "question": "…"}` or `{"turns": ["…"]}` (of which the first is taken); `id`, `question_id` or `_id` optional.
 *
 * @throws {RowError} also where the row is of another kind than the declared one: prompts that were sent would not be those
 * that the protocol states
 */
export function readRow(value: unknown, declared: DeclaredRows = "auto"): DatasetRow {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new RowError(`expected an object such as {"prompt": "…"}, found ${kindOf(value)}`);
  }
  if (declared === "openai-batch") return readBatchLine({ ...value });
  const row: Readonly<Record<string, unknown>> = { ...value };
  const isShareGpt = row.conversations !== undefined;
  if (declared === "sharegpt" && !isShareGpt) {
    throw new RowError('the dataset was said to be sharegpt, and this row has no "conversations"');
  }
  if (declared === "prompts" && isShareGpt) {
    throw new RowError('the dataset was said to hold prompts, and this row has ShareGPT\'s "conversations"');
  }
  const id = readId(row);
  if (row.messages !== undefined) return { kind: "conversation", id, conversation: readConversation(row) };
  if (row.conversations !== undefined) return readShareGpt(row.conversations, id);
  if (row.turns !== undefined) return { kind: "text", id, text: readTurns(row.turns) };
  const key = TEXT_KEYS.find((candidate) => row[candidate] !== undefined);
  if (key === undefined) {
    const keys = Object.keys(row).slice(0, 8).join(", ");
    throw new RowError(`no "prompt", "messages" or "conversations" (keys: ${keys === "" ? "none" : keys})`);
  }
  const text = row[key];
  if (typeof text !== "string") throw new RowError(`"${key}" must be a text, found ${kindOf(text)}`);
  if (text === "") throw new RowError(`"${key}" is empty`);
  return { kind: "text", id, text };
}

const batchSchema = z.looseObject({ custom_id: z.string().optional(), body: z.looseObject({}) });

/** A line of a batch file: `{"custom_id", "method", "url", "body"}`, of whose body messages or prompt are taken. */
function readBatchLine(line: Readonly<Record<string, unknown>>): DatasetRow {
  const parsed = batchSchema.safeParse(line);
  if (!parsed.success) throw new RowError('a line of an OpenAI batch needs a "body" that is an object');
  const { custom_id: id = null, body } = parsed.data;
  if (body.messages !== undefined) return { kind: "conversation", id, conversation: readConversation(body) };
  if (typeof body.prompt === "string" && body.prompt !== "") return { kind: "text", id, text: body.prompt };
  throw new RowError('the "body" has no "messages", and no "prompt" that is a text');
}

function readId(row: Readonly<Record<string, unknown>>): string | null {
  for (const key of ["id", "question_id", "_id"]) {
    const parsed = idSchema.safeParse(row[key]);
    if (parsed.success) return String(parsed.data);
  }
  return null;
}

function readConversation(row: Readonly<Record<string, unknown>>): Conversation {
  const messages = row.messages;
  let checked: readonly TemplateObject[];
  try {
    checked = parseMessages(messages);
  } catch (error) {
    throw new RowError(error instanceof RenderError ? error.message : messageOf(error));
  }
  for (const [index, { role }] of checked.entries()) {
    if (!ROLES.some((known) => known === role))
      throw new RowError(
        `messages[${index}].role: expected one of ${ROLES.join(", ")}, got ${JSON.stringify(role)}`,
      );
  }
  if (row.tools === undefined || row.tools === null) return { messages: checked };
  const tools = toolsSchema.safeParse(row.tools);
  if (!tools.success) throw new RowError(`"tools" must be a list of objects, found ${kindOf(row.tools)}`);
  return { messages: checked, tools: tools.data };
}

/** The first turn of a person, as other benchmarks take it. */
function readShareGpt(conversations: unknown, id: string | null): DatasetRow {
  if (!Array.isArray(conversations))
    throw new RowError(`"conversations" must be a list, found ${kindOf(conversations)}`);
  for (const [index, value] of (conversations as unknown[]).entries()) {
    const turn = turnSchema.safeParse(value);
    if (!turn.success) throw new RowError(`conversations[${index}] is not {"from", "value"}`);
    const speaker = turn.data.from ?? turn.data.role;
    if (speaker === undefined) throw new RowError(`conversations[${index}].from is missing`);
    const text = turn.data.value ?? turn.data.content ?? "";
    if (HUMAN.has(speaker) && text.trim() !== "") return { kind: "text", id, text };
  }
  return { kind: "nothing" };
}

function readTurns(turns: unknown): string {
  const first: unknown = Array.isArray(turns) ? turns[0] : undefined;
  if (typeof first !== "string" || first === "")
    throw new RowError(`"turns" must be a list that begins with a text`);
  return first;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return `a ${typeof value}`;
}
