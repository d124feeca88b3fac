import { templateKwargs, type JsonValue } from "@onpar/bench-config";
import type { TargetPrompt } from "../prompt.ts";
import { isObject } from "../stream/server-message.ts";
import { openAiFields } from "./openai-fields.ts";
import { perCap } from "./output-cap.ts";
import { conversationOf, unsentSettings, type BodyContext, type NativeEndpoint } from "./native-endpoint.ts";

/** Fields of the interface itself; a server that refuses unknown keys takes no other. */
const STANDARD = new Set(["temperature", "top_p"]);
/** Engines whose servers take their sampling fields on this interface too, or ignore what they do not know. */
const LENIENT = new Set(["vllm", "sglang", "llama.cpp", "onpar-server", "lmdeploy"]);

/** OpenAI's Responses API, `/v1/responses`. It has no seed, no stop texts and no ignored EOS of its own. */
export function responsesEndpoint({ config, model, engine, streamed }: BodyContext): NativeEndpoint {
  const isLenient = engine !== null && LENIENT.has(engine);
  const dialect = openAiFields(config, engine);
  const fieldsOf = perCap(config, (own) => {
    const { max_tokens: cap, ...rest } = openAiFields(own, engine).fields;
    const kept = Object.entries(rest).filter(([name]) => isLenient || STANDARD.has(name));
    return { max_output_tokens: cap, ...Object.fromEntries(kept) };
  });
  const kwargs = templateKwargs(config);
  const hasKwargs = Object.keys(kwargs).length > 0;
  return {
    path: "/v1/responses",
    format: "responses",
    body(prompt) {
      const conversation = conversationOf(prompt, "responses");
      return {
        model,
        input: conversation.messages.flatMap(asInputItems),
        ...(conversation.tools == null ? {} : { tools: conversation.tools.map(asFlatTool) }),
        ...fieldsOf(prompt.outputTokens),
        ...(hasKwargs && isLenient ? { chat_template_kwargs: kwargs } : {}),
        ...config.target.extraBody,
        store: false,
        stream: streamed,
      };
    },
    unsent: isLenient
      ? dialect.unsent
      : [
          ...unsentSettings(config, STANDARD),
          ...Object.entries(kwargs).map(([name, value]: [string, JsonValue]) => ({
            setting: "chatTemplateKwargs",
            field: `chat_template_kwargs.${name}`,
            value,
          })),
        ],
  };
}

type Message = (TargetPrompt & { kind: "conversation" })["conversation"]["messages"][number];

/** A message; the calls of an assistant and the answers of tools are items of their own there. */
function asInputItems(message: Message): unknown[] {
  const { role, content, tool_calls: calls, tool_call_id: callId } = message;
  if (role === "tool") return [{ type: "function_call_output", call_id: callId, output: content }];
  const items: unknown[] = content == null || content === "" ? [] : [{ role, content }];
  if (!Array.isArray(calls)) return items.length === 0 ? [{ role, content: "" }] : items;
  for (const call of calls as unknown[]) {
    if (!isObject(call) || !isObject(call.function)) continue;
    const { name, arguments: written } = call.function;
    const text = typeof written === "string" ? written : JSON.stringify(written ?? {});
    items.push({ type: "function_call", call_id: call.id, name, arguments: text });
  }
  return items;
}

/** Tools lie flat there: what chat completions puts under `function` stands beside `type`. */
function asFlatTool(tool: unknown): unknown {
  return isObject(tool) && isObject(tool.function) ? { type: "function", ...tool.function } : tool;
}
