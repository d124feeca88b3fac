import type { FastifyInstance, FastifyReply } from "fastify";

import { ApiError, invalidField } from "../http/api-error.ts";
import { readRequest } from "../requests/read-request.ts";
import { tokenizeRefusals } from "../requests/refusals.ts";
import {
  applyTemplateSchema,
  detokenizeSchema,
  tokenizeContentSchema,
  tokenizeMessagesSchema,
  tokenizePromptSchema,
} from "../requests/tokenize-request.ts";
import { checkModel, type ServerContext } from "../server-context.ts";
import { nameIgnoredFields } from "./ignored-fields.ts";

interface TokenizeInput {
  readonly text: string;
  readonly addSpecial: boolean;
  readonly parseSpecial: boolean;
  readonly texts: "none" | "strings" | "pieces";
  readonly model: string | null | undefined;
  readonly ignored: readonly string[];
}

/** The three forms of a tokenize request, each with the defaults of the server it comes from. */
const forms: Readonly<Record<string, (body: unknown, context: ServerContext) => TokenizeInput>> = {
  messages: (body, context) => {
    const { value, ignored } = readRequest(tokenizeMessagesSchema, body, tokenizeRefusals);
    return {
      text: context.chatPrompts.render(value),
      addSpecial: value.add_special_tokens ?? false,
      parseSpecial: true,
      texts: value.return_token_strs === true ? "strings" : "none",
      model: value.model,
      ignored,
    };
  },
  prompt: (body) => {
    const { value, ignored } = readRequest(tokenizePromptSchema, body, tokenizeRefusals);
    const addSpecial = value.add_special_tokens ?? true;
    const texts = value.return_token_strs === true ? "strings" : "none";
    return { text: value.prompt, addSpecial, parseSpecial: true, texts, model: value.model, ignored };
  },
  content: (body) => {
    const { value, ignored } = readRequest(tokenizeContentSchema, body, tokenizeRefusals);
    return {
      text: value.content,
      addSpecial: value.add_special ?? false,
      parseSpecial: value.parse_special ?? true,
      texts: value.with_pieces === true ? "pieces" : "none",
      model: value.model,
      ignored,
    };
  },
};

function readTokenize(body: unknown, context: ServerContext): TokenizeInput {
  const given = Object.keys(forms).filter(
    (name) => typeof body === "object" && body !== null && Object.hasOwn(body, name),
  );
  const form = forms[given[0] ?? ""];
  if (form === undefined || given.length > 1) {
    throw new ApiError(400, {
      code: "invalid_value",
      message: "The request body must be a JSON object with exactly one of prompt, messages and content.",
    });
  }
  return form(body, context);
}

function tokenize(context: ServerContext, body: unknown, reply: FastifyReply) {
  const { text, addSpecial, parseSpecial, texts, model, ignored } = readTokenize(body, context);
  nameIgnoredFields(context, reply, ignored);
  checkModel(context, model);
  const tokens = context.engine.tokenize(text, { addSpecial, parseSpecial });
  const count = { count: tokens.length, max_model_len: context.engine.info.contextSize };
  const pieces =
    texts === "none" ? [] : tokens.map((id) => context.engine.detokenize([id], { renderSpecial: true }));
  if (texts === "pieces") return { ...count, tokens: tokens.map((id, at) => ({ id, piece: pieces[at] })) };
  return { ...count, tokens, ...(texts === "strings" ? { token_strs: pieces } : {}) };
}

function applyTemplate(context: ServerContext, body: unknown, reply: FastifyReply) {
  const { value, ignored } = readRequest(applyTemplateSchema, body, tokenizeRefusals);
  nameIgnoredFields(context, reply, ignored);
  checkModel(context, value.model);
  return { prompt: context.chatPrompts.render(value) };
}

function detokenize(context: ServerContext, body: unknown, reply: FastifyReply) {
  const { value, ignored } = readRequest(detokenizeSchema, body);
  nameIgnoredFields(context, reply, ignored);
  checkModel(context, value.model);
  const size = context.engine.info.vocabularySize;
  const wrong = size === null ? -1 : value.tokens.findIndex((id) => id >= size);
  if (wrong >= 0) {
    throw invalidField(`tokens[${wrong}]`, `is outside the vocabulary (0 to ${(size ?? 0) - 1})`);
  }
  const text = context.engine.detokenize(value.tokens, { renderSpecial: true });
  // vLLM's name and llama.cpp's.
  return { prompt: text, content: text };
}

export function tokenizerRoutes(app: FastifyInstance, context: ServerContext): void {
  app.post("/tokenize", (request, reply) => tokenize(context, request.body, reply));
  app.post("/apply-template", (request, reply) => applyTemplate(context, request.body, reply));
  app.post("/detokenize", (request, reply) => detokenize(context, request.body, reply));
}
