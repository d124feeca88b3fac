import { acceptanceFromResponse } from "@onpar/metrics-client";
import { NO_FINISH, normaliseFinish, type Finish } from "./finish.ts";
import { countOf, stringOf, usageOf } from "./read-values.ts";
import { errorInJson, isObject } from "./server-message.ts";
import { NOTHING, type AnswerFormat, type StreamEvent } from "./stream-event.ts";

/**
 * SGLang's `/generate`. Each event holds the whole text so far, or, where the server was started to stream increments, only what is
 * new; both are read as what is new. `meta_info` counts the tokens so far and says at the end why it stopped and what was
 * drafted.
 */
export const sglangGenerate: AnswerFormat = {
  framing: "sse",
  stateless: false,
  createReader() {
    const tail = new TextTail();
    return (json) => readEvent(json, (text, meta, ids) => tail.next(text, meta, ids));
  },
  readWhole: (json) => readEvent(Array.isArray(json) ? json[0] : json, (text) => text),
};

type NewText = (text: string, completionTokens: number | null, ids: number | null) => string;

function readEvent(json: unknown, newText: NewText): StreamEvent {
  const error = errorInJson(json);
  if (error !== null) return { ...NOTHING, kind: "error", error };
  if (!isObject(json)) return NOTHING;
  const meta = isObject(json.meta_info) ? json.meta_info : {};
  const completionTokens = countOf(meta.completion_tokens);
  const ids = Array.isArray(json.output_ids) ? json.output_ids.length : null;
  const content = newText(stringOf(json.text), completionTokens, ids);
  const finish = finishOf(meta.finish_reason);
  return {
    ...NOTHING,
    kind: content !== "" ? "content" : finish === null ? "empty" : "finish",
    content,
    finish,
    usage: usageOf({
      promptTokens: countOf(meta.prompt_tokens),
      completionTokens,
      cachedPromptTokens: countOf(meta.cached_tokens),
    }),
    acceptance: finish === null ? null : acceptanceFromResponse(json),
    error: finish?.reason === "abort" ? abortMessage(meta.finish_reason) : null,
  };
}

/** `{ type, matched }`, or a bare word in old builds. */
function finishOf(reason: unknown): Finish | null {
  const type = isObject(reason) ? reason.type : reason;
  if (typeof type !== "string" || type === "") return null;
  const matchedStop = isObject(reason) ? reason.matched : undefined;
  const finish = normaliseFinish({ finishReason: type, matchedStop });
  return finish.raw === null ? { ...NO_FINISH, raw: type } : finish;
}

function abortMessage(reason: unknown): string | null {
  const message = isObject(reason) ? stringOf(reason.message) : "";
  return message === "" ? null : message.slice(0, 400);
}

/** Tells what is new in texts of either kind. The kind is found at the second event with text, and kept. */
class TextTail {
  #whole = "";
  #isCumulative: boolean | null = null;

  next(text: string, completionTokens: number | null, ids: number | null): string {
    if (text === "") return "";
    const before = this.#whole;
    if (before !== "") this.#isCumulative ??= isCumulative(before, text, completionTokens, ids);
    if (this.#isCumulative !== true) {
      this.#whole = before + text;
      return text;
    }
    this.#whole = text;
    return text.startsWith(before) ? text.slice(before.length) : text.slice(sharedLength(before, text));
  }
}

/** The ids are cumulative or not as the text is, and are counted beside it; without them the text itself must show it. */
function isCumulative(
  before: string,
  text: string,
  completionTokens: number | null,
  ids: number | null,
): boolean {
  if (ids !== null && ids > 0 && completionTokens !== null) return ids >= completionTokens;
  return text.startsWith(before);
}

/** A tail that was half a character may be written anew. */
function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let index = 0;
  while (index < most && a.charCodeAt(index) === b.charCodeAt(index)) index++;
  return index;
}
