import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Answers one request; what it has read of the body comes with it. */
export type Responder = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

export interface ScriptedServer {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Requests to the two completion endpoints. */
  readonly completions: readonly SeenRequest[];
  readonly connections: number;
  close(): Promise<void>;
}

/** A real HTTP server on a free loopback port. Paths are matched without their query; anything else is a 404. */
export async function startServer(routes: Readonly<Record<string, Responder>>): Promise<ScriptedServer> {
  const requests: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((incoming, response) => {
    const parts: Buffer[] = [];
    incoming.on("data", (part: Buffer) => parts.push(part));
    incoming.on("end", () => {
      const path = (incoming.url ?? "").split("?")[0] ?? "";
      const seen = {
        method: incoming.method ?? "",
        path,
        headers: incoming.headers,
        body: Buffer.concat(parts).toString("utf8"),
      };
      requests.push(seen);
      const responder = routes[path];
      if (responder === undefined) return sendJson(response, 404, { detail: "Not Found" });
      void responder(seen, response);
    });
  });
  server.on("connection", (socket) => {
    connections++;
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    get completions() {
      return requests.filter(({ path }) => path.endsWith("/completions"));
    },
    get connections() {
      return connections;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

export function sendText(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { "content-type": contentType });
  response.end(body);
}

/** The models route of most tests. */
export function models(...ids: readonly string[]): Responder {
  return (_, response) =>
    sendJson(response, 200, { object: "list", data: ids.map((id) => ({ id, object: "model" })) });
}

/** One event. */
export function event(data: unknown): string {
  return `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

export function delta(fields: Readonly<Record<string, unknown>>, finish: string | null = null): string {
  return event({ choices: [{ index: 0, delta: fields, finish_reason: finish }] });
}

export function usage(promptTokens: number, completionTokens: number): string {
  const counts = { prompt_tokens: promptTokens, completion_tokens: completionTokens };
  return event({ choices: [], usage: { ...counts, total_tokens: promptTokens + completionTokens } });
}

export const DONE = event("[DONE]");

export type StreamEnd = "clean" | "reset" | "eof_without_last_chunk" | "stall";

/** Writes parts one by one, each in a write of its own, and ends as told. */
export async function stream(
  response: ServerResponse,
  parts: readonly (string | Buffer)[],
  options: {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly delaysMs?: readonly number[];
    readonly end?: StreamEnd;
    /** Told the time of every write. */
    readonly onWrite?: (index: number) => void;
  } = {},
): Promise<void> {
  response.writeHead(
    options.status ?? 200,
    options.headers ?? { "content-type": "text/event-stream; charset=utf-8" },
  );
  response.flushHeaders();
  for (const [index, part] of parts.entries()) {
    const delay = options.delaysMs?.[index] ?? 0;
    if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
    if (response.destroyed) return;
    options.onWrite?.(index);
    if (part.length > 0) response.write(part);
  }
  switch (options.end ?? "clean") {
    case "clean":
      response.end();
      return;
    case "stall":
      return;
    case "eof_without_last_chunk":
      response.socket?.end();
      return;
    case "reset":
      setTimeout(() => response.socket?.resetAndDestroy(), 50);
  }
}
