import { acceptanceFromResponse } from "@onpar/metrics-client";
import { normaliseFinish, type Finish } from "./finish.ts";
import type { ChunkKind, RecordedUsage } from "../record.ts";
import { errorInJson, isObject } from "./server-message.ts";
import { NOTHING, type StreamEvent } from "./stream-event.ts";

/** Reads a parsed event of `/v1/chat/completions` or `/v1/completions`; what it does not know is skipped. */
export function readStreamEvent(json: unknown, eventName: string): StreamEvent {
  const error = errorInJson(json) ?? (eventName === "error" ? errorEventMessage(json) : null);
  if (error !== null) return { ...NOTHING, kind: "error", error };
  if (!isObject(json)) return NOTHING;

  const usage = readUsage(json.usage);
  const acceptance =
    json.metrics === undefined && json.timings === undefined ? null : acceptanceFromResponse(json);
  const choices: unknown[] = Array.isArray(json.choices) ? json.choices : [];
  if (choices.length === 0)
    return { ...NOTHING, kind: usage === null ? "empty" : "usage", usage, acceptance };

  let reasoning = "";
  let content = "";
  let tool = "";
  let tokenIds: number | null = null;
  let finish: Finish | null = null;
  let role = false;
  for (const choice of choices) {
    if (!isObject(choice)) continue;
    if (typeof choice.text === "string") content += choice.text;
    const delta = isObject(choice.delta) ? choice.delta : {};
    role ||= typeof delta.role === "string";
    reasoning += textOf(delta.reasoning) || textOf(delta.reasoning_content);
    content += textOf(delta.content) + textOf(delta.refusal);
    tool += toolText(delta);
    if (Array.isArray(choice.token_ids)) tokenIds = (tokenIds ?? 0) + choice.token_ids.length;
    const ended = normaliseFinish({
      finishReason: choice.finish_reason,
      stopReason: choice.stop_reason,
      matchedStop: choice.matched_stop,
    });
    if (ended.raw !== null) finish = ended;
  }
  const kind = kindOf({ reasoning, content, tool, tokenIds, finish, role });
  return { kind, reasoning, content, tool, tokenIds, finish, usage, acceptance, error: null };
}

/** A whole answer, where no stream was asked for: `message` stands where a stream has `delta`. */
export function readWholeAnswer(json: unknown): StreamEvent {
  if (!isObject(json) || !Array.isArray(json.choices)) return readStreamEvent(json, "");
  const choices = (json.choices as unknown[]).map((choice) =>
    isObject(choice) && choice.delta === undefined ? { ...choice, delta: choice.message } : choice,
  );
  return readStreamEvent({ ...json, choices }, "");
}

/** `usage` as servers write it; null when it is missing or carries no count. */
export function readUsage(usage: unknown): RecordedUsage | null {
  if (!isObject(usage)) return null;
  const details = isObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const output = isObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const promptTokens = count(usage.prompt_tokens);
  const completionTokens = count(usage.completion_tokens);
  if (promptTokens === null && completionTokens === null) return null;
  return {
    promptTokens,
    completionTokens,
    cachedPromptTokens: count(details.cached_tokens),
    reasoningTokens: count(output.reasoning_tokens),
  };
}

type Parts = Pick<StreamEvent, "reasoning" | "content" | "tool" | "tokenIds" | "finish"> & {
  readonly role: boolean;
};

function kindOf(parts: Parts): ChunkKind {
  if (parts.content !== "") return "content";
  if (parts.tool !== "") return "tool";
  if (parts.reasoning !== "") return "reasoning";
  if (parts.finish !== null) return "finish";
  // A token without text (half a character, a special token) is a token all the same.
  if ((parts.tokenIds ?? 0) > 0) return "content";
  return parts.role ? "role" : "empty";
}

function toolText(delta: Record<string, unknown>): string {
  let text = callText(delta.function_call);
  if (Array.isArray(delta.tool_calls)) {
    for (const call of delta.tool_calls as unknown[]) if (isObject(call)) text += callText(call.function);
  }
  return text;
}

function callText(call: unknown): string {
  return isObject(call) ? textOf(call.name) + textOf(call.arguments) : "";
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  let text = "";
  for (const part of value as unknown[])
    if (isObject(part) && typeof part.text === "string") text += part.text;
  return text;
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

function errorEventMessage(json: unknown): string {
  if (isObject(json)) {
    for (const key of ["message", "detail"]) {
      const text = json[key];
      if (typeof text === "string" && text !== "") return text.slice(0, 400);
    }
  }
  return "the server sent an error event without a message";
}
