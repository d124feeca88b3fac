import { connect, type Socket } from "node:net";

/** Opens a connection and writes bytes on it; what comes back is collected. */
export async function openRaw(url: string, bytes: string | Uint8Array): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let received = "";
  socket.setEncoding("latin1").on("data", (text: string) => (received += text));
  socket.on("error", () => {});
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  await new Promise<void>((resolve) => socket.once("connect", () => resolve()));
  socket.write(bytes);
  return { socket, closed, received: () => received };
}

export interface RawClient {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  readonly received: () => string;
}

/** A request of the chat endpoint as bytes. */
export function chatBytes(body: object): string {
  const payload = JSON.stringify({
    messages: [{ role: "user", content: "Tell me of the harbour." }],
    ...body,
  });
  return (
    "POST /v1/chat/completions HTTP/1.1\r\nHost: onpar\r\nContent-Type: application/json\r\n" +
    `Content-Length: ${Buffer.byteLength(payload)}\r\n\r\n${payload}`
  );
}
