import type { FastifyInstance } from "fastify";

import { ApiError } from "./api-error.ts";

/** Deeper JSON than any real request has; it would only serve to exhaust the stack of what reads it. */
export const maxJsonDepth = 64;

function invalidJson(detail: string, cause?: unknown): ApiError {
  return new ApiError(
    400,
    { code: "invalid_json", message: `The request body is not valid JSON: ${detail}` },
    { cause },
  );
}

/** Whether a parsed JSON value nests deeper than `limit`; walks without recursion. */
export function nestsDeeperThan(value: unknown, limit: number): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      if (depth >= limit) return true;
      // Arrays of numbers are the long ones (token ids): nothing to descend into.
      for (const child of Object.values(item))
        if (typeof child === "object" && child !== null) next.push(child);
    }
    level = next;
  }
  return false;
}

/** Half of a character, which JSON can write and UTF-8 cannot. */
const HALF = /\p{Surrogate}/u;

function hasHalfCharacters(text: string): boolean {
  // Escaped ones only: bytes have been decoded already.
  if (!/\\u[dD][89a-fA-F]/.test(text)) return false;
  let found = false;
  JSON.parse(text, (name: string, value: unknown) => {
    found ||= HALF.test(name) || (typeof value === "string" && HALF.test(value));
  });
  return found;
}

/** Reads a body as UTF-8 JSON; refuses wrong bytes instead of replacing them, which would change the prompt. */
export function parseJsonBody(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw invalidJson("it is not UTF-8 text.", cause);
  }
  if (text.trim() === "") throw invalidJson("it is empty.");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalidJson(cause instanceof Error ? cause.message : "it could not be parsed.", cause);
  }
  if (nestsDeeperThan(value, maxJsonDepth)) throw invalidJson(`it nests deeper than ${maxJsonDepth} levels.`);
  if (hasHalfCharacters(text)) throw invalidJson("a \\u escape stands for half a character.");
  return value;
}

/** Replaces Fastify's JSON parser by the strict one. */
export function useStrictJson(app: FastifyInstance): void {
  app.removeContentTypeParser(["application/json", "text/plain"]);
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    try {
      done(null, parseJsonBody(typeof body === "string" ? Buffer.from(body) : body));
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
    }
  });
}
