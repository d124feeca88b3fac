import { setTimeout as sleep } from "node:timers/promises";

import { listen, type LoopbackServer } from "./misbehaving-server.ts";

export interface PacingOptions {
  /** Least time from one event of a stream to the next, ms. */
  readonly eventMs: number;
  /** What each request waits for before it goes on to the server, ms, by its number from 0. */
  readonly waitMs?: (request: number) => number;
}

/**
 * Passes everything on to a real server, and hands the events of a stream on no faster than at a pace. At a pace that the server
 * keeps with ease, how fast a stream is comes from the proxy and not from what else the machine does.
 */
export function paced(
  upstream: string,
  { eventMs, waitMs = () => 0 }: PacingOptions,
): Promise<LoopbackServer> {
  let requests = 0;
  return listen(async (request, body, response) => {
    const isGeneration = request.method === "POST";
    if (isGeneration) await sleep(waitMs(requests++));
    const answer = await fetch(
      new URL(request.url ?? "/", upstream),
      isGeneration
        ? { method: "POST", headers: { "content-type": "application/json" }, body }
        : { method: request.method ?? "GET" },
    );
    const type = answer.headers.get("content-type") ?? "text/plain";
    response.writeHead(answer.status, { "content-type": type });
    let dueMs = performance.now();
    for await (const event of eventsOf(answer)) {
      dueMs = Math.max(dueMs, performance.now());
      await sleep(dueMs - performance.now());
      response.write(event);
      dueMs += eventMs;
    }
    response.end();
  });
}

async function* eventsOf(answer: Response): AsyncGenerator<string> {
  let rest = "";
  const decoder = new TextDecoder();
  if (answer.body === null) return;
  for await (const bytes of answer.body) {
    const parts = (rest + decoder.decode(bytes, { stream: true })).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) yield `${part}\n\n`;
  }
  if (rest !== "") yield rest;
}
