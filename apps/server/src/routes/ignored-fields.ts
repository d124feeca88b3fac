import type { FastifyReply } from "fastify";

import { ApiError } from "../http/api-error.ts";
import { ignoredFieldsHeader } from "../requests/read-request.ts";
import type { ServerContext } from "../server-context.ts";

/**
 * Tells a client, and the operator, which fields of a request did nothing, so that a misspelt one is not silent.
 *
 * @throws {ApiError} 400 in strict mode
 */
export function nameIgnoredFields(
  { strict, note }: Pick<ServerContext, "strict" | "note">,
  reply: FastifyReply,
  ignored: readonly string[],
): void {
  const names = ignoredFieldsHeader(ignored);
  if (names === null) return;
  if (strict) {
    throw new ApiError(400, {
      code: "unknown_parameter",
      param: ignored[0]?.slice(0, 64) ?? null,
      message: `This server does not know these fields, and is strict: ${names}.`,
    });
  }
  note(`ignored fields of a request: ${names}`);
  void reply.header("x-onpar-ignored-fields", names);
}
