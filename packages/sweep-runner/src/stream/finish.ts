import type { FinishKind } from "../record.ts";

/** What servers say about the end of an output, beside `finish_reason`. `undefined` means the key was not there. */
export interface FinishFields {
  readonly finishReason: unknown;
  /** vLLM: null after EOS, a string for a stop string, an integer for a stop token. */
  readonly stopReason?: unknown;
  /** SGLang: a string for a stop string, an integer for EOS or a stop token. */
  readonly matchedStop?: unknown;
}

export interface Finish {
  /** As the server spelled it; null when it gave none. An empty string counts as none. */
  readonly raw: string | null;
  readonly reason: FinishKind;
}

export const NO_FINISH: Finish = { raw: null, reason: "unknown" };

/** One vocabulary over all servers' spellings. Stop token ids are never asked for here, so a token that matched is an EOS. */
export function normaliseFinish(fields: FinishFields): Finish {
  const raw = fields.finishReason;
  if (typeof raw !== "string" || raw === "") return NO_FINISH;
  return { raw, reason: reasonOf(raw, fields) };
}

function reasonOf(raw: string, fields: FinishFields): FinishKind {
  switch (raw.toLowerCase()) {
    case "stop":
      return stopKind(fields);
    case "eos":
    case "eos_token":
    case "end_turn":
      return "eos";
    case "stop_sequence":
    case "stop_string":
      return "stop-string";
    case "length":
    case "max_tokens":
    case "limit":
      return "length";
    case "tool_calls":
    case "function_call":
    case "tool_use":
      return "tool-calls";
    case "abort":
    case "cancelled":
    case "canceled":
    case "timeout":
    case "error":
      return "abort";
    default:
      return "unknown";
  }
}

/** `stop` alone says EOS or stop string: only a server that names what matched tells them apart. */
function stopKind({ stopReason, matchedStop }: FinishFields): FinishKind {
  for (const matched of [stopReason, matchedStop]) {
    if (typeof matched === "string") return "stop-string";
    if (typeof matched === "number") return "eos";
  }
  return stopReason === null ? "eos" : "stop";
}
