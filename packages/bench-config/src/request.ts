import type { JsonValue, StoppingRuleName, TemplateMode } from "./protocol.ts";
import type { BenchConfig, Endpoint } from "./schema.ts";

/**
 * How outputs end: `eos` (EOS honoured, `cap` tokens at most), `ignore-eos` (exactly `cap` tokens) or `fixed` (EOS
 * honoured, and `min_tokens` is the cap).
 */
export function stoppingRule(config: BenchConfig): { readonly name: StoppingRuleName; readonly cap: number } {
  const cap = config.maxTokens ?? config.outputLen;
  if (config.ignoreEos) {
    return { name: "ignore-eos", cap };
  }
  return { name: config.minTokens >= cap ? "fixed" : "eos", cap };
}

/** Endpoints that take messages: the server always applies its template there. */
export function isServerTemplate(endpoint: Endpoint): boolean {
  return endpoint === "chat-completions" || endpoint === "responses" || endpoint === "ollama-chat";
}

/**
 * Who applies the chat template. On an endpoint that takes messages always the server; elsewhere the client, or nobody where the
 * template is skipped.
 */
export function effectiveTemplateMode(config: BenchConfig): TemplateMode {
  if (isServerTemplate(config.target.endpoint)) {
    return "server-side";
  }
  return config.skipChatTemplate ? "none" : "client-side";
}

/** The template's variables. An unset `enableThinking` is not a key: the template sees it undefined, not false. */
export function templateKwargs(config: BenchConfig): Record<string, JsonValue> {
  return {
    ...config.chatTemplateKwargs,
    ...(config.enableThinking === undefined ? {} : { enable_thinking: config.enableThinking }),
  };
}

/**
 * The stopping and sampling fields of an OpenAI-style request body, exactly as they are sent. Everything is sent,
 * defaults too, because servers differ in their own defaults; `stop` only where there is a stop text.
 */
export function requestFields(config: BenchConfig): Record<string, JsonValue> {
  const { sampling } = config;
  return {
    max_tokens: stoppingRule(config).cap,
    ignore_eos: config.ignoreEos,
    ...(config.minTokens > 0 ? { min_tokens: config.minTokens } : {}),
    ...(config.stop.length > 0 ? { stop: [...config.stop] } : {}),
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: sampling.topK,
    min_p: sampling.minP,
    repetition_penalty: sampling.repetitionPenalty,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    seed: config.seed,
  };
}
