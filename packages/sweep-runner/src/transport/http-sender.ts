import type { Timeline } from "../clock.ts";
import { answerFormats } from "../stream/formats.ts";
import { createParseQueue } from "../stream/parse-queue.ts";
import type { ExchangeObserver, Outcome, WireSpec } from "../targets/target.ts";
import { AbortGroup } from "./abort-group.ts";
import { ConnectionPool } from "./connection-pool.ts";
import { exchange, type ExchangeContext } from "./http-exchange.ts";

/** Sends bodies to one place and reads the answers. */
export interface HttpSender {
  /** Never rejects for what a server does. */
  send(body: Uint8Array, observer: ExchangeObserver, signal: AbortSignal): Promise<Outcome>;
  /** Opens connections ahead of the first request. */
  open(connections: number): Promise<void>;
  close(): Promise<void>;
}

export function createHttpSender(wire: WireSpec, timeline: Timeline): HttpSender {
  const url = new URL(wire.url);
  const { ca, insecureTls, timeoutMs, streamed } = wire;
  const pool = new ConnectionPool({ origin: url, ca, insecureTls }, timeline);
  const context: ExchangeContext = {
    pool,
    queue: createParseQueue(),
    aborts: new AbortGroup(),
    timeline,
    timeoutMs,
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
    async close() {
      pool.destroy();
    },
  };
}

/** Request line and headers of every request, up to the value of `content-length`. */
function requestHead(url: URL, headers: Readonly<Record<string, string>>): string {
  const lines = [`POST ${url.pathname}${url.search} HTTP/1.1`, `host: ${url.host}`];
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new TypeError(
        `the header ${JSON.stringify(name)} cannot be sent: its name or value holds a control character`,
      );
    lines.push(`${name.toLowerCase()}: ${value}`);
  }
  return `${lines.join("\r\n")}\r\ncontent-length: `;
}
