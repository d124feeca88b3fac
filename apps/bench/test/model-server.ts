import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** How a server of the tests behaves. */
export interface ModelServerOptions {
  /** Tokens after which the model ends by itself. */
  readonly naturalLength?: number;
  /** False: the server accepts `ignore_eos` and drops it. */
  readonly obeysIgnoreEos?: boolean;
  readonly apiKey?: string;
  /** Prompt and output together, in words. */
  readonly contextSize?: number;
  /** What becomes of every generation instead of an answer; a stream is broken after its second word. */
  readonly breaks?: "stall" | "cut" | "error-event" | "500" | "html";
  /** Every n-th generation is refused with 503. */
  readonly failsEvery?: number;
  /** Pause before each token, ms. */
  readonly delayMs?: number;
}

export interface ModelServer {
  readonly url: string;
  /** Bodies of the generation requests, in order of arrival. */
  readonly requests: Readonly<Record<string, unknown>>[];
  close(): Promise<void>;
}

export const MODEL = "words-1";

interface GenerationRequest {
  readonly model?: string;
  readonly prompt?: string;
  readonly messages?: readonly { readonly content: string }[];
  readonly max_tokens: number;
  readonly ignore_eos?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
}

/** A small OpenAI-like server on a free loopback port, whose model says one word per token. */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const requests: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    void answer(request, response, options, requests).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: ModelServerOptions,
  requests: Record<string, unknown>[],
): Promise<void> {
  const body = await readBody(request);
  if (options.apiKey !== undefined && request.headers.authorization !== `Bearer ${options.apiKey}`) {
    refuse(response, 401, "Incorrect API key provided");
  } else if (request.url === "/v1/models") {
    const { contextSize } = options;
    const card = {
      id: MODEL,
      object: "model",
      ...(contextSize === undefined ? {} : { max_model_len: contextSize }),
    };
    reply(response, { object: "list", data: [card] });
  } else if (request.url === "/v1/completions" || request.url === "/v1/chat/completions") {
    const parsed = JSON.parse(body) as GenerationRequest & Record<string, unknown>;
    requests.push(parsed);
    await generate(request.url, parsed, response, options, requests.length);
  } else {
    refuse(response, 404, `no ${request.url ?? "path"} here`);
  }
}

async function generate(
  path: string,
  request: GenerationRequest,
  response: ServerResponse,
  options: ModelServerOptions,
  count: number,
): Promise<void> {
  const {
    naturalLength = 6,
    obeysIgnoreEos = true,
    contextSize = 100_000,
    failsEvery,
    delayMs = 0,
  } = options;
  if (request.model !== MODEL) {
    refuse(response, 404, `The model ${JSON.stringify(request.model)} does not exist`);
    return;
  }
  const prompt = request.prompt ?? (request.messages ?? []).map((message) => message.content).join(" ");
  const promptTokens = prompt.split(/\s+/).filter((word) => word !== "").length;
  if (promptTokens + request.max_tokens > contextSize) {
    refuse(
      response,
      400,
      `This model's maximum context length is ${contextSize} tokens; ${promptTokens} were given`,
    );
    return;
  }
  if (failsEvery !== undefined && count % failsEvery === 0) {
    refuse(response, 503, "no capacity");
    return;
  }
  if (options.breaks === "500") {
    refuse(response, 500, "out of memory");
    return;
  }
  if (options.breaks === "html") {
    response.writeHead(200, { "content-type": "text/html" }).end("<html>Please log in</html>");
    return;
  }
  const isForced = request.ignore_eos === true && obeysIgnoreEos;
  const length = isForced ? request.max_tokens : Math.min(naturalLength, request.max_tokens);
  const send = (data: unknown) => response.write(`data: ${JSON.stringify(data)}\n\n`);
  const isChat = path.endsWith("/chat/completions");
  const choice = (text: string, finish: string | null) =>
    isChat
      ? { index: 0, delta: text === "" ? {} : { content: text }, finish_reason: finish }
      : { index: 0, text, finish_reason: finish };

  response.writeHead(200, { "content-type": "text/event-stream" });
  for (let index = 0; index < length && !response.destroyed; index++) {
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    send({ model: MODEL, choices: [choice(`word${index} `, null)] });
    if (index < 1) continue;
    if (options.breaks === "stall") return;
    if (options.breaks === "cut") {
      // What was written leaves first.
      setImmediate(() => response.destroy());
      return;
    }
    if (options.breaks === "error-event") {
      send({ error: { message: "the device was lost", code: 500 } });
      response.end();
      return;
    }
  }
  send({ model: MODEL, choices: [choice("", length === request.max_tokens ? "length" : "stop")] });
  if (request.stream_options?.include_usage === true) {
    const usage = {
      prompt_tokens: promptTokens,
      completion_tokens: length,
      total_tokens: promptTokens + length,
    };
    send({ model: MODEL, choices: [], usage });
  }
  response.end("data: [DONE]\n\n");
}

function reply(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function refuse(response: ServerResponse, status: number, message: string): void {
  const body = { error: { message, type: "invalid_request_error", code: status } };
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const part of request.setEncoding("utf8")) body += String(part);
  return body;
}
