import type { FastifyReply } from "fastify";

import { ignoredFieldsHeader } from "../requests/read-request.ts";

/** Tells a client which of its fields did nothing, so that a misspelt one is not silent. */
export function nameIgnoredFields(reply: FastifyReply, ignored: readonly string[]): void {
  const names = ignoredFieldsHeader(ignored);
  if (names !== null) void reply.header("x-onpar-ignored-fields", names);
}
