import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface LoopbackServer {
  readonly url: string;
  close(): Promise<void>;
}

/** A server on a free loopback port that answers with the given function. */
export async function listen(
  answer: (request: IncomingMessage, body: string, response: ServerResponse) => void | Promise<void>,
): Promise<LoopbackServer> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => void answer(request, body, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/**
 * Passes everything on to a real server, but takes `ignore_eos` out of each request on the way: to the client it is a
 * server that accepts the field and does not obey it.
 */
export function dropIgnoreEos(upstream: string): Promise<LoopbackServer> {
  return listen(async (request, body, response) => {
    const forwarded =
      request.method === "POST"
        ? { method: "POST", headers: { "content-type": "application/json" }, body: withoutIgnoreEos(body) }
        : { method: request.method ?? "GET" };
    const answer = await fetch(new URL(request.url ?? "/", upstream), forwarded);
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    if (answer.body !== null) for await (const bytes of answer.body) response.write(bytes);
    response.end();
  });
}

function withoutIgnoreEos(body: string): string {
  const { ignore_eos: _dropped, ...rest } = JSON.parse(body) as Record<string, unknown>;
  return JSON.stringify(rest);
}
