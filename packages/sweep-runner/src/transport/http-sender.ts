import type { Timeline } from "../clock.ts";
import { answerFormats } from "../stream/formats.ts";
import { createParseQueue } from "../stream/parse-queue.ts";
import type { ExchangeObserver, Outcome, WireSpec } from "../targets/target.ts";
import { AbortGroup } from "./abort-group.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { exchange, type ExchangeContext } from "./http-exchange.ts";
import { requestHead } from "./request-head.ts";

/** Sends bodies to one place and reads the answers. */
export interface HttpSender {
  /** Never rejects for what a server does. */
  send(body: Uint8Array, observer: ExchangeObserver, signal: AbortSignal): Promise<Outcome>;
  /** Opens connections ahead of the first request. */
  open(connections: number): Promise<void>;
  /** Most bytes that one read found waiting on a socket since the last call. */
  takeLargestRead(): number;
  close(): Promise<void>;
}

export function createHttpSender(wire: WireSpec, timeline: Timeline): HttpSender {
  const url = new URL(wire.url);
  const { ca, insecureTls, timeoutMs, retries, streamed } = wire;
  const pool = new ConnectionPool({ origin: url, ca, insecureTls }, timeline);
  const context: ExchangeContext = {
    pool,
    queue: createParseQueue(),
    aborts: new AbortGroup(),
    timeline,
    timeoutMs,
    retries,
    format: answerFormats[wire.format],
    streamed,
    head: requestHead(url, {
      "content-type": "application/json",
      accept: streamed ? "text/event-stream" : "application/json",
      // A compressing proxy would hold chunks back.
      "accept-encoding": "identity",
      connection: "keep-alive",
      ...wire.headers,
    }),
  };
  return {
    send: (body, observer, signal) => exchange(context, body, observer, signal),
    open: (connections) => pool.open(connections),
    takeLargestRead: () => pool.takeLargestRead(),
    async close() {
      pool.destroy();
    },
  };
}
