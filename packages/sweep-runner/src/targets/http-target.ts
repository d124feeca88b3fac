import type { JsonValue } from "@onpar/bench-config";
import type { Timeline } from "../clock.ts";
import type { TargetPrompt } from "../prompt.ts";
import { conversationOf } from "./native-endpoint.ts";
import type { Target, WireSpec } from "./target.ts";
import { createWireTarget, type WireRequest } from "./wire-target.ts";

export interface HttpTargetOptions {
  /** Server root without `/v1`. */
  readonly root: string;
  readonly endpoint: "chat-completions" | "completions";
  readonly apiKey: string | null;
  /** Served model name. */
  readonly model: string;
  /** Stopping and sampling fields of every body. */
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** Those of a request with an output cap of its own; left out where there is none. */
  readonly fieldsOfCap?: ((outputTokens: number) => Readonly<Record<string, JsonValue>>) | undefined;
  /** Template variables for a server-side template; sent only when there are any. */
  readonly templateKwargs: Readonly<Record<string, JsonValue>>;
  /** Further fields of every body. */
  readonly extraBody?: Readonly<Record<string, JsonValue>> | undefined;
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether a stream is asked for. Default: true. */
  readonly streamed?: boolean | undefined;
  /** Leaves out what a server that refuses unknown keys would not know. */
  readonly isStrict?: boolean | undefined;
  /** PEM of the certificate authority; null takes those of the system. */
  readonly ca?: string | null | undefined;
  readonly insecureTls?: boolean | undefined;
  readonly timeoutMs: number;
  /** How often a request goes out again that the server refused for now. Default: 0. */
  readonly retries?: number | undefined;
  readonly timeline: Timeline;
}

/** Streams `/v1/chat/completions` or `/v1/completions` of an OpenAI-compatible server over HTTP/1.1. */
export function createHttpTarget(options: HttpTargetOptions): Target<WireRequest> {
  const { root, endpoint, apiKey, timeoutMs, timeline } = options;
  const wire: WireSpec = {
    url: `${root}/v1/${endpoint === "completions" ? "completions" : "chat/completions"}`,
    headers: { ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }), ...options.headers },
    format: "openai",
    streamed: options.streamed !== false,
    timeoutMs,
    retries: options.retries ?? 0,
    ca: options.ca ?? null,
    insecureTls: options.insecureTls === true,
  };
  return createWireTarget(wire, timeline, (prompt) => requestBody(options, wire.streamed, prompt));
}

function requestBody(
  options: HttpTargetOptions,
  streamed: boolean,
  prompt: TargetPrompt,
): Readonly<Record<string, unknown>> {
  const usage = {
    include_usage: true,
    ...(options.isStrict === true ? {} : { continuous_usage_stats: false }),
  };
  const stream = streamed ? { stream: true, stream_options: usage } : { stream: false };
  const cap = prompt.outputTokens ?? null;
  const fields = cap === null ? options.fields : (options.fieldsOfCap?.(cap) ?? options.fields);
  if (options.endpoint === "completions") {
    if (prompt.kind === "conversation")
      throw new TypeError("the completions endpoint takes text, not a conversation");
    const isRendered = prompt.kind === "text" && !prompt.addSpecialTokens;
    return {
      model: options.model,
      prompt: prompt.kind === "ids" ? prompt.ids : prompt.text,
      ...(!isRendered || options.isStrict === true ? {} : { add_special_tokens: false }),
      ...fields,
      ...options.extraBody,
      ...stream,
    };
  }
  const conversation = conversationOf(prompt, options.endpoint);
  return {
    model: options.model,
    messages: conversation.messages,
    ...(conversation.tools == null ? {} : { tools: conversation.tools }),
    ...fields,
    ...(Object.keys(options.templateKwargs).length === 0
      ? {}
      : { chat_template_kwargs: options.templateKwargs }),
    ...options.extraBody,
    ...stream,
  };
}
