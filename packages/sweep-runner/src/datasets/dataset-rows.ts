import { parseMessages, RenderError, type Conversation, type TemplateObject } from "@onpar/chat-render";
import { z } from "zod";
import { messageOf } from "../errors.ts";
import { RowError } from "./row-error.ts";
import { readLengths, readTiming, type RowTiming, type TraceLengths } from "./trace-rows.ts";
import { turnsOf, type Turn } from "./turn-rows.ts";

/** What a row of a dataset holds; in a trace, with its time and length. */
export type DatasetRow = RowTiming &
  (
    | {
        readonly kind: "text";
        readonly id: string | null;
        readonly text: string;
        /** What the model answered when the row was recorded; left out where the row does not say. */
        readonly answer?: string;
      }
    | { readonly kind: "conversation"; readonly id: string | null; readonly conversation: Conversation }
    /** What is sent at each turn, in order. */
    | { readonly kind: "turns"; readonly id: string | null; readonly turns: readonly Turn[] }
    /** A request of a trace that tells its length and no text. */
    | ({ readonly kind: "lengths"; readonly id: string | null } & TraceLengths)
    /** A ShareGPT conversation in which no person speaks: nothing to send. */
    | { readonly kind: "nothing" }
  );

/** What a dataset was said to hold; `auto` takes every kind of row. */
export type DeclaredRows = "auto" | "prompts" | "sharegpt" | "openai-batch" | "multi-turn" | "trace";

/** What is taken of rows. */
export interface RowReading {
  readonly declared: DeclaredRows;
  /** Most turns of a conversation that are played; 1 takes what a row sends at first. */
  readonly turns: number;
  /** Whether later turns follow the answers of the server even where the row has recorded ones. */
  readonly live: boolean;
  /** Whether answers that rows record are kept. */
  readonly answers: boolean;
}

const ONE_TURN: RowReading = { declared: "auto", turns: 1, live: false, answers: false };

const TEXT_KEYS = ["prompt", "text", "question"] as const;
/** Roles of the OpenAI API. Any other one would be left out by a template, or end as a refusal in the middle of a run. */
const ROLES = ["system", "developer", "user", "assistant", "tool"] as const;
const HUMAN = new Set(["human", "user"]);
const MODEL = new Set(["gpt", "assistant", "chatgpt", "bing", "bard", "model"]);

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
export function readRow(value: unknown, reading: Partial<RowReading> = {}): DatasetRow {
  const { declared, turns, live, answers } = { ...ONE_TURN, ...reading };
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
  const timing = declared === "trace" ? readTiming(row) : {};
  if (row.messages !== undefined) {
    const conversation = readConversation(row);
    return turns === 1
      ? { kind: "conversation", id, conversation, ...timing }
      : { kind: "turns", id, turns: turnsOf(conversation, turns, live), ...timing };
  }
  if (row.conversations !== undefined) {
    const script = readShareGpt(row.conversations);
    if (turns > 1 && script.length > 0)
      return { kind: "turns", id, turns: turnsOf({ messages: script }, turns, live), ...timing };
    const asked = script.findIndex(({ role }) => role === "user");
    const text = script[asked]?.content;
    if (typeof text !== "string") return { kind: "nothing" };
    const next = script[asked + 1];
    const answer = answers && next?.role === "assistant" ? next.content : undefined;
    return { kind: "text", id, text, ...(typeof answer === "string" ? { answer } : {}), ...timing };
  }
  if (row.turns !== undefined) {
    const texts = readTurns(row.turns, turns);
    if (turns === 1) return { kind: "text", id, text: texts[0] ?? "", ...timing };
    // The model's answers are not in the row: they are those of the server.
    const messages = texts.flatMap((content) => [
      { role: "user", content },
      { role: "assistant", content: "" },
    ]);
    return { kind: "turns", id, turns: turnsOf({ messages }, turns, true), ...timing };
  }
  if (declared === "trace" && TEXT_KEYS.every((key) => row[key] === undefined))
    return { kind: "lengths", id, ...readLengths(row), ...timing };
  const key = TEXT_KEYS.find((candidate) => row[candidate] !== undefined);
  if (key === undefined) {
    const keys = Object.keys(row).slice(0, 8).join(", ");
    const hint = row.input_length === undefined ? "" : "; for a trace of lengths add --dataset-kind trace";
    throw new RowError(
      `no "prompt", "messages" or "conversations" (keys: ${keys === "" ? "none" : keys})${hint}`,
    );
  }
  const text = row[key];
  if (typeof text !== "string") throw new RowError(`"${key}" must be a text, found ${kindOf(text)}`);
  if (text === "") throw new RowError(`"${key}" is empty`);
  return { kind: "text", id, text, ...timing };
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

/**
 * The messages of a ShareGPT conversation, from the first thing on that a person says, as other benchmarks take it. Texts of nothing
 * and of speakers that no chat knows are left out.
 */
function readShareGpt(conversations: unknown): TemplateObject[] {
  const script: TemplateObject[] = [];
  if (!Array.isArray(conversations))
    throw new RowError(`"conversations" must be a list, found ${kindOf(conversations)}`);
  for (const [index, value] of (conversations as unknown[]).entries()) {
    const turn = turnSchema.safeParse(value);
    if (!turn.success) throw new RowError(`conversations[${index}] is not {"from", "value"}`);
    const speaker = turn.data.from ?? turn.data.role;
    if (speaker === undefined) throw new RowError(`conversations[${index}].from is missing`);
    const text = turn.data.value ?? turn.data.content ?? "";
    if (text.trim() === "") continue;
    if (HUMAN.has(speaker)) script.push({ role: "user", content: text });
    else if (speaker === "system" && script.length === 0) script.push({ role: "system", content: text });
    else if (MODEL.has(speaker) && script.some(({ role }) => role === "user"))
      script.push({ role: "assistant", content: text });
  }
  return script.some(({ role }) => role === "user") ? script : [];
}

/** The texts of a person; of those that are not played, only the first has to be one. */
function readTurns(turns: unknown, played: number): string[] {
  if (!Array.isArray(turns) || typeof turns[0] !== "string" || turns[0] === "")
    throw new RowError(`"turns" must be a list that begins with a text`);
  return (turns as unknown[]).slice(0, played).map((text, index) => {
    if (typeof text === "string" && text !== "") return text;
    throw new RowError(`turns[${index}] must be a text, found ${kindOf(text)}`);
  });
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return `a ${typeof value}`;
}
