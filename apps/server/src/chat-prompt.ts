import { compileChatTemplate, RenderError, type CompiledChatTemplate } from "@onpar/chat-render";
import type { EngineInfo } from "@onpar/engine-binding";

import { ApiError, invalidField } from "./http/api-error.ts";
import type { ServerLimits } from "./server-limits.ts";
import type { ChatMessage, ConversationFields } from "./requests/chat-request.ts";

/** Template variables that have fields of their own; a second value for them would be silently lost. */
const reservedVariables = [
  "messages",
  "tools",
  "documents",
  "add_generation_prompt",
  "chat_template",
  "tokenize",
] as const;

/** Renders conversations with the template that the model carries. */
export interface ChatPrompts {
  /** @throws {ApiError} 400 when there is no usable template, or the template refuses the conversation */
  render(conversation: ConversationFields): string;
}

function templateError(error: RenderError): ApiError {
  const { code, messageIndex, field } = error;
  if (code === "MESSAGES_INVALID") {
    const param = messageIndex === undefined ? "messages" : `messages[${messageIndex}].${field ?? ""}`;
    return new ApiError(400, { code: "invalid_value", param, message: error.message }, { cause: error });
  }
  const what =
    code === "TEMPLATE_RAISED" ? "The chat template refused the conversation" : "The chat template failed";
  return new ApiError(
    400,
    { code: "template_failed", param: "messages", message: `${what}: ${error.message}` },
    { cause: error },
  );
}

/** Arguments as an object where the client sent JSON text, as vLLM gives them to templates. */
function toolCallArguments(args: string | Record<string, unknown>, path: string): unknown {
  if (typeof args !== "string") return args;
  if (args === "") return {};
  try {
    return JSON.parse(args);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : "not JSON";
    throw invalidField(path, `is not valid JSON: ${detail}`);
  }
}

function toolCalls(calls: NonNullable<ChatMessage["tool_calls"]>, path: string): object[] {
  return calls.map((call, index) => ({
    ...(call.id == null ? {} : { id: call.id }),
    type: "function",
    function: {
      name: call.function.name,
      arguments: toolCallArguments(
        call.function.arguments ?? {},
        `${path}.tool_calls[${index}].function.arguments`,
      ),
    },
  }));
}

/** A message as templates expect it: absent fields are absent, reasoning stands under both of its names. */
function templateMessage(message: ChatMessage, index: number, keepParts: boolean): Record<string, unknown> {
  const { content } = message;
  const reasoning = message.reasoning_content ?? message.reasoning;
  const text =
    typeof content === "string" || content == null || keepParts
      ? (content ?? "")
      : content.map((part) => part.text).join("\n");
  return {
    role: message.role,
    content: text,
    ...(message.name == null ? {} : { name: message.name }),
    ...(message.tool_calls == null || message.tool_calls.length === 0
      ? {}
      : { tool_calls: toolCalls(message.tool_calls, `messages[${index}]`) }),
    ...(message.tool_call_id == null ? {} : { tool_call_id: message.tool_call_id }),
    ...(reasoning == null ? {} : { reasoning, reasoning_content: reasoning }),
  };
}

/**
 * Whether the template reads content given as parts. A template that does not would print the list itself, so
 * the parts are joined for it.
 */
function readsParts(template: CompiledChatTemplate, specialTokens: EngineInfo["specialTokens"]): boolean {
  const probe = "content-probe";
  try {
    const { text } = template.render(
      { messages: [{ role: "user", content: [{ type: "text", text: probe }] }] },
      { specialTokens },
    );
    return text.includes(probe) && !/['"]type['"]/.test(text);
  } catch {
    return false;
  }
}

/** A template, and how content given as parts reaches it. */
interface UsableTemplate {
  readonly template: CompiledChatTemplate;
  readonly keepParts: boolean;
}

type TemplateInfo = Pick<EngineInfo, "chatTemplate" | "specialTokens">;

/** Returns why it cannot be used where it cannot. */
function modelTemplate({ chatTemplate, specialTokens }: TemplateInfo): UsableTemplate | string {
  if (chatTemplate === null) {
    return "This model carries no chat template: use /v1/completions with a prompt of your own.";
  }
  try {
    const template = compileChatTemplate(chatTemplate);
    return { template, keepParts: readsParts(template, specialTokens) };
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    return `This model's chat template cannot be used: ${error.message}`;
  }
}

/** What conversations may bring. */
export interface ChatPromptOptions {
  /** Templates may come with requests. */
  readonly requestTemplates: boolean;
  readonly limits: Pick<ServerLimits, "maxMessages" | "maxTemplateChars">;
}

function requestTemplate(
  source: string,
  { specialTokens }: TemplateInfo,
  { requestTemplates, limits }: ChatPromptOptions,
): UsableTemplate {
  if (!requestTemplates) {
    throw invalidField(
      "chat_template",
      "templates from requests are off; the model's own is used",
      "unsupported_parameter",
    );
  }
  if (source.length > limits.maxTemplateChars) {
    throw invalidField(
      "chat_template",
      `has ${source.length} characters, more than the ${limits.maxTemplateChars} of one template`,
    );
  }
  try {
    const template = compileChatTemplate(source);
    return { template, keepParts: readsParts(template, specialTokens) };
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
    throw invalidField("chat_template", error.message, "template_failed");
  }
}

/** Compiles the model's template once; a model without a usable one still serves completions. */
export function chatPrompts(info: TemplateInfo, options: ChatPromptOptions): ChatPrompts {
  const own = modelTemplate(info);
  const { specialTokens } = info;
  const choose = (source: string | null | undefined): UsableTemplate => {
    if (source != null) return requestTemplate(source, info, options);
    if (typeof own === "string") throw new ApiError(400, { code: "template_missing", message: own });
    return own;
  };

  return {
    render(conversation) {
      const { maxMessages } = options.limits;
      if (conversation.messages.length > maxMessages) {
        throw invalidField(
          "messages",
          `has ${conversation.messages.length} messages, more than the ${maxMessages} of one conversation`,
        );
      }
      const { template, keepParts } = choose(conversation.chat_template);
      const continued = conversation.continue_final_message ?? false;
      if (continued && conversation.add_generation_prompt === true) {
        throw invalidField("continue_final_message", "excludes add_generation_prompt: true");
      }
      const kwargs = conversation.chat_template_kwargs ?? {};
      const reserved = reservedVariables.find((name) => Object.hasOwn(kwargs, name));
      if (reserved !== undefined) {
        throw invalidField(`chat_template_kwargs.${reserved}`, "is not a variable that can be set here");
      }
      const messages = conversation.messages.map((message, index) =>
        templateMessage(message, index, keepParts),
      );
      try {
        return template.render(
          { messages, ...(conversation.tools == null ? {} : { tools: conversation.tools }) },
          {
            addGenerationPrompt: conversation.add_generation_prompt ?? !continued,
            ...(continued ? { continueFinalMessage: true } : {}),
            specialTokens,
            kwargs,
          },
        ).text;
      } catch (error) {
        throw error instanceof RenderError ? templateError(error) : error;
      }
    },
  };
}
