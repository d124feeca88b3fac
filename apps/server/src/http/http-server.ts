import { createServer, type Server } from "node:http";

import type { ServerLimits } from "../server-limits.ts";

const KEEP_ALIVE_MS = 72_000;
const CHECKING_INTERVAL_MS = 2000;

/** A server that holds clients to the limits, and has no answers yet. */
export function createHttpServer(limits: ServerLimits): Server {
  const server = createServer({
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    // Node looks for late requests every half minute, and each would have that much more time.
    connectionsCheckingInterval: Math.min(CHECKING_INTERVAL_MS, limits.headersTimeoutMs),
  });
  // Clients keep connections for their next request longer than the few seconds that Node gives them.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.maxConnections = limits.maxConnections;
  return server;
}
