import { connect, type Socket } from "node:net";

import { EngineError } from "@onpar/engine-binding";
import type { FastifyInstance } from "fastify";
import { afterEach, describe, expect, it } from "vitest";

import { createApp, type AppOptions } from "../src/index.ts";
import { eventually } from "./support/eventually.ts";
import { readEvents } from "./support/http.ts";
import { ScriptedEngine, waitForAbort, type ScriptStep } from "./support/scripted-engine.ts";
import { servedPair } from "./support/served-pair.ts";

const opened: FastifyInstance[] = [];
afterEach(async () => {
  for (const app of opened.splice(0)) {
    app.server.closeAllConnections();
    await app.close();
  }
});

async function listening(app: FastifyInstance): Promise<string> {
  opened.push(app);
  return await app.listen({ host: "127.0.0.1", port: 0 });
}

async function scripted(steps: Iterable<ScriptStep>, options: Partial<AppOptions> = {}) {
  const engine = new ScriptedEngine(steps);
  const app = createApp({ engine, ...options });
  return { engine, app, url: await listening(app) };
}

function ask(url: string, body: object = {}, signal?: AbortSignal): Promise<Response> {
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "hi" }], ...body }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** A client that sends a request and then does with its socket what the test says. */
async function rawRequest(url: string, body: object): Promise<Socket> {
  const { port } = new URL(url);
  const socket = connect(Number(port), "127.0.0.1");
  const payload = JSON.stringify({ messages: [{ role: "user", content: "hi" }], ...body });
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${payload.length}\r\n\r\n${payload}`,
  );
  return socket;
}

describe("an engine that fails", () => {
  const secret = new EngineError("ENGINE_FAILED", "out of memory at /srv/models/secret.gguf");

  it("in the middle of a stream ends it with an error event and no [DONE]", async () => {
    const reported: Error[] = [];
    const { url } = await scripted(["Hello", secret], { onServerError: (error) => reported.push(error) });
    const response = await ask(url, { stream: true });
    expect(response.status).toBe(200);
    const { chunks, done } = readEvents(await response.text());
    expect(done).toBe(false);
    expect(chunks.at(1)?.choices[0]?.delta?.content).toBe("Hello");
    expect(chunks.at(-1)).toEqual({
      error: {
        code: "engine_failed",
        type: "server_error",
        param: null,
        message: "The engine failed while it worked on this request.",
      },
    });
    expect(reported).toEqual([secret]);
  });

  it("answers 500 without what only the operator may see", async () => {
    const { url } = await scripted(["Hello", secret]);
    const response = await ask(url);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toMatch(/secret|stack|\.ts/);
  });

  it("answers 503 when it was disposed of", async () => {
    const { url } = await scripted([new EngineError("ENGINE_DISPOSED", "gone")]);
    expect((await ask(url)).status).toBe(503);
  });
});

describe("a client that goes away", () => {
  it.each([true, false])("frees the slot (stream: %s)", async (stream) => {
    const { engine, url } = await scripted(["Hello", waitForAbort]);
    const leave = new AbortController();
    const response = ask(url, { stream }, leave.signal).then((answer) => answer.text());
    await eventually(() => expect(engine.running).toBe(1));
    leave.abort();
    await expect(response).rejects.toThrow(/abort/);
    await eventually(() => expect(engine.finished.abort).toBe(1));
    expect(engine.running).toBe(0);
  });

  it("after it got everything is not an abort", async () => {
    const { engine, url } = await scripted(["Hello"]);
    await (await ask(url, { stream: true })).text();
    expect(engine.finished).toMatchObject({ eos: 1, abort: 0 });
  });

  it("by never reading is cut off, and the output does not pile up", async () => {
    let emitted = 0;
    function* endless(): Iterable<string> {
      for (;;) {
        emitted += 1;
        yield "x".repeat(16_384);
      }
    }
    const { engine, url } = await scripted(endless(), { limits: { clientStallMs: 100 } });
    const socket = await rawRequest(url, { stream: true, max_tokens: 900 });
    socket.pause();
    await eventually(() => expect(engine.finished.abort).toBe(1));
    // What the kernel's socket buffers take, not without end.
    expect(emitted * 16_384).toBeLessThan(64 * 1024 * 1024);
    socket.destroy();
  });
});

describe("many requests at the same time", () => {
  it("make no warning of too many listeners", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    const stop = new AbortController();
    const { url } = await scripted(["Hello", waitForAbort], { stopSignal: stop.signal });
    const answers = Array.from({ length: 16 }, async () => (await ask(url, { stream: true })).text());
    await eventually(async () => {
      const page = await (await fetch(`${url}/metrics`)).text();
      const waiting = /^vllm:num_requests_waiting\{.*\} (\d+)$/m.exec(page)?.[1];
      const running = /^vllm:num_requests_running\{.*\} (\d+)$/m.exec(page)?.[1];
      expect(Number(waiting) + Number(running)).toBe(16);
    });
    stop.abort();
    const texts = await Promise.all(answers);
    process.off("warning", onWarning);
    expect(texts.every((text) => text.includes("shutting_down"))).toBe(true);
    expect(warnings).toEqual([]);
  });
});

describe("a server that stops", () => {
  it("lets running requests finish, refuses new ones, and ends when they have", async () => {
    const stop = new AbortController();
    const { app, engine, url } = await scripted(["Hello", waitForAbort], { stopSignal: stop.signal });
    const running = await ask(url, { stream: true });
    const body = running.text();
    await eventually(() => expect(engine.running).toBe(1));
    const closed = app.close();
    await expect(ask(url)).rejects.toThrow("fetch failed");
    stop.abort();
    const { chunks, done } = readEvents(await body);
    expect(done).toBe(false);
    expect(chunks.at(-1)?.error?.code).toBe("shutting_down");
    await closed;
  });

  it("answers 503 to a request that was on its way", async () => {
    const { app, url } = await scripted(["Hello"]);
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    socket.write("GET /v1/models HTTP/1.1\r\nHost: x\r\n");
    // A request that was answered since then proves that the server has read the half one.
    await (await fetch(`${url}/health`)).text();
    const closed = app.close();
    await eventually(() => expect(app.server.listening).toBe(false));
    socket.write("\r\n");
    let answer = "";
    socket.on("data", (data) => (answer += data.toString()));
    await new Promise((resolve) => socket.once("close", resolve));
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(answer).toMatch(/^connection: close\r$/im);
    expect(answer).toContain('"code":"shutting_down"');
    await closed;
  });
});

describe("the real engine", () => {
  const pair = servedPair({ slots: 1 });

  it("frees its only slot when the client of a long output leaves", async () => {
    const url = await listening(createApp({ engine: pair.engine }));
    const leave = new AbortController();
    const response = await ask(url, { stream: true, ignore_eos: true, temperature: 0 }, leave.signal);
    const reader = response.body?.getReader();
    await reader?.read();
    expect(pair.engine.counters().requestsRunning).toBe(1);
    leave.abort();
    await eventually(() => expect(pair.engine.counters().requestsFinished.abort).toBe(1));
    const next = await ask(url, { max_tokens: 4, ignore_eos: true });
    expect(next.status).toBe(200);
    expect(pair.engine.counters()).toMatchObject({ requestsRunning: 0, requestsWaiting: 0 });
  });

  it("has settled its counters when a client reads the end of its answer", async () => {
    const url = await listening(createApp({ engine: pair.engine }));
    for (let round = 1; round <= 5; round += 1) {
      const before = pair.engine.counters().requestsFinished.length;
      await (await ask(url, { stream: round % 2 === 0, ignore_eos: true, max_tokens: 12 })).text();
      const page = await (await fetch(`${url}/metrics`)).text();
      expect(page).toMatch(
        new RegExp(`^vllm:request_success_total\\{.*finished_reason="length".*\\} ${before + 1}$`, "m"),
      );
      expect(page).toMatch(/^vllm:num_requests_running\{.*\} 0$/m);
    }
  });
});
