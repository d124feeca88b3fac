import { createHash, timingSafeEqual } from "node:crypto";

import type { FastifyRequest } from "fastify";

import { ApiError } from "./api-error.ts";

/** Paths that a probe or a scraper reads without a key. */
const openPaths: ReadonlySet<string> = new Set(["/health", "/version", "/metrics"]);

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/**
 * Compares a presented key with every accepted one in constant time: digests have one length, and no comparison is
 * skipped after a match.
 */
export function keyChecker(apiKeys: readonly string[]): (presented: string) => boolean {
  const accepted = apiKeys.map(digest);
  return (presented) => {
    const candidate = digest(presented);
    let matches = 0;
    for (const key of accepted) matches += Number(timingSafeEqual(key, candidate));
    return matches > 0;
  };
}

export interface AuthenticatorOptions {
  readonly apiKeys: readonly string[];
  /** Keys for the paths below; without any, those refuse everybody. */
  readonly adminKeys: readonly string[];
  readonly adminPaths: ReadonlySet<string>;
}

/** A check to run on every request before its body is read. */
export function authenticator({
  apiKeys,
  adminKeys,
  adminPaths,
}: AuthenticatorOptions): (request: FastifyRequest) => void {
  const acceptsClient = keyChecker(apiKeys);
  const acceptsAdmin = keyChecker(adminKeys);
  return (request) => {
    // The route that was found, not what was written: `/%68ealth` and `http://x/health#y` lead to a route as well.
    const path = request.routeOptions.url ?? request.url.split("?", 1)[0] ?? "";
    const admin = adminPaths.has(path);
    if (openPaths.has(path) || (!admin && apiKeys.length === 0)) return;
    if (admin && adminKeys.length === 0) {
      throw new ApiError(403, {
        code: "admin_disabled",
        message: "Admin endpoints are off: start the server with --admin-key.",
      });
    }
    // An admin's key opens everything.
    const accepts = (key: string) => acceptsAdmin(key) || (!admin && acceptsClient(key));
    const presented = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
    if (presented !== undefined && accepts(presented)) return;
    throw new ApiError(401, {
      code: "invalid_api_key",
      message:
        presented === undefined
          ? "This server needs an API key: send the header `Authorization: Bearer <key>`."
          : "The API key is not one that this server accepts.",
      headers: { "www-authenticate": "Bearer" },
    });
  };
}
