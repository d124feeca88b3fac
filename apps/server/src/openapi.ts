import { z } from "zod";

import { chatRequestSchema } from "./requests/chat-request.ts";
import { completionRequestSchema } from "./requests/completion-request.ts";
import { responsesRequestSchema } from "./requests/responses-request.ts";
import {
  applyTemplateSchema,
  detokenizeSchema,
  tokenizeContentSchema,
  tokenizeMessagesSchema,
  tokenizePromptSchema,
} from "./requests/tokenize-request.ts";

interface Endpoint {
  readonly method: "get" | "post";
  readonly path: string;
  readonly summary: string;
  readonly body?: z.ZodType;
  readonly answer?: "json" | "stream" | "text";
}

const endpoints: readonly Endpoint[] = [
  {
    method: "post",
    path: "/v1/chat/completions",
    summary: "Answer a conversation",
    body: chatRequestSchema,
    answer: "stream",
  },
  {
    method: "post",
    path: "/v1/completions",
    summary: "Continue one or more prompts",
    body: completionRequestSchema,
    answer: "stream",
  },
  {
    method: "post",
    path: "/v1/responses",
    summary: "Answer with text, in the shape of the Responses API",
    body: responsesRequestSchema,
    answer: "stream",
  },
  { method: "post", path: "/v1/embeddings", summary: "Always refused: this server makes no embeddings" },
  { method: "get", path: "/v1/models", summary: "The model that is served" },
  { method: "get", path: "/v1/models/{model}", summary: "The model that is served, by its name" },
  {
    method: "post",
    path: "/tokenize",
    summary: "Token ids of a text or a conversation",
    body: z.union([tokenizePromptSchema, tokenizeMessagesSchema, tokenizeContentSchema]),
  },
  { method: "post", path: "/detokenize", summary: "Text of token ids", body: detokenizeSchema },
  {
    method: "post",
    path: "/apply-template",
    summary: "The prompt that a conversation becomes",
    body: applyTemplateSchema,
  },
  { method: "get", path: "/props", summary: "Chat template, special tokens, slots and context" },
  { method: "get", path: "/health", summary: "Whether the server answers requests" },
  { method: "get", path: "/version", summary: "Version of the server" },
  { method: "get", path: "/get_server_info", summary: "Settings of the server, as SGLang tells them" },
  { method: "get", path: "/server_info", summary: "Settings of the server" },
  { method: "post", path: "/reset_prefix_cache", summary: "Forget every cached prefix (admin key)" },
  { method: "post", path: "/flush_cache", summary: "The same under SGLang's name (admin key)" },
  { method: "get", path: "/metrics", summary: "Counters for Prometheus", answer: "text" },
  { method: "get", path: "/openapi.json", summary: "This document" },
];

const errorSchema = z.object({
  error: z.object({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string(),
  }),
});

function jsonSchema(schema: z.ZodType): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return rest;
}

function contentOf(answer: Endpoint["answer"]): object {
  const object = { schema: { type: "object" } };
  if (answer === "text") return { "text/plain": { schema: { type: "string" } } };
  if (answer === "stream") {
    return { "application/json": object, "text/event-stream": { schema: { type: "string" } } };
  }
  return { "application/json": object };
}

function parametersOf(path: string): object {
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name);
  if (names.length === 0) return {};
  return {
    parameters: names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
  };
}

function operation({ method, path, summary, body, answer }: Endpoint): object {
  return {
    operationId: `${method}${path.replace(/[^a-z]+(.)?/gi, (_, next: string | undefined) => (next ?? "").toUpperCase())}`,
    summary,
    ...parametersOf(path),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { "application/json": { schema: jsonSchema(body) } } } }),
    responses: {
      200: { description: "Done.", content: contentOf(answer) },
      default: {
        description: "What was wrong, and where.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
}

/** The server as an OpenAPI document; request bodies come from the schemas that read them. */
export function openApiDocument(version: string): Readonly<Record<string, unknown>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] = { ...paths[endpoint.path], [endpoint.method]: operation(endpoint) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "onpar-server", version, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    paths,
    components: {
      schemas: { Error: jsonSchema(errorSchema) },
      securitySchemes: { apiKey: { type: "http", scheme: "bearer" } },
    },
    security: [{}, { apiKey: [] }],
  };
}
