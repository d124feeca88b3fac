import { z } from "zod";

import { generationFields } from "./generation-fields.ts";

const textPart = z.object({
  type: z.literal("text", { error: "only text parts are supported" }),
  text: z.string(),
});

const toolCall = z.object({
  id: z.string().nullish(),
  type: z.literal("function").nullish(),
  function: z.object({
    name: z.string().min(1),
    arguments: z
      .union([z.string(), z.record(z.string(), z.json())], {
        error: "expected JSON as a string, or an object",
      })
      .nullish(),
  }),
});

const message = z
  .object({
    role: z.enum(["system", "developer", "user", "assistant", "tool", "function"]),
    content: z
      .union([z.string(), z.array(textPart)], { error: "expected a string or an array of text parts" })
      .nullish(),
    name: z.string().nullish(),
    tool_calls: z.array(toolCall).nullish(),
    tool_call_id: z.string().nullish(),
    reasoning: z.string().nullish(),
    reasoning_content: z.string().nullish(),
  })
  .refine(({ role, content }) => role === "assistant" || (content !== null && content !== undefined), {
    path: ["content"],
    error: "is required for every role but assistant",
  });

/** Most alternatives that a token may be asked for, as with OpenAI. */
export const maxTopLogprobs = 20;

const namedTool = z.object({
  type: z.literal("function"),
  function: z.object({ name: z.string().min(1) }),
});

/** Fields that decide how a conversation becomes a prompt. */
export const conversationFields = {
  messages: z.array(message).min(1),
  chat_template: z.string().min(1).nullish(),
  continue_final_message: z.boolean().nullish(),
  tools: z.array(z.record(z.string(), z.json())).nullish(),
  add_generation_prompt: z.boolean().nullish(),
  chat_template_kwargs: z.record(z.string(), z.json()).nullish(),
} as const;

/** Body of `POST /v1/chat/completions`. */
export const chatRequestSchema = z.object({
  ...generationFields,
  ...conversationFields,
  max_completion_tokens: z.int().min(1).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(maxTopLogprobs).nullish(),
  tool_choice: z
    .union([z.enum(["auto", "none"]), namedTool], {
      error: 'expected "auto", "none" or {"type": "function", "function": {"name": ...}}',
    })
    .nullish(),
});

export type ChatRequest = z.output<typeof chatRequestSchema>;

const conversationSchema = z.object(conversationFields);

export type ConversationFields = z.output<typeof conversationSchema>;
export type ChatMessage = ConversationFields["messages"][number];
