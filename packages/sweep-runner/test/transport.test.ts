import { createServer as createTlsServer } from "node:https";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { monotonicClock, startTimeline } from "../src/clock.ts";
import {
  decodeRateCtxsweep,
  decodeRateVllm,
  e2elMs,
  tpotVllmMs,
  ttftMs,
} from "../src/figures/request-figures.ts";
import { makeRecord, Recorder } from "../src/load/recorder.ts";
import type { RequestRecord } from "../src/record.ts";
import { createHttpTarget, type HttpTargetOptions } from "../src/targets/http-target.ts";
import { delta, DONE, event, sendJson, startServer, stream, usage } from "./support/scripted-server.ts";
import { certificate, privateKey } from "./support/tls.ts";

const timeline = startTimeline(monotonicClock);
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

function targetFor(root: string, changes: Partial<HttpTargetOptions> = {}) {
  const target = createHttpTarget({
    root,
    endpoint: "chat-completions",
    apiKey: null,
    model: "m",
    fields: {},
    templateKwargs: {},
    timeoutMs: 5000,
    timeline,
    ...changes,
  });
  closing.push(() => target.close());
  const send = async (text = "hi"): Promise<RequestRecord> => {
    const request = target.prepare({ id: "p", kind: "text", text, addSpecialTokens: true });
    const recorder = new Recorder();
    const scheduledNs = timeline.now();
    const outcome = await target.send(request, recorder, new AbortController().signal);
    return makeRecord(
      { id: "measure-0", phase: "measure", scheduledNs },
      request,
      recorder.finish(outcome),
      true,
    );
  };
  return { target, send };
}

const whole = [delta({ content: "yes" }), delta({}, "stop"), usage(3, 1), DONE];

/** A server of bare sockets, for answers that no HTTP library would send. */
async function bareServer(
  onRequest: (socket: Socket, count: number) => void,
): Promise<{ url: string; sockets: Set<Socket> }> {
  const sockets = new Set<Socket>();
  let count = 0;
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (data: Buffer) => {
      if (data.includes("}")) onRequest(socket, count++);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

describe("connections", () => {
  it("are kept: the first request opens one and says how long that took, the next ones go out on it", async () => {
    const server = await startServer({ "/v1/chat/completions": (_, response) => stream(response, whole) });
    closing.push(() => server.close());
    const { send } = targetFor(server.url);
    const records = [await send(), await send(), await send()];
    expect(records.map(({ connection }) => connection)).toEqual(["new", "reused", "reused"]);
    expect(records.map(({ connectNs }) => connectNs !== null)).toEqual([true, false, false]);
    expect(server.connections).toBe(1);
    const [first] = records;
    // Opening is queue time of the client, not latency of the server.
    expect((first?.sentNs ?? 0) - (first?.scheduledNs ?? 0)).toBeGreaterThanOrEqual(
      first?.connectNs ?? Infinity,
    );
  });

  it("are not kept where the server says so", async () => {
    const server = await startServer({
      "/v1/chat/completions": (_, response) => {
        response.setHeader("connection", "close");
        return stream(response, whole);
      },
    });
    closing.push(() => server.close());
    const { send } = targetFor(server.url);
    const records = [await send(), await send()];
    expect(records.map(({ connection, state }) => [connection, state])).toEqual([
      ["new", "ok"],
      ["new", "ok"],
    ]);
  });

  it("speak TLS: with the certificate authority that is named, or unchecked where that is asked for", async () => {
    const server = createTlsServer({ cert: certificate, key: privateKey }, (request, response) => {
      request.resume();
      request.on("end", () => void stream(response, whole));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(
      () =>
        new Promise((resolve) => {
          server.closeAllConnections();
          server.close(resolve);
        }),
    );
    const { port } = server.address() as AddressInfo;
    const url = `https://localhost:${port}`;
    const trusted = targetFor(url, { ca: certificate });
    const records = [await trusted.send("x".repeat(200_000)), await trusted.send()];
    expect(records).toMatchObject([
      { state: "ok", text: "yes", connection: "new" },
      { state: "ok", text: "yes", connection: "reused" },
    ]);
    expect(await targetFor(url, { insecureTls: true }).send()).toMatchObject({ state: "ok" });
    const refused = await targetFor(url).send();
    expect(refused).toMatchObject({ state: "failed", attempts: 0, error: { kind: "transport" } });
    expect(refused.error?.message).toMatch(/self.signed/i);
  });

  it("carry large bodies to a server that reads slowly", async () => {
    const text = "word ".repeat(400_000);
    let length = 0;
    const server = await startServer({
      "/v1/chat/completions": ({ body }, response) => {
        length = (JSON.parse(body) as { messages: { content: string }[] }).messages[0]?.content.length ?? 0;
        return stream(response, whole);
      },
    });
    closing.push(() => server.close());
    expect(await targetFor(server.url).send(text)).toMatchObject({ state: "ok" });
    expect(length).toBe(text.length);
  });

  it("are left by a request that is answered before it was read, and the next one takes another", async () => {
    const { url, sockets } = await bareServer(() => {});
    const early = createServer((socket) => {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.once("data", () => {
        socket.pause();
        socket.write("HTTP/1.1 413 Payload Too Large\r\ncontent-length: 8\r\n\r\ntoo long");
      });
    });
    await new Promise<void>((resolve) => early.listen(0, "127.0.0.1", resolve));
    closing.push(() => new Promise((resolve) => early.close(resolve)));
    expect(url).toContain("127.0.0.1");
    const { send } = targetFor(`http://127.0.0.1:${(early.address() as AddressInfo).port}`);
    const first = await send("x".repeat(20_000_000));
    expect(first).toMatchObject({
      state: "failed",
      status: 413,
      error: { kind: "http", message: "HTTP 413: too long" },
    });
    expect(await send("x")).toMatchObject({ status: 413, connection: "new" });
  });

  it("end with a clear failure where no HTTP is spoken, and where a connection breaks off", async () => {
    const chatty = await bareServer((socket) => socket.write("220 mail.example ESMTP\r\n"));
    const record = await targetFor(chatty.url).send();
    expect(record).toMatchObject({
      state: "failed",
      status: null,
      attempts: 1,
      error: { kind: "transport" },
    });
    expect(record.error?.message).toMatch(/not an HTTP\/1\.1 answer/);
    const silent = await bareServer((socket) => socket.end());
    expect((await targetFor(silent.url).send()).error?.message).toMatch(
      /closed the connection without an answer/,
    );
    const broken = await bareServer((socket) =>
      socket.end("HTTP/1.1 200 OK\r\ncontent-length: 900\r\n\r\n" + event({ choices: [{ text: "a" }] })),
    );
    const half = await targetFor(broken.url).send();
    expect(half).toMatchObject({ state: "failed", error: { kind: "transport" } });
    expect(half.error?.message).toMatch(/in the middle of the answer/);
  });
});

describe("what servers say about their load", () => {
  it("is recorded as it is: 429 and 503 are failures with their Retry-After, and nothing is sent again", async () => {
    for (const [status, header, seconds] of [
      [429, "2", 2],
      [503, undefined, null],
    ] as const) {
      const server = await startServer({
        "/v1/chat/completions": (_, response) => {
          if (header !== undefined) response.setHeader("retry-after", header);
          sendJson(response, status, { error: { message: "busy" } });
        },
      });
      closing.push(() => server.close());
      expect(await targetFor(server.url).send()).toMatchObject({
        state: "failed",
        status,
        retryAfterS: seconds,
        attempts: 1,
        error: { kind: "http", message: `HTTP ${status}: busy` },
      });
      expect(server.completions).toHaveLength(1);
    }
  });
});

describe("answers that were asked for whole", () => {
  const whole200 = (body: unknown) =>
    startServer({ "/v1/chat/completions": (_, response) => sendJson(response, 200, body) });

  it("are read with their text, finish reason and usage", async () => {
    const server = await whole200({
      choices: [
        { message: { role: "assistant", content: "yes", reasoning_content: "hm" }, finish_reason: "stop" },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    });
    closing.push(() => server.close());
    const record = await targetFor(server.url, { streamed: false }).send();
    expect(record).toMatchObject({
      state: "ok",
      text: "hmyes",
      outputTokens: 2,
      finish: { raw: "stop" },
      chunks: { kinds: "w", bytes: [5] },
    });
    // What came whole says when it ended, and nothing about its first token.
    expect(e2elMs(record)).toBeGreaterThan(0);
    expect([ttftMs(record), tpotVllmMs(record), decodeRateVllm(record), decodeRateCtxsweep(record)]).toEqual([
      null,
      null,
      null,
      null,
    ]);
    expect(JSON.parse(server.completions[0]?.body ?? "{}")).toMatchObject({ stream: false });
  });

  it("are failures with an error inside, and when they are no JSON", async () => {
    const server = await whole200({ error: { message: "too long" } });
    closing.push(() => server.close());
    expect((await targetFor(server.url, { streamed: false }).send()).error).toEqual({
      kind: "stream-error",
      message: "too long",
    });
  });
});
