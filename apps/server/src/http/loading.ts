import type { IncomingMessage, Server, ServerResponse } from "node:http";

import { ApiError, errorBody } from "./api-error.ts";

/** What is told while the model loads. */
export interface Loading {
  readonly serverVersion: string;
  /** The share that is loaded, 0 to 1. */
  readonly share: () => number;
}

/** Clients that wait may ask again after this, s. */
const RETRY_AFTER_S = 1;

/**
 * Answers the requests that come before the model is loaded: `/version` as always, `/metrics` with how far loading is, and 503
 * everywhere else.
 */
export function answerWhileLoading(server: Server, loading: Loading): void {
  server.on("request", (request: IncomingMessage, response: ServerResponse): void => {
    const path = (request.url ?? "").split("?", 1)[0];
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (isRead && path === "/version") return sendJson(response, 200, { version: loading.serverVersion });
    if (isRead && path === "/metrics") return sendText(response, metricsPage(loading));
    const share = Math.floor(loading.share() * 100) / 100;
    const error = new ApiError(503, {
      code: "model_loading",
      message: `The model is loading (${Math.round(share * 100)} %): send this request again when the server is ready.`,
    });
    response.setHeader("retry-after", String(RETRY_AFTER_S));
    sendJson(response, 503, { status: "loading", progress: share, ...errorBody(error) });
  });
}

function metricsPage({ share }: Loading): string {
  return [
    "# HELP onpar_model_load_ratio Share of the model that is loaded; not on the page of a server that is ready.",
    "# TYPE onpar_model_load_ratio gauge",
    `onpar_model_load_ratio ${share()}`,
    "",
  ].join("\n");
}

/** Nobody reads the body of the request: the connection ends with the answer. */
function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", connection: "close" });
  response.end(JSON.stringify(body));
}

function sendText(response: ServerResponse, page: string): void {
  response.writeHead(200, {
    "content-type": "text/plain; version=0.0.4; charset=utf-8",
    connection: "close",
  });
  response.end(page);
}
