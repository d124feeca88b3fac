import { effectiveTemplateMode, templateKwargs, type BenchConfig, type JsonValue } from "@onpar/bench-config";
import type { Timeline } from "../clock.ts";
import type { ControlClient } from "../control-client.ts";
import { fetchServerTemplate } from "../preflight.ts";
import { isObject } from "../stream/server-message.ts";
import { createHttpTarget } from "./http-target.ts";
import { createNativeTarget, isNativeEndpoint, type NativeTarget } from "./native-target.ts";
import { openAiFields } from "./openai-fields.ts";

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
  const { endpoint, insecureTls, extraBody } = config.target;
  const way = { root, apiKey, headers, ca, insecureTls, timeoutMs, timeline, model };
  if (isNativeEndpoint(endpoint))
    return createNativeTarget({ ...way, endpoint, config, engine, streamed: true, bosText });
  const isChat = endpoint === "chat-completions";
  const { fields, unsent, isStrict } = openAiFields(config, engine);
  const target = createHttpTarget({
    ...way,
    endpoint: isChat ? "chat-completions" : "completions",
    fields: { ...fields, ...logprobFields(config) },
    templateKwargs: templateKwargs(config),
    extraBody,
    isStrict,
  });
  return { target, path: isChat ? "/v1/chat/completions" : "/v1/completions", unsent };
}

/** The chat endpoint has a switch and a number, the one for completions a number alone. */
function logprobFields({ logprobs, target }: BenchConfig): Record<string, JsonValue> {
  if (logprobs === null) return {};
  return target.endpoint === "completions" ? { logprobs } : { logprobs: true, top_logprobs: logprobs };
}

/**
 * llama.cpp's own endpoint puts BOS before every text where its tokenizer does so: a rendered template that begins with BOS would
 * have it twice. The text that is to be taken off, or null.
 */
export async function doubledBos(
  config: BenchConfig,
  control: ControlClient,
  signal: AbortSignal | undefined,
): Promise<string | null> {
  if (config.target.endpoint !== "llama-completion" || effectiveTemplateMode(config) !== "client-side")
    return null;
  const bos = (await fetchServerTemplate(control, signal))?.specialTokens["bos_token"];
  if (bos === undefined) return null;
  const count = async (addSpecial: boolean): Promise<number> => {
    const { json } = await control.post("/tokenize", { content: "a", add_special: addSpecial }, signal);
    return isObject(json) && Array.isArray(json.tokens) ? json.tokens.length : 0;
  };
  return (await count(true)) > (await count(false)) ? bos : null;
}
