import { connect, type AddressInfo } from "node:net";

import type { FastifyInstance } from "fastify";

/** What a server answers to bytes on a connection of their own, up to its end. */
export async function answerTo(
  app: FastifyInstance,
  bytes: string,
): Promise<{ status: number; body: string }> {
  if (!app.server.listening) await app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const answer = await new Promise<string>((resolve, reject) => {
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
    socket.setEncoding("utf8").on("data", (text: string) => (received += text));
    socket.once("error", reject).once("close", () => resolve(received));
  });
  const at = answer.indexOf("\r\n\r\n");
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]), body: answer.slice(at + 4) };
}

/** A request whose target is written as it is, with what no client library would send. */
export function requestOf(method: string, target: string, head = ""): string {
  return `${method} ${target} HTTP/1.1\r\nHost: onpar\r\nConnection: close\r\nContent-Length: 0\r\n${head}\r\n`;
}
