import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { afterEach } from "vitest";

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});

/** Starts a server on a free loopback port that ends with the test, and gives its address without a path. */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

/** What is answered at a path: text or JSON with 200, or a status alone. */
export type Answers = Readonly<Record<string, string | object | number>>;

/** A server with these paths; every other one is not found. */
export function withAnswers(answers: Answers, asked: IncomingMessage[] = []): RequestListener {
  return (request, response) => {
    asked.push(request);
    const found = answers[request.url ?? ""] ?? 404;
    if (typeof found === "number") response.writeHead(found).end('{"error":"no"}');
    else if (typeof found === "string") response.writeHead(200, { "content-type": "text/plain" }).end(found);
    else response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(found));
  };
}
