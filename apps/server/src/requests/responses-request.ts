import { z } from "zod";

import { chatRequestSchema, type ChatRequest } from "./chat-request.ts";
import { responseFormatSchema } from "./response-format.ts";
import type { Refusal } from "./refusals.ts";

const part = z.object({
  type: z.enum(["input_text", "output_text", "text"], { error: "only text parts are supported" }),
  text: z.string(),
});

const item = z.object({
  type: z.literal("message", { error: "only messages are supported" }).nullish(),
  role: z.enum(["system", "developer", "user", "assistant"]),
  content: z.union([z.string(), z.array(part)], { error: "expected a string or an array of text parts" }),
});

const formatSchema = z.union([
  z.object({ type: z.enum(["text", "json_object"]) }),
  z.object({
    type: z.literal("json_schema"),
    name: z.string().nullish(),
    strict: z.boolean().nullish(),
    schema: z.record(z.string(), z.json()),
  }),
]);

const { model, temperature, top_p, seed, ignore_eos, chat_template_kwargs } = chatRequestSchema.shape;

/** Body of `POST /v1/responses`: text in, text out. */
export const responsesRequestSchema = z.object({
  model,
  input: z.union([z.string(), z.array(item).min(1)], {
    error: "expected a string or an array of messages",
  }),
  instructions: z.string().nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  temperature,
  top_p,
  seed,
  ignore_eos,
  chat_template_kwargs,
  stream: z.boolean().nullish(),
  text: z.object({ format: formatSchema.nullish() }).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});

export type ResponsesRequest = z.output<typeof responsesRequestSchema>;

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

/** `store` is taken as it comes: nothing is ever stored, and the answer says so. */
export const responsesRefusals: readonly Refusal[] = [
  { field: "store", idle: () => true, message: "" },
  { field: "tools", idle: isEmptyList, message: "tools are supported by /v1/chat/completions" },
  {
    field: "previous_response_id",
    idle: () => false,
    message: "responses are not stored; send the messages",
  },
  { field: "conversation", idle: () => false, message: "conversations are not stored; send the messages" },
  { field: "background", idle: (value) => value === false, message: "responses are not stored" },
  { field: "prompt", idle: () => false, message: "prompts are not stored; send the messages" },
];

function formatOf(request: ResponsesRequest): ChatRequest["response_format"] {
  const format = request.text?.format;
  if (format == null) return null;
  if (format.type !== "json_schema") return responseFormatSchema.parse(format);
  return { type: "json_schema", json_schema: { schema: format.schema } };
}

/** The same request as the chat endpoint would read it. */
export function chatFields(request: ResponsesRequest): ChatRequest {
  const given =
    typeof request.input === "string"
      ? [{ role: "user" as const, content: request.input }]
      : request.input.map(({ role, content }) => ({
          role,
          content: typeof content === "string" ? content : content.map(({ text }) => text).join("\n"),
        }));
  const system =
    request.instructions == null ? [] : [{ role: "system" as const, content: request.instructions }];
  return {
    messages: [...system, ...given],
    max_completion_tokens: request.max_output_tokens,
    temperature: request.temperature,
    top_p: request.top_p,
    seed: request.seed,
    ignore_eos: request.ignore_eos,
    chat_template_kwargs: request.chat_template_kwargs,
    response_format: formatOf(request),
  };
}
