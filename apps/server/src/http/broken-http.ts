import type { Socket } from "node:net";

import { ApiError, errorBody } from "./api-error.ts";

/** By the code of what Node found. */
const faults: Readonly<Record<string, readonly [number, string, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, "request_timeout", "The request did not arrive in time."],
  HPE_HEADER_OVERFLOW: [
    431,
    "headers_too_large",
    "The head of the request is larger than this server accepts.",
  ],
};
const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};

/** Answers what is no HTTP that Node can read, in the shape of every other error, and ends the connection. */
export function answerBrokenHttp(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const [status, code, message] = faults[error.code ?? ""] ?? [
    400,
    "invalid_http",
    "The request is not valid HTTP.",
  ];
  if (socket.writable) {
    const body = JSON.stringify(errorBody(new ApiError(status, { code, message })));
    socket.write(
      `HTTP/1.1 ${status} ${reasons[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
        `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroySoon();
}
