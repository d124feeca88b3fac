import type { Conversation, TemplateObject } from "@onpar/chat-render";
import { answerMark } from "../targets/live-answers.ts";
import { RowError } from "./row-error.ts";

/** One request of a conversation: all that was said until then. */
export interface Turn {
  readonly conversation: Conversation;
  /** Whether marks in it stand for answers that the server has still to give. */
  readonly waits: boolean;
  /** What the model answered when the conversation was recorded; null where it does not say. */
  readonly answer: string | null;
}

/** Most messages that the requests of one conversation hold together: each turn holds all of those before it. */
const MOST_MESSAGES = 100_000;
/** Most characters that they hold together. */
const MOST_CHARACTERS = 256 * 2 ** 20;

/**
 * The requests of a conversation: one ends where the model is to speak. Between them stand the answers that the conversation
 * holds, or, if `live` says so, marks for those of the server. What the model says last is not sent.
 *
 * @throws {RowError} where nobody but the model speaks, and for a conversation whose requests are out of all proportion
 */
export function turnsOf({ messages, tools }: Conversation, most: number, live: boolean): Turn[] {
  const turns: Turn[] = [];
  const said: TemplateObject[] = [];
  let waits = false;
  let messageCount = 0;
  let characters = 0;
  let length = 0;
  let hasSpoken = false;
  const ask = (answer: string | null): void => {
    messageCount += said.length;
    characters += length;
    if (messageCount > MOST_MESSAGES || characters > MOST_CHARACTERS)
      throw new RowError(
        `the turns of this conversation are out of proportion: together they hold ${messageCount} messages; lower --turns`,
      );
    const conversation = { messages: [...said], ...(tools === undefined ? {} : { tools }) };
    turns.push({ conversation, waits, answer });
    hasSpoken = false;
  };
  const add = (message: TemplateObject): void => {
    said.push(message);
    length += typeof message.content === "string" ? message.content.length : 0;
  };
  for (const message of messages) {
    if (message.role === "assistant") {
      const isAnswer = hasSpoken;
      if (isAnswer)
        ask(typeof message.content === "string" && message.content !== "" ? message.content : null);
      if (turns.length >= most) break;
      // Calls of tools are part of what follows: they stay as they were recorded.
      const isText = typeof message.content === "string" && message.tool_calls == null;
      if (live && isAnswer && isText) {
        add({ role: "assistant", content: answerMark(turns.length - 1) });
        waits = true;
      } else add(message);
      continue;
    }
    add(message);
    hasSpoken ||= message.role === "user" || message.role === "tool";
  }
  if (hasSpoken && turns.length < most) ask(null);
  if (turns.length === 0) throw new RowError("nobody but the model speaks in this conversation");
  return turns;
}

/** The id of the prompt that a turn is. */
export function turnId(conversationId: string, index: number): string {
  return `${conversationId}-turn-${index}`;
}
