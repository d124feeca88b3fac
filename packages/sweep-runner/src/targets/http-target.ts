import { createHash } from "node:crypto";
import type { JsonValue } from "@onpar/bench-config";
import type { Dispatcher } from "undici";
import type { Timeline } from "../clock.ts";
import { createConnectionPool } from "../transport/connection-pool.ts";
import { exchange, type ExchangeContext } from "../transport/http-exchange.ts";
import { createParseQueue } from "../stream/parse-queue.ts";
import { userMessage, type TargetPrompt } from "../prompt.ts";
import { readBody, type PreparedRequest, type Target } from "./target.ts";

export interface HttpTargetOptions {
  /** Server root without `/v1`. */
  readonly root: string;
  readonly endpoint: "chat-completions" | "completions";
  readonly apiKey: string | null;
  /** Served model name. */
  readonly model: string;
  /** Stopping and sampling fields of every body. */
  readonly fields: Readonly<Record<string, JsonValue>>;
  /** Template variables for a server-side template; sent only when there are any. */
  readonly templateKwargs: Readonly<Record<string, JsonValue>>;
  /** Connections: the most requests in flight. */
  readonly connections: number;
  readonly timeoutMs: number;
  readonly timeline: Timeline;
}

interface HttpRequest extends PreparedRequest {
  readonly body: Buffer;
}

/** Streams `/v1/chat/completions` or `/v1/completions` of an OpenAI-compatible server over HTTP/1.1. */
export function createHttpTarget(options: HttpTargetOptions): Target<HttpRequest> {
  const url = new URL(
    `${options.root}/v1/${options.endpoint === "completions" ? "completions" : "chat/completions"}`,
  );
  const pool = createConnectionPool(url.origin, options.connections);
  const context: ExchangeContext = {
    pool,
    queue: createParseQueue(),
    timeline: options.timeline,
    timeoutMs: options.timeoutMs,
  };
  const headers: Record<string, string> = {
    "content-type": "application/json",
    accept: "text/event-stream",
    // A compressing proxy would hold chunks back.
    "accept-encoding": "identity",
    ...(options.apiKey === null ? {} : { authorization: `Bearer ${options.apiKey}` }),
  };

  return {
    prepare(prompt) {
      const body = Buffer.from(JSON.stringify(requestBody(options, prompt)));
      return {
        promptId: prompt.id,
        sha256: createHash("sha256").update(body).digest("hex"),
        promptTokens: null,
        body,
      };
    },
    describe: (request) => readBody(request.body.toString("utf8")),
    send(request, observer, signal) {
      const dispatch: Dispatcher.DispatchOptions = {
        path: url.pathname,
        method: "POST",
        headers,
        body: request.body,
      };
      return exchange(context, dispatch, observer, signal);
    },
    close: () => pool.destroy(),
  };
}

function requestBody(options: HttpTargetOptions, prompt: TargetPrompt): Readonly<Record<string, unknown>> {
  const stream = { stream: true, stream_options: { include_usage: true, continuous_usage_stats: false } };
  if (options.endpoint === "completions") {
    if (prompt.kind !== "text")
      throw new TypeError("the completions endpoint takes text, not a conversation");
    return {
      model: options.model,
      prompt: prompt.text,
      ...(prompt.addSpecialTokens ? {} : { add_special_tokens: false }),
      ...options.fields,
      ...stream,
    };
  }
  const conversation = prompt.kind === "text" ? userMessage(prompt.text) : prompt.conversation;
  return {
    model: options.model,
    messages: conversation.messages,
    ...(conversation.tools == null ? {} : { tools: conversation.tools }),
    ...options.fields,
    ...(Object.keys(options.templateKwargs).length === 0
      ? {}
      : { chat_template_kwargs: options.templateKwargs }),
    ...stream,
  };
}
