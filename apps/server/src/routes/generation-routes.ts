import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

import { invalidField } from "../http/api-error.ts";
import { chatRequestSchema, type ChatRequest } from "../requests/chat-request.ts";
import { completionRequestSchema, promptsOf } from "../requests/completion-request.ts";
import type { GenerationFields } from "../requests/generation-fields.ts";
import { generationRequest, type GenerationDefaults } from "../requests/generation-request.ts";
import { readRequest } from "../requests/read-request.ts";
import { chatRefusals, completionRefusals } from "../requests/refusals.ts";
import { checkModel, clientOf, type ServerContext } from "../server-context.ts";
import { ChatChoices, type CallReading } from "../wire/chat-choices.ts";
import { chatNames, completionNames, type ChoiceOptions } from "../wire/choice-writer.ts";
import { CompletionChoices } from "../wire/completion-choices.ts";
import { answerGeneration } from "./answer-generation.ts";
import type { AnswerOptions, PlannedOutput } from "./answer-options.ts";
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

/** `n` outputs of every prompt; equal seeds would make them equal, so each has the next one. */
function planOutputs(
  context: ServerContext,
  prompts: readonly (readonly number[])[],
  fields: GenerationFields,
  defaults: GenerationDefaults,
  write: (options: ChoiceOptions) => PlannedOutput["choices"],
): readonly PlannedOutput[] {
  const n = fields.n ?? 1;
  const { maxOutputs } = context.limits;
  if (n * prompts.length > maxOutputs) {
    const asked = prompts.length === 1 ? `${n} outputs` : `${n} outputs of each of ${prompts.length} prompts`;
    throw invalidField(
      prompts.length > 1 ? "prompt" : "n",
      `${asked} are more than the ${maxOutputs} of one request`,
    );
  }
  if (n > 1 && fields.temperature === 0) throw invalidField("n", "must be 1 when the temperature is 0");
  return prompts.flatMap((prompt, place) => {
    const request = generationRequest(prompt, fields, context.engine.info, defaults);
    const seed = request.sampling?.seed ?? 0;
    return Array.from({ length: n }, (_, at) => ({
      request: { ...request, sampling: { ...request.sampling, seed: seed + at } },
      choices: write({
        index: place * n + at,
        promptTokenIds: prompt,
        returnTokenIds: fields.return_token_ids ?? false,
        returnLogprobs: defaults.logprobs != null,
        tokenText: (tokenId) => context.engine.detokenize([tokenId], { renderSpecial: true }),
      }),
    }));
  });
}

function callReading({ tools, tool_choice }: ChatRequest): CallReading {
  if (tools == null || tools.length === 0) {
    if (typeof tool_choice === "object" && tool_choice !== null) {
      throw invalidField("tool_choice", "names a function, and the request has no tools");
    }
    return "text";
  }
  if (typeof tool_choice === "object" && tool_choice !== null) return { forced: tool_choice.function.name };
  return tool_choice === "none" ? "text" : "parsed";
}

/** JSON schema of the arguments of the function that must be called. */
function forcedSchema(tools: ChatRequest["tools"], name: string): Record<string, unknown> {
  for (const tool of tools ?? []) {
    const described = tool["function"];
    if (typeof described !== "object" || described === null || Array.isArray(described)) continue;
    if (described["name"] !== name) continue;
    const { parameters } = described;
    const isSchema = typeof parameters === "object" && parameters !== null && !Array.isArray(parameters);
    return isSchema && Object.keys(parameters).length > 0 ? parameters : { type: "object", properties: {} };
  }
  throw invalidField("tool_choice", "names a function that is not among the tools");
}

function chatLogprobCount({ logprobs, top_logprobs }: ChatRequest): number | null {
  if (logprobs === true) return top_logprobs ?? 0;
  if ((top_logprobs ?? 0) > 0) throw invalidField("top_logprobs", "needs logprobs: true");
  return null;
}

async function chatCompletions(
  context: ServerContext,
  http: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { value, ignored } = readRequest(chatRequestSchema, http.body, chatRefusals);
  nameIgnoredFields(context, reply, ignored);
  checkModel(context, value.model);
  const calls = callReading(value);
  const text = context.chatPrompts.render(value);
  // The template has placed every special token; a second BOS would change the prompt.
  const prompt = context.engine.tokenize(text, { addSpecial: false });
  const schema = typeof calls === "object" ? forcedSchema(value.tools, calls.forced) : null;
  const defaults: GenerationDefaults = {
    maxTokens: null,
    logprobs: chatLogprobCount(value),
    format: schema === null ? null : { kind: "json-schema", schema },
    randomSeed: context.randomSeed,
  };
  const { randomId } = context;
  return await answerGeneration(context, reply, {
    names: chatNames,
    outputs: planOutputs(
      context,
      [prompt],
      value,
      defaults,
      (options) => new ChatChoices({ ...options, calls, randomId }),
    ),
    prompts: [prompt],
    client: clientOf(context, http),
    timings: value.timings_per_token ?? false,
    extra: value.return_token_ids === true ? { prompt_token_ids: prompt } : {},
    stream: streamOptions(value),
  });
}

async function completions(
  context: ServerContext,
  http: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { value, ignored } = readRequest(completionRequestSchema, http.body, completionRefusals);
  nameIgnoredFields(context, reply, ignored);
  checkModel(context, value.model);
  const addSpecial = value.add_special_tokens ?? true;
  const prompts = promptsOf(value.prompt).map((prompt) =>
    typeof prompt === "string" ? context.engine.tokenize(prompt, { addSpecial }) : prompt,
  );
  const defaults: GenerationDefaults = {
    maxTokens: completionMaxTokens,
    logprobs: value.logprobs ?? null,
    randomSeed: context.randomSeed,
  };
  return await answerGeneration(context, reply, {
    names: completionNames,
    outputs: planOutputs(context, prompts, value, defaults, (options) => new CompletionChoices(options)),
    prompts,
    client: clientOf(context, http),
    timings: value.timings_per_token ?? false,
    extra: {},
    stream: streamOptions(value),
  });
}

export function generationRoutes(app: FastifyInstance, context: ServerContext): void {
  app.post("/v1/chat/completions", (request, reply) => chatCompletions(context, request, reply));
  app.post("/v1/completions", (request, reply) => completions(context, request, reply));
}
