import { NO_FINISH, normaliseFinish, type Finish } from "./finish.ts";
import { countOf, stringOf, usageOf } from "./read-values.ts";
import { errorInJson, isObject } from "./server-message.ts";
import { NOTHING, type AnswerFormat, type StreamEvent } from "./stream-event.ts";

/**
 * Ollama's `/api/chat`: one JSON document per line; the last one has `done: true`, why it ended, and the counts. Counts of zero are
 * left out by the server.
 */
export const ollamaChat: AnswerFormat = {
  framing: "lines",
  stateless: true,
  createReader: () => readOllamaLine,
  readWhole: readOllamaLine,
};

function readOllamaLine(json: unknown): StreamEvent {
  const error = errorInJson(json);
  if (error !== null) return { ...NOTHING, kind: "error", error };
  if (!isObject(json)) return NOTHING;
  const message = isObject(json.message) ? json.message : {};
  const content = stringOf(message.content);
  const reasoning = stringOf(message.thinking);
  const tool = toolText(message.tool_calls);
  const finish = json.done === true ? finishOf(json.done_reason, tool !== "") : null;
  const kind =
    content !== ""
      ? "content"
      : tool !== ""
        ? "tool"
        : reasoning !== ""
          ? "reasoning"
          : finish !== null
            ? "finish"
            : typeof message.role === "string"
              ? "role"
              : "empty";
  const usage =
    finish === null
      ? null
      : usageOf({
          promptTokens: countOf(json.prompt_eval_count),
          completionTokens: countOf(json.eval_count),
        });
  return { ...NOTHING, kind, content, reasoning, tool, finish, usage };
}

/** `stop` is EOS or a stop string: the server does not say which. */
function finishOf(reason: unknown, called: boolean): Finish {
  const raw = stringOf(reason);
  if (raw === "") return { ...NO_FINISH, raw: "done" };
  const finish = normaliseFinish({ finishReason: raw });
  return called && finish.reason === "stop" ? { raw, reason: "tool-calls" } : finish;
}

function toolText(calls: unknown): string {
  if (!Array.isArray(calls)) return "";
  let text = "";
  for (const call of calls as unknown[]) {
    const called = isObject(call) && isObject(call.function) ? call.function : null;
    if (called === null) continue;
    const written = called.arguments;
    text += stringOf(called.name) + (typeof written === "string" ? written : JSON.stringify(written ?? {}));
  }
  return text;
}
