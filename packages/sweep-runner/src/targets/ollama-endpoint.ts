import { stoppingRule, templateKwargs, type JsonValue } from "@onpar/bench-config";
import type { TargetPrompt } from "../prompt.ts";
import { isObject, parseJson } from "../stream/server-message.ts";
import { perCap } from "./output-cap.ts";
import { conversationOf, unsentSettings, type BodyContext, type NativeEndpoint } from "./native-endpoint.ts";

const TAKEN = new Set([
  "stop",
  "seed",
  "top_k",
  "min_p",
  "repetition_penalty",
  "presence_penalty",
  "frequency_penalty",
]);

/** Ollama's `/api/chat`. EOS cannot be ignored there, and of the template's variables only thinking can be set. */
export function ollamaEndpoint({ config, model, streamed }: BodyContext): NativeEndpoint {
  const { sampling, target } = config;
  const { enable_thinking: thinking, ...kwargs } = templateKwargs(config);
  const fields = perCap(config, (own) => ({
    num_predict: stoppingRule(own).cap,
    ...(config.stop.length === 0 ? {} : { stop: [...config.stop] }),
    temperature: sampling.temperature,
    top_p: sampling.topP,
    top_k: Math.max(0, sampling.topK),
    min_p: sampling.minP,
    repeat_penalty: sampling.repetitionPenalty,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    seed: config.seed,
  }));
  return {
    path: "/api/chat",
    format: "ollama-chat",
    body(prompt) {
      const { messages, tools } = conversationOf(prompt, "ollama-chat");
      return {
        model,
        messages: messages.map(asOllamaMessage),
        ...(tools == null ? {} : { tools }),
        ...(typeof thinking === "boolean" ? { think: thinking } : {}),
        options: fields(prompt.outputTokens),
        ...target.extraBody,
        stream: streamed,
      };
    },
    unsent: [
      ...unsentSettings(config, TAKEN),
      ...Object.entries(kwargs).map(([name, value]: [string, JsonValue]) => ({
        setting: "chatTemplateKwargs",
        field: `chat_template_kwargs.${name}`,
        value,
      })),
    ],
  };
}

type Message = (TargetPrompt & { kind: "conversation" })["conversation"]["messages"][number];

/** Contents are texts there, and the arguments of calls are objects. */
function asOllamaMessage(message: Message): Readonly<Record<string, unknown>> {
  const { content, tool_calls: calls } = message;
  return {
    ...message,
    ...(Array.isArray(content) ? { content: textOfParts(content) } : {}),
    ...(Array.isArray(calls) ? { tool_calls: calls.map(withObjectArguments) } : {}),
  };
}

/** @throws {TypeError} for a part that is no text */
function textOfParts(parts: readonly unknown[]): string {
  return parts
    .map((part) => {
      if (isObject(part) && typeof part.text === "string") return part.text;
      throw new TypeError("ollama-chat is sent texts; this message has a part that is none");
    })
    .join("\n");
}

function withObjectArguments(call: unknown): unknown {
  if (!isObject(call) || !isObject(call.function)) return call;
  const written = call.function.arguments;
  const read = typeof written === "string" ? parseJson(written) : written;
  return isObject(read) ? { ...call, function: { ...call.function, arguments: read } } : call;
}
