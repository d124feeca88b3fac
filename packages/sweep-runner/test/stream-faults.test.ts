import { describe, expect, it } from "vitest";
import { monotonicClock, startTimeline } from "../src/clock.ts";
import { StreamTrace } from "../src/stream/stream-trace.ts";
import { createHttpTarget } from "../src/targets/http-target.ts";
import type { ErrorKind } from "../src/record.ts";
import { chunkMarks } from "../src/records/chunk-series.ts";
import { answer, streamed } from "./support/answer.ts";
import {
  delta,
  DONE,
  event,
  sendJson,
  sendText,
  startServer,
  stream,
  usage,
  type Responder,
} from "./support/scripted-server.ts";
import { sendOne } from "./support/send-one.ts";

interface Fault {
  readonly name: string;
  readonly responder: Responder;
  readonly kind: ErrorKind;
  readonly message: RegExp;
  readonly status?: number;
}

const x = delta({ content: "x" });
const faults: readonly Fault[] = [
  {
    name: "an error object in the stream, then [DONE]",
    responder: streamed(x, event({ error: { message: "engine died", code: 500 } }), DONE),
    kind: "stream-error",
    message: /^engine died \(code 500\)$/,
  },
  {
    name: "an error as a text",
    responder: streamed(x, event({ error: "out of blocks" })),
    kind: "stream-error",
    message: /out of blocks/,
  },
  {
    name: "a flat error object",
    responder: streamed(event({ object: "error", message: "no slots" })),
    kind: "stream-error",
    message: /no slots/,
  },
  {
    name: "an error event",
    responder: streamed(x, 'event: error\ndata: {"message": "compute failed"}\n\n'),
    kind: "stream-error",
    message: /compute failed/,
  },
  {
    name: "an error line of old llama.cpp",
    responder: streamed(x, 'error: {"message": "slot gone"}\n\n', DONE),
    kind: "stream-error",
    message: /slot gone/,
  },
  {
    name: "an event that is not JSON",
    responder: streamed(x, "data: oops\n\n", DONE),
    kind: "stream-error",
    message: /not JSON: oops/,
  },
  {
    name: "a JSON error body with status 200",
    responder: (_, response) => sendJson(response, 200, { error: { message: "overloaded" } }),
    kind: "stream-error",
    message: /overloaded/,
  },
  {
    name: "a whole JSON answer where a stream was asked for",
    responder: (_, response) => sendJson(response, 200, { choices: [] }),
    kind: "stream-error",
    message: /whole JSON body/,
  },
  {
    name: "an HTML page with status 200",
    responder: (_, response) => sendText(response, 200, "text/html", "<html><title>Login</title></html>"),
    kind: "stream-error",
    message: /HTML page titled "Login"/,
  },
  {
    name: "a stream cut off cleanly",
    responder: streamed(x),
    kind: "truncated",
    message: /without a finish reason/,
  },
  {
    name: "a stream cut off inside an event",
    responder: streamed(x, 'data: {"choices": [{"ind'),
    kind: "truncated",
    message: /without a finish reason/,
  },
  { name: "an empty stream", responder: streamed(), kind: "no-output", message: /no event/ },
  { name: "[DONE] alone", responder: streamed(DONE), kind: "no-output", message: /without a token/ },
  {
    name: "a reset in the middle",
    responder: (_, response) => stream(response, [x], { end: "reset" }),
    kind: "transport",
    message: /ECONNRESET|closed|terminated/,
  },
  {
    name: "an end without the last HTTP chunk",
    responder: (_, response) => stream(response, [x], { end: "eof_without_last_chunk" }),
    kind: "transport",
    message: /closed|ECONNRESET|terminated/,
  },
  {
    name: "429 with a JSON reason",
    responder: (_, response) => sendJson(response, 429, { error: { message: "rate limit reached" } }),
    kind: "http",
    message: /^HTTP 429: rate limit reached$/,
    status: 429,
  },
  {
    name: "503 with a page",
    responder: (_, response) =>
      sendText(response, 503, "text/html", "<html><head><title>503</title></head></html>"),
    kind: "http",
    message: /^HTTP 503: an HTML page titled "503"$/,
    status: 503,
  },
  {
    name: "500 with plain text over several lines",
    responder: (_, response) => sendText(response, 500, "text/plain", "oh\n\tno\u0000"),
    kind: "http",
    message: /^HTTP 500: oh no$/,
    status: 500,
  },
  {
    name: "a huge error body",
    responder: (_, response) => sendText(response, 500, "text/plain", "z".repeat(500_000)),
    kind: "http",
    message: /^HTTP 500: z{399}…$/,
    status: 500,
  },
  {
    name: "a redirect",
    responder: (_, response) => sendText(response, 307, "text/plain", "over there"),
    kind: "http",
    message: /HTTP 307/,
    status: 307,
  },
  {
    name: "an encoding that was not accepted",
    responder: (_, response) =>
      stream(response, [x], { headers: { "content-type": "text/event-stream", "content-encoding": "gzip" } }),
    kind: "transport",
    message: /gzip/,
  },
];

describe("what an answer is, is told by its content", () => {
  it("a stream that calls itself JSON is read as a stream", async () => {
    const headers = { "content-type": "application/json" };
    const { record, content } = await answer((_, response) =>
      stream(response, [x, delta({}, "stop"), DONE], { headers }),
    );
    expect([record.state, content]).toEqual(["ok", "x"]);
  });

  it("a JSON error that calls itself a stream is read as the error it is", async () => {
    const { record } = await answer(streamed(JSON.stringify({ error: { message: "no slots" } })));
    expect(record.error).toEqual({ kind: "stream-error", message: "no slots" });
  });

  it("an output that the server gave up is a failure", async () => {
    const { record } = await answer(streamed(x, delta({}, "abort"), usage(1, 1), DONE));
    expect(record).toMatchObject({
      state: "failed",
      error: { kind: "stream-error" },
      finish: { raw: "abort" },
    });
  });
});

describe("answers that are failures", () => {
  it.each(faults)("$name", async ({ responder, kind, message, status }) => {
    const { record } = await answer(responder);
    expect(record.state).toBe("failed");
    expect(record.error?.kind).toBe(kind);
    expect(record.error?.message).toMatch(message);
    expect(record.error?.message).not.toMatch(/[\r\n]/);
    expect(record.status).toBe(status ?? 200);
  });

  it("a stream that stalls fails with its deadline and keeps what came", async () => {
    const stall = await answer((_, response) => stream(response, [x], { end: "stall" }), { timeoutMs: 150 });
    expect(stall.record).toMatchObject({ state: "failed", error: { kind: "timeout" }, textBytes: 1 });
    const mute = await answer(() => {}, { timeoutMs: 150 });
    expect(mute.record).toMatchObject({
      state: "failed",
      error: { kind: "timeout" },
      status: null,
      headersNs: null,
    });
  });

  it("no server at all is a transport failure without a send time", async () => {
    const { record } = await sendOne("http://127.0.0.1:9");
    expect(record).toMatchObject({
      state: "failed",
      sentNs: null,
      status: null,
      error: { kind: "transport" },
    });
    expect(record.error?.message).toMatch(/ECONNREFUSED/);
  });

  it("an abort is neither a success nor a failure", async () => {
    const controller = new AbortController();
    const { record } = await answer(
      async (_, response) => {
        await stream(response, [x], { end: "stall" });
        setTimeout(() => controller.abort(), 30);
      },
      { signal: controller.signal },
    );
    expect(record).toMatchObject({ state: "aborted", error: null, textBytes: 1 });
  });

  it("an abort takes nothing from an answer whose [DONE] has come", async () => {
    const controller = new AbortController();
    const { record } = await answer(
      async (_, response) => {
        await stream(response, [x, delta({}, "stop"), usage(1, 1), DONE], { end: "stall" });
        setTimeout(() => controller.abort(), 30);
      },
      { signal: controller.signal },
    );
    expect(record).toMatchObject({
      state: "ok",
      outputTokens: 1,
      endNs: chunkMarks(record.chunks).at(-1)?.[0],
    });
  });
});

describe("a connection that the server closes as the next request is on its way", () => {
  it("is told apart from a failed request, and the request goes out once more", async () => {
    const used = new Set<unknown>();
    const server = await startServer({
      "/v1/chat/completions": async (_, response) => {
        const { socket } = response;
        if (used.has(socket)) {
          socket?.destroy();
          return;
        }
        used.add(socket);
        await stream(response, [x, delta({}, "stop"), DONE]);
      },
    });
    const target = createHttpTarget({
      root: server.url,
      endpoint: "chat-completions",
      apiKey: null,
      model: "m",
      fields: {},
      templateKwargs: {},
      timeoutMs: 5000,
      timeline: startTimeline(monotonicClock),
    });
    try {
      const request = target.prepare({ id: "p", kind: "text", text: "hi", addSpecialTokens: true });
      const sends: number[] = [];
      const observer = { sent: (at: number) => sends.push(at), headers() {}, trace: new StreamTrace() };
      const first = await target.send(request, observer, new AbortController().signal);
      const second = await target.send(request, observer, new AbortController().signal);
      expect([first.error, second.error]).toEqual([null, null]);
      expect([first.connection, second.connection]).toEqual(["new", "new"]);
      expect(sends).toHaveLength(3);
      expect(server.connections).toBe(2);
    } finally {
      await target.close();
      await server.close();
    }
  });

  it("a server that drops every request is not asked again and again", async () => {
    const { record, requests } = await answer((_, response) => void response.socket?.destroy());
    expect(record.error?.kind).toBe("transport");
    expect(requests).toHaveLength(1);
  });
});
