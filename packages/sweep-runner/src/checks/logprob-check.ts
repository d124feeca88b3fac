import type { BenchConfig, JsonValue } from "@onpar/bench-config";
import type { ControlClient } from "../control-client.ts";
import { RunError } from "../errors.ts";
import type { Finding } from "../result.ts";
import { isObject } from "../stream/server-message.ts";

/** Tokens that the small request asks for. */
const TOKENS = 2;

/**
 * Whether answers bring the log-probabilities that are asked for, found out by one small request before the run: servers leave
 * them out without a word, or give fewer alternatives. A server that refuses them refuses the run itself.
 *
 * @param fields those that ask for them, as every request of the run carries them
 */
export async function checkLogprobs(
  config: BenchConfig,
  control: ControlClient,
  request: { readonly model: string; readonly fields: Readonly<Record<string, JsonValue>> },
  signal?: AbortSignal,
): Promise<Finding[]> {
  const { logprobs: asked, target } = config;
  if (asked === null || (target.endpoint !== "completions" && target.endpoint !== "chat-completions"))
    return [];
  const isChat = target.endpoint === "chat-completions";
  const body = {
    model: request.model,
    ...(isChat ? { messages: [{ role: "user", content: "one two" }] } : { prompt: "one two" }),
    max_tokens: TOKENS,
    temperature: 0,
    ...request.fields,
    ...target.extraBody,
    stream: false,
  };
  try {
    const path = isChat ? "/v1/chat/completions" : "/v1/completions";
    const { status, json } = await control.post(path, body, signal);
    return status === 200 ? findings(asked, json) : [];
  } catch (error) {
    // The run itself says what is wrong with a server that does not answer.
    if (error instanceof RunError && error.code === "SERVER_UNREACHABLE") return [];
    throw error;
  }
}

function findings(asked: number, answer: unknown): Finding[] {
  const positions = alternatives(answer);
  const fewest = Math.min(...positions);
  if (positions.length > 0 && fewest >= asked) return [];
  const got =
    positions.length === 0
      ? "came back without any"
      : `came back with ${fewest === 0 ? "no alternatives" : `${fewest} of them`} for a token`;
  const message = `log-probabilities of the ${asked} most likely tokens were asked for, and a small request ${got}`;
  return [{ severity: "warning", code: "logprobs-missing", message }];
}

/** Alternatives for each output token: a list `content` of objects, or the older columns. */
function alternatives(answer: unknown): number[] {
  const choices: unknown = isObject(answer) ? answer.choices : null;
  const [choice]: unknown[] = Array.isArray(choices) ? choices : [];
  const given = isObject(choice) ? choice.logprobs : null;
  if (!isObject(given)) return [];
  if (Array.isArray(given.content))
    return given.content.map((token: unknown) => (isObject(token) ? sizeOf(token.top_logprobs) : 0));
  const told: unknown[] = Array.isArray(given.token_logprobs) ? given.token_logprobs : [];
  const top: unknown[] = Array.isArray(given.top_logprobs) ? given.top_logprobs : [];
  return told.map((_, index) => sizeOf(top[index]));
}

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) ? Object.keys(value).length : 0;
}
