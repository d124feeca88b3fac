import type { FastifyInstance, FastifyReply } from "fastify";

import { chatRefusals, completionRefusals } from "../requests/refusals.ts";
import { chatRequestSchema } from "../requests/chat-request.ts";
import { completionRequestSchema, singlePrompt } from "../requests/completion-request.ts";
import type { GenerationFields } from "../requests/generation-fields.ts";
import { generationRequest } from "../requests/generation-request.ts";
import { readRequest } from "../requests/read-request.ts";
import { checkModel, type ServerContext } from "../server-context.ts";
import { ChatChoices } from "../wire/chat-choices.ts";
import { CompletionChoices } from "../wire/completion-choices.ts";
import { answerGeneration, type AnswerOptions } from "./answer-generation.ts";
import { nameIgnoredFields } from "./ignored-fields.ts";

/** OpenAI's cap for completions that name none. */
const completionMaxTokens = 16;

function streamOptions(fields: GenerationFields): AnswerOptions["stream"] {
  if (fields.stream !== true) return null;
  return {
    includeUsage: fields.stream_options?.include_usage ?? false,
    continuousUsage: fields.stream_options?.continuous_usage_stats ?? false,
  };
}

async function chatCompletions(context: ServerContext, body: unknown, reply: FastifyReply): Promise<unknown> {
  const { value, ignored } = readRequest(chatRequestSchema, body, chatRefusals);
  nameIgnoredFields(reply, ignored);
  checkModel(context, value.model);
  const text = context.chatPrompts.render(value);
  // The template has placed every special token; a second BOS would change the prompt.
  const prompt = context.engine.tokenize(text, { addSpecial: false });
  const request = generationRequest(prompt, value, context.engine.info, {
    maxTokens: null,
    randomSeed: context.randomSeed,
  });
  return await answerGeneration(context, reply, {
    request,
    choices: new ChatChoices(),
    stream: streamOptions(value),
  });
}

async function completions(context: ServerContext, body: unknown, reply: FastifyReply): Promise<unknown> {
  const { value, ignored } = readRequest(completionRequestSchema, body, completionRefusals);
  nameIgnoredFields(reply, ignored);
  checkModel(context, value.model);
  const single = singlePrompt(value.prompt);
  const prompt =
    typeof single === "string"
      ? context.engine.tokenize(single, { addSpecial: value.add_special_tokens ?? true })
      : single;
  const request = generationRequest(prompt, value, context.engine.info, {
    maxTokens: completionMaxTokens,
    randomSeed: context.randomSeed,
  });
  return await answerGeneration(context, reply, {
    request,
    choices: new CompletionChoices(),
    stream: streamOptions(value),
  });
}

export function generationRoutes(app: FastifyInstance, context: ServerContext): void {
  app.post("/v1/chat/completions", (request, reply) => chatCompletions(context, request.body, reply));
  app.post("/v1/completions", (request, reply) => completions(context, request.body, reply));
}
