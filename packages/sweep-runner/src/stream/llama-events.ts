import { acceptanceFromResponse } from "@onpar/metrics-client";
import { NO_FINISH, type Finish } from "./finish.ts";
import { countOf, stringOf, usageOf } from "./read-values.ts";
import { errorInJson, isObject } from "./server-message.ts";
import { NOTHING, type AnswerFormat, type StreamEvent } from "./stream-event.ts";

/**
 * llama.cpp's `/completion`. Every event tells `tokens_predicted` so far, so that chunks tell their tokens; the last one has
 * `stop: true`, why it stopped, and `timings`, which hold the drafts. There is no `[DONE]`.
 */
export const llamaCompletion: AnswerFormat = {
  framing: "sse",
  stateless: true,
  createReader: () => readLlamaEvent,
  readWhole: (json) => readLlamaEvent(json, ""),
};

function readLlamaEvent(json: unknown, eventName: string): StreamEvent {
  const error = errorInJson(json);
  if (error !== null) return { ...NOTHING, kind: "error", error };
  if (eventName === "error")
    return { ...NOTHING, kind: "error", error: "the server sent an error event without a message" };
  if (!isObject(json)) return NOTHING;
  const content = stringOf(json.content);
  const timings = isObject(json.timings) ? json.timings : {};
  const finish = json.stop === true ? finishOf(json) : null;
  const usage = usageOf({
    promptTokens: countOf(json.tokens_evaluated),
    completionTokens: countOf(json.tokens_predicted),
    // `tokens_cached` is the fill of the cache at the end, not what was found there.
    cachedPromptTokens: countOf(timings.cache_n),
  });
  const tokenIds = Array.isArray(json.tokens) && json.tokens.length > 0 ? json.tokens.length : null;
  return {
    ...NOTHING,
    kind: content !== "" || tokenIds !== null ? "content" : finish === null ? "empty" : "finish",
    content,
    tokenIds,
    finish,
    usage,
    acceptance: finish === null ? null : acceptanceFromResponse(json),
  };
}

/** `stop_type` says which; builds before it have a flag for each. */
function finishOf(json: Readonly<Record<string, unknown>>): Finish {
  const type = stringOf(json.stop_type);
  if (type === "eos" || json.stopped_eos === true) return { raw: type || "stopped_eos", reason: "eos" };
  if (type === "word" || json.stopped_word === true)
    return { raw: type || "stopped_word", reason: "stop-string" };
  if (type === "limit" || json.stopped_limit === true)
    return { raw: type || "stopped_limit", reason: "length" };
  return { ...NO_FINISH, raw: type || "stop" };
}
