import { z } from "zod";
import type { Conversation } from "../chat/conversation.ts";
import { TemplateNotFoundError } from "./template-error.ts";
import { readTokenizerConfig, type CarriedTemplates } from "./tokenizer-config.ts";

/** How a server is asked. */
export interface ServerOptions {
  /** Sent as a bearer token. */
  readonly apiKey?: string;
  /** Of one request, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number;
  /** Default: the global one. */
  readonly fetch?: typeof fetch;
}

const DEFAULT_TIMEOUT_MS = 10_000;

/** Longest answer that is read. A tokenizer's configuration may list hundreds of thousands of tokens. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** Longest part of a server's own words in an error. */
const MAX_SHOWN_CHARS = 300;

function failed(address: string, reason: string, cause?: unknown): TemplateNotFoundError {
  return new TemplateNotFoundError("TEMPLATE_UNREADABLE", `${address}: cannot be read: ${reason}`, cause);
}

async function readBounded(response: Response, address: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  if (response.body === null) {
    return "";
  }
  const reader = response.body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const part: Uint8Array = read.value;
    bytes += part.length;
    if (bytes > MAX_ANSWER_BYTES) {
      await reader.cancel();
      throw failed(address, `the answer has more than ${MAX_ANSWER_BYTES} bytes`);
    }
    parts.push(part);
  }
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return new TextDecoder().decode(whole);
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function ask(address: string, options: ServerOptions, body?: unknown): Promise<Answer> {
  const { apiKey, timeoutMs = DEFAULT_TIMEOUT_MS, fetch: send = fetch } = options;
  try {
    const response = await send(address, {
      method: body === undefined ? "GET" : "POST",
      signal: AbortSignal.timeout(timeoutMs),
      // An answer from elsewhere would be another server's template.
      redirect: "error",
      headers: {
        accept: "application/json",
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await readBounded(response, address) };
  } catch (error) {
    if (error instanceof TemplateNotFoundError) {
      throw error;
    }
    const reason =
      error instanceof Error && error.name === "TimeoutError"
        ? `no answer within ${timeoutMs} ms`
        : reasonOf(error);
    throw failed(address, reason, error);
  }
}

/** fetch hides why it failed in the cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

/** An address under the server's root: API paths such as `/v1` at its end are not part of it. */
function under(baseUrl: string, path: string): string {
  return baseUrl.replace(/\/+$/u, "").replace(/\/v1$/u, "") + path;
}

function jsonOf(address: string, { text }: Answer): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw failed(address, "the answer is not JSON", error);
  }
}

const props = z.looseObject({
  chat_template: z.string().min(1),
  chat_template_tool_use: z.string().nullish(),
  bos_token: z.string().nullish(),
  eos_token: z.string().nullish(),
});

/** llama.cpp's `/props`. */
async function fromProps(baseUrl: string, options: ServerOptions): Promise<CarriedTemplates | null> {
  const address = under(baseUrl, "/props");
  const answer = await ask(address, options);
  if (answer.status !== 200) {
    return null;
  }
  const result = props.safeParse(jsonOf(address, answer));
  if (!result.success) {
    return null;
  }
  const { chat_template: template, chat_template_tool_use: toolUse, bos_token, eos_token } = result.data;
  return {
    templates: new Map([["default", template], ...(toolUse ? [["tool_use", toolUse] as const] : [])]),
    specialTokens: { ...(bos_token ? { bos_token } : {}), ...(eos_token ? { eos_token } : {}) },
  };
}

/** vLLM's `/tokenizer_info`, which has to be enabled there: what `tokenizer_config.json` holds. */
async function fromTokenizerInfo(baseUrl: string, options: ServerOptions): Promise<CarriedTemplates | null> {
  const address = under(baseUrl, "/tokenizer_info");
  const answer = await ask(address, options);
  return answer.status === 200 ? readTokenizerConfig(address, jsonOf(address, answer)) : null;
}

/**
 * The template that a server gives away.
 *
 * @throws TemplateNotFoundError when it cannot be reached, or gives none away
 */
export async function readServer(
  baseUrl: string,
  options: ServerOptions = {},
): Promise<{ readonly carried: CarriedTemplates; readonly address: string }> {
  const llama = await fromProps(baseUrl, options);
  if (llama !== null) {
    return { carried: llama, address: under(baseUrl, "/props") };
  }
  const info = await fromTokenizerInfo(baseUrl, options);
  if (info !== null && info.templates.size > 0) {
    return { carried: info, address: under(baseUrl, "/tokenizer_info") };
  }
  throw new TemplateNotFoundError(
    "TEMPLATE_NOT_FOUND",
    `${baseUrl}: the server gives no chat template away, neither on /props (llama.cpp) nor on /tokenizer_info (vLLM with ` +
      "--enable-tokenizer-info-endpoint)",
  );
}

/** A conversation for a server to render. */
export interface ServerRenderOptions extends ServerOptions {
  readonly addGenerationPrompt?: boolean;
  /** Sent as `chat_template_kwargs`. */
  readonly kwargs?: Readonly<Record<string, unknown>>;
}

const applied = z.looseObject({ prompt: z.string() });
const refusal = z.looseObject({ error: z.union([z.string(), z.looseObject({ message: z.string() })]) });

/**
 * What llama-server itself makes of a conversation (`POST /apply-template`): the prompt without the BOS text, which its
 * tokenizer adds.
 *
 * @throws TemplateNotFoundError when there is no such server, or it refuses the conversation (its words are in the message)
 */
export async function renderOnServer(
  baseUrl: string,
  conversation: Conversation,
  options: ServerRenderOptions = {},
): Promise<string> {
  const address = under(baseUrl, "/apply-template");
  const answer = await ask(address, options, {
    messages: conversation.messages,
    ...(conversation.tools ? { tools: conversation.tools } : {}),
    ...(options.addGenerationPrompt === undefined
      ? {}
      : { add_generation_prompt: options.addGenerationPrompt }),
    ...(options.kwargs === undefined ? {} : { chat_template_kwargs: options.kwargs }),
  });
  if (answer.status === 404) {
    throw new TemplateNotFoundError(
      "TEMPLATE_NOT_FOUND",
      `${address}: the server renders no conversations there`,
    );
  }
  const json = jsonOf(address, answer);
  const result = applied.safeParse(json);
  if (answer.status === 200 && result.success) {
    return result.data.prompt;
  }
  const told = refusal.safeParse(json);
  const words = told.success
    ? typeof told.data.error === "string"
      ? told.data.error
      : told.data.error.message
    : answer.text;
  throw failed(address, `status ${answer.status}: ${words.slice(0, MAX_SHOWN_CHARS)}`);
}
