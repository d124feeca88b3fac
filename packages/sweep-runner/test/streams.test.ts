import { describe, expect, it } from "vitest";
import { carriesTokens } from "../src/figures.ts";
import type { ChunkKind, ErrorKind, RequestRecord } from "../src/record.ts";
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

const PATH = "/v1/chat/completions";

async function answer(responder: Responder, options: Parameters<typeof sendOne>[1] = {}) {
  const server = await startServer({ [PATH]: responder, "/v1/completions": responder });
  try {
    return {
      ...(await sendOne(server.url, options)),
      connections: server.connections,
      requests: server.requests,
    };
  } finally {
    await server.close();
  }
}

const streamed =
  (...parts: readonly (string | Buffer)[]): Responder =>
  (_, response) =>
    stream(response, parts);
const kinds = (record: RequestRecord): ChunkKind[] => record.chunks.map(([, kind]) => kind);

describe("answers that are whole", () => {
  it("a role-only chunk is no token, reasoning is one, under both names", async () => {
    const { record, reasoning, content } = await answer(
      streamed(
        delta({ role: "assistant", content: "" }),
        delta({ reasoning: "a" }),
        delta({ reasoning_content: "b" }),
        delta({ reasoning: "c", reasoning_content: "c" }),
        delta({ content: "D" }),
        delta({}, "stop"),
        usage(5, 4),
        DONE,
      ),
    );
    expect(record.state).toBe("ok");
    expect([reasoning, content]).toEqual(["abc", "D"]);
    expect(kinds(record)).toEqual([
      "role",
      "reasoning",
      "reasoning",
      "reasoning",
      "content",
      "finish",
      "usage",
      "done",
    ]);
    expect(record.chunks.findIndex(carriesTokens)).toBe(1);
    expect(record).toMatchObject({ outputTokens: 4, tokenSource: "usage", textBytes: 4 });
  });

  it("tool-call text is output", async () => {
    const call = { tool_calls: [{ index: 0, id: "c", function: { name: "f", arguments: "{}" } }] };
    const { record } = await answer(streamed(delta(call), delta({}, "tool_calls"), usage(1, 3), DONE));
    expect(kinds(record)[0]).toBe("tool");
    expect(record).toMatchObject({ state: "ok", textBytes: 3, finish: { reason: "tool-calls" } });
  });

  it("content and finish reason in one chunk, usage in the same one, nothing after it", async () => {
    const last = {
      choices: [{ index: 0, delta: { content: "all" }, finish_reason: "length" }],
      usage: { prompt_tokens: 2, completion_tokens: 3 },
    };
    const { record, content } = await answer(streamed(event(last)));
    expect(content).toBe("all");
    expect(record).toMatchObject({
      state: "ok",
      outputTokens: 3,
      finish: { raw: "length", reason: "length" },
    });
  });

  it("usage on every chunk tells the tokens of each", async () => {
    const chunk = (text: string, tokens: number): string =>
      event({
        choices: [{ index: 0, delta: { content: text } }],
        usage: { prompt_tokens: 2, completion_tokens: tokens },
      });
    const { record } = await answer(
      streamed(chunk("a", 1), chunk("bcd", 4), chunk("e", 5), delta({}, "stop"), DONE),
    );
    expect(record.chunks.filter(carriesTokens).map((mark) => mark[3])).toEqual([1, 3, 1]);
    expect(record.outputTokens).toBe(5);
  });

  it("usage that comes only at the end tells no chunk its tokens", async () => {
    const last = event({
      choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
      usage: { prompt_tokens: 2, completion_tokens: 2 },
    });
    const { record } = await answer(streamed(delta({ content: "a" }), delta({ content: "b" }), last, DONE));
    expect(record.chunks.map((mark) => mark[3])).toEqual([null, null, null, null]);
  });

  it("token ids count where usage is missing, and a token without text is a token", async () => {
    const chunk = (text: string, ids: number[]): string =>
      event({ choices: [{ index: 0, text, token_ids: ids }] });
    const end = event({ choices: [{ index: 0, text: "", token_ids: [], finish_reason: "length" }] });
    const { record } = await answer(streamed(chunk("", [9]), chunk("é", [1, 2]), end, DONE));
    expect(record).toMatchObject({ outputTokens: 3, tokenSource: "token-ids" });
    expect(record.chunks.findIndex(carriesTokens)).toBe(0);
  });

  it("an empty finish reason is none; [DONE] alone completes an answer", async () => {
    const { record } = await answer(streamed(delta({ content: "x" }, ""), DONE));
    expect(record).toMatchObject({
      state: "ok",
      finish: { raw: null, reason: "unknown" },
      outputTokens: null,
      tokenSource: "unknown",
    });
  });

  it("heartbeats, comments and events after [DONE] are nothing", async () => {
    const after =
      event({ choices: [{ index: 0, delta: { content: "late" } }] }) + event({ error: { message: "late" } });
    const { record, content } = await answer(
      streamed(
        ": ping\n\n",
        "data:\n\n",
        "event: ping\ndata: {}\n\n",
        delta({ content: "x" }),
        delta({}, "stop"),
        DONE,
        after,
      ),
    );
    expect(content).toBe("x");
    expect(record.state).toBe("ok");
  });

  it("a character cut by the network is whole", async () => {
    const bytes = Buffer.from(delta({ content: "🌍" }));
    const at = bytes.indexOf("🌍") + 2;
    const { content } = await answer(
      streamed(bytes.subarray(0, at), bytes.subarray(at), delta({}, "stop"), DONE),
    );
    expect(content).toBe("🌍");
  });

  it("a connection that breaks or stays open after the end of the answer does not matter", async () => {
    const parts = [delta({ content: "x" }), delta({}, "stop"), usage(1, 1), DONE];
    const reset = await answer((_, response) => stream(response, parts, { end: "reset" }));
    expect(reset.record).toMatchObject({ state: "ok", outputTokens: 1 });
    const stall = await answer((_, response) => stream(response, parts, { end: "stall" }));
    expect(stall.record).toMatchObject({ state: "ok", outputTokens: 1 });
    expect(stall.record.endNs).toBe(stall.record.chunks.at(-1)?.[0]);
  });

  it("the body is streamed text asked for uncompressed, with the model and the limit", async () => {
    const { requests } = await answer(streamed(delta({ content: "x" }, "stop"), DONE));
    expect(requests[0]?.headers["accept-encoding"]).toBe("identity");
    expect(JSON.parse(requests[0]?.body ?? "")).toMatchObject({
      model: "demo-model",
      max_tokens: 8,
      stream: true,
    });
  });

  it("stamps run forward: due, sent, headers, chunks, end", async () => {
    const { record } = await answer(streamed(delta({ content: "x" }), delta({ content: "y" }, "stop"), DONE));
    const times = [
      record.scheduledNs,
      record.sentNs,
      record.headersNs,
      ...record.chunks.map(([at]) => at),
      record.endNs,
    ];
    expect(times).toEqual([...times].sort((a, b) => Number(a) - Number(b)));
    expect(times.every((at) => Number.isSafeInteger(at))).toBe(true);
    expect(record.connection).toBe("new");
  });
});

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
});

describe("a connection that the server closes as the next request is on its way", () => {
  it("is told apart from a failed request, and the request goes out once more", async () => {
    const used = new Set<unknown>();
    const { createHttpTarget } = await import("../src/http-target.ts");
    const { monotonicClock, startTimeline } = await import("../src/clock.ts");
    const server = await startServer({
      [PATH]: async (_, response) => {
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
      connections: 1,
      timeoutMs: 5000,
      timeline: startTimeline(monotonicClock),
    });
    try {
      const request = target.prepare({ id: "p", kind: "text", text: "hi", addSpecialTokens: true });
      const sends: number[] = [];
      const observer = { sent: (at: number) => sends.push(at), headers() {}, chunk() {} };
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
