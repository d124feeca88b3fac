import { acceptanceFromResponse } from "@onpar/metrics-client";
import { NO_FINISH, type Finish } from "./finish.ts";
import type { RecordedUsage } from "../record.ts";
import { countOf, stringOf, usageOf } from "./read-values.ts";
import { errorInJson, isObject } from "./server-message.ts";
import { NOTHING, type AnswerFormat, type StreamEvent } from "./stream-event.ts";

/**
 * The Responses API: named events, of which those ending in `.delta` carry text and the last one the whole response with its
 * usage. What an event is stands in its `type` and in its `event` field; either is enough.
 */
export const responses: AnswerFormat = {
  framing: "sse",
  stateless: true,
  createReader: () => readResponseEvent,
  readWhole: readResponse,
};

function readResponseEvent(json: unknown, eventName: string): StreamEvent {
  if (!isObject(json)) return NOTHING;
  const type = stringOf(json.type) || eventName;
  const text = stringOf(json.delta);
  switch (type) {
    case "response.output_text.delta":
    case "response.refusal.delta":
      return text === "" ? NOTHING : { ...NOTHING, kind: "content", content: text };
    case "response.reasoning_text.delta":
    case "response.reasoning_summary_text.delta":
    case "response.reasoning.delta":
      return text === "" ? NOTHING : { ...NOTHING, kind: "reasoning", reasoning: text };
    case "response.function_call_arguments.delta":
      return text === "" ? NOTHING : { ...NOTHING, kind: "tool", tool: text };
    case "response.output_item.added":
      return itemAdded(json.item);
    case "response.completed":
    case "response.incomplete":
    case "response.failed":
    case "response.cancelled":
      return ended(json.response);
    case "error":
      return { ...NOTHING, kind: "error", error: errorInJson(json) ?? flatMessage(json) };
    default: {
      const error = type.startsWith("response.") ? null : errorInJson(json);
      return error === null ? NOTHING : { ...NOTHING, kind: "error", error };
    }
  }
}

/** A whole response: its texts, and how it ended. */
function readResponse(json: unknown): StreamEvent {
  const end = ended(json);
  if (end.error !== null || !isObject(json)) return end;
  let content = "";
  let reasoning = "";
  let tool = "";
  for (const item of listOf(json.output)) {
    if (item.type === "function_call") tool += stringOf(item.name) + stringOf(item.arguments);
    const parts = [...listOf(item.content), ...(item.type === "reasoning" ? listOf(item.summary) : [])];
    const text = parts.map((part) => stringOf(part.text) || stringOf(part.refusal)).join("");
    if (item.type === "reasoning") reasoning += text;
    else content += text;
  }
  const kind = content !== "" ? "content" : tool !== "" ? "tool" : reasoning !== "" ? "reasoning" : end.kind;
  return { ...end, kind, content, reasoning, tool };
}

/** The name of a function that is called comes before its arguments, and is a token as they are. */
function itemAdded(item: unknown): StreamEvent {
  if (!isObject(item)) return NOTHING;
  const name = item.type === "function_call" ? stringOf(item.name) : "";
  if (name !== "") return { ...NOTHING, kind: "tool", tool: name };
  return item.role === "assistant" ? { ...NOTHING, kind: "role" } : NOTHING;
}

function ended(response: unknown): StreamEvent {
  const error = errorInJson(response);
  if (error !== null) return { ...NOTHING, kind: "error", error };
  if (!isObject(response)) return NOTHING;
  const finish = finishOf(response);
  const usage = readUsage(response.usage);
  if (finish === null && usage === null) return NOTHING;
  const acceptance = acceptanceFromResponse(response);
  return { ...NOTHING, kind: finish === null ? "usage" : "finish", finish, usage, acceptance };
}

/** `completed` is EOS or a stop text, and with llama.cpp the cap as well: lengths have to show which. */
function finishOf(response: Readonly<Record<string, unknown>>): Finish | null {
  const status = stringOf(response.status);
  const details = isObject(response.incomplete_details) ? response.incomplete_details : {};
  switch (status) {
    case "completed": {
      const calls = listOf(response.output).some(({ type }) => type === "function_call");
      return { raw: status, reason: calls ? "tool-calls" : "unknown" };
    }
    case "incomplete": {
      const raw = stringOf(details.reason) || status;
      const isLength = raw === "max_output_tokens" || raw === "max_tokens" || raw === "length";
      return { raw, reason: isLength ? "length" : "unknown" };
    }
    case "failed":
    case "cancelled":
      return { raw: status, reason: "abort" };
    case "":
    case "in_progress":
    case "queued":
      return null;
    default:
      return { ...NO_FINISH, raw: status };
  }
}

function readUsage(usage: unknown): RecordedUsage | null {
  if (!isObject(usage)) return null;
  const input = isObject(usage.input_tokens_details) ? usage.input_tokens_details : {};
  const output = isObject(usage.output_tokens_details) ? usage.output_tokens_details : {};
  return usageOf({
    promptTokens: countOf(usage.input_tokens),
    completionTokens: countOf(usage.output_tokens),
    cachedPromptTokens: countOf(input.cached_tokens),
    reasoningTokens: countOf(output.reasoning_tokens),
  });
}

function flatMessage(json: Readonly<Record<string, unknown>>): string {
  const message = stringOf(json.message) || stringOf(json.code);
  return message === "" ? "the server sent an error event without a message" : message.slice(0, 400);
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isObject) : [];
}
