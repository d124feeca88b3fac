import { effectiveTemplateMode, templateKwargs, type BenchConfig, type JsonValue } from "@onpar/bench-config";
import type { Timeline } from "../clock.ts";
import type { ControlClient } from "../control-client.ts";
import { isObject } from "../stream/server-message.ts";
import { createHttpTarget } from "./http-target.ts";
import { createNativeTarget, isNativeEndpoint, type NativeTarget } from "./native-target.ts";
import { openAiFields } from "./openai-fields.ts";
import { perCap } from "./output-cap.ts";

export interface ServerTargetOptions {
  readonly config: BenchConfig;
  readonly apiKey: string | null;
  /** Server root. */
  readonly root: string;
  readonly headers: Readonly<Record<string, string>>;
  /** PEM of the certificate authority; null takes those of the system. */
  readonly ca: string | null;
  readonly timeoutMs: number;
  readonly timeline: Timeline;
  /** Served model name. */
  readonly model: string;
  /** Engine as the server names it; null when it cannot be told. */
  readonly engine: string | null;
  /** See {@link doubledBos}. */
  readonly bosText: string | null;
}

/** The way to the endpoint that the configuration names, with the fields that its server takes. */
export function openServerTarget(options: ServerTargetOptions): NativeTarget {
  const { config, apiKey, root, headers, ca, timeoutMs, timeline, model, engine, bosText } = options;
  const { endpoint, insecureTls, extraBody, stream: streamed } = config.target;
  const { retries } = config;
  const way = { root, apiKey, headers, ca, insecureTls, timeoutMs, retries, streamed, timeline, model };
  if (isNativeEndpoint(endpoint)) return createNativeTarget({ ...way, endpoint, config, engine, bosText });
  const isChat = endpoint === "chat-completions";
  const { unsent, isStrict } = openAiFields(config, engine);
  const fieldsOf = perCap(config, (own) => ({ ...openAiFields(own, engine).fields, ...logprobFields(own) }));
  const target = createHttpTarget({
    ...way,
    endpoint: isChat ? "chat-completions" : "completions",
    fields: fieldsOf(null),
    fieldsOfCap: fieldsOf,
    templateKwargs: templateKwargs(config),
    extraBody,
    isStrict,
  });
  return { target, path: isChat ? "/v1/chat/completions" : "/v1/completions", unsent };
}

/** The chat endpoint has a switch and a number, the one for completions a number alone. */
export function logprobFields({ logprobs, target }: BenchConfig): Record<string, JsonValue> {
  if (logprobs === null) return {};
  return target.endpoint === "completions" ? { logprobs } : { logprobs: true, top_logprobs: logprobs };
}

/**
 * The endpoints of llama.cpp and SGLang tokenise every text with the special tokens of their tokenizer: where that puts BOS before
 * it, a rendered template that begins with BOS would have it twice. The text that is to be taken off, or null.
 */
export async function doubledBos(
  config: BenchConfig,
  control: ControlClient,
  { model, bosText }: { readonly model: string; readonly bosText: string | null },
  signal: AbortSignal | undefined,
): Promise<string | null> {
  const { endpoint } = config.target;
  if (bosText === null || effectiveTemplateMode(config) !== "client-side") return null;
  if (endpoint === "llama-completion") {
    const added = await addedBy("add_special", { content: ONE_TOKEN }, control, signal);
    return added !== null && added > 0 ? bosText : null;
  }
  if (endpoint !== "sglang-generate") return null;
  const added =
    (await addedBy("add_special_tokens", { model, prompt: ONE_TOKEN }, control, signal)) ??
    (await addedByGenerating(control, signal));
  return added !== null && added > 0 ? bosText : null;
}

/** One token in nearly every vocabulary. */
const ONE_TOKEN = "a";

/** Special tokens that the tokenizer puts around a text; null where the server does not tokenise. */
async function addedBy(
  field: string,
  body: Readonly<Record<string, string>>,
  control: ControlClient,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const counts: number[] = [];
  for (const adds of [true, false]) {
    const { json } = await control.post("/tokenize", { ...body, [field]: adds }, signal);
    if (!isObject(json) || !Array.isArray(json.tokens) || json.tokens.length === 0) return null;
    counts.push(json.tokens.length);
  }
  const [around = 0, alone = 0] = counts;
  return around - alone;
}

/** The same for an SGLang that has no `/tokenize`: its answers count the prompt. */
async function addedByGenerating(
  control: ControlClient,
  signal: AbortSignal | undefined,
): Promise<number | null> {
  const body = { text: ONE_TOKEN, sampling_params: { max_new_tokens: 1, temperature: 0 } };
  const { json } = await control.post("/generate", body, signal);
  const meta = isObject(json) ? json.meta_info : null;
  const counted = isObject(meta) ? meta.prompt_tokens : null;
  return typeof counted === "number" ? counted - 1 : null;
}
