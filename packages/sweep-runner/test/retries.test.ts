import { afterEach, describe, expect, it } from "vitest";
import { monotonicClock, startTimeline } from "../src/clock.ts";
import { makeRecord, Recorder } from "../src/load/recorder.ts";
import type { RequestRecord } from "../src/record.ts";
import { createHttpTarget } from "../src/targets/http-target.ts";
import { waitBeforeRetryMs } from "../src/transport/retry.ts";
import { config } from "./support/config.ts";
import { codes, run, runByWorkers, withFolder } from "./support/run.ts";
import { readRecords } from "../src/records/read-records.ts";
import {
  delta,
  DONE,
  models,
  sendJson,
  startServer,
  stream,
  usage,
  type Responder,
  type ScriptedServer,
} from "./support/scripted-server.ts";

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

const answer = [delta({ content: "yes" }), delta({}, "stop"), usage(3, 1), DONE];

/** Refuses the first `times` requests. */
async function refusing(times: number, status: number, retryAfter: string | null): Promise<ScriptedServer> {
  let seen = 0;
  const respond: Responder = (_, response) => {
    if (seen++ >= times) return stream(response, answer);
    if (retryAfter !== null) response.setHeader("retry-after", retryAfter);
    return sendJson(response, status, { error: { message: "busy" } });
  };
  const server = await startServer({
    "/v1/chat/completions": respond,
    "/v1/completions": respond,
    "/v1/models": models("m"),
  });
  closing.push(() => server.close());
  return server;
}

async function send(
  server: ScriptedServer,
  options: { readonly retries?: number; readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
): Promise<RequestRecord> {
  const timeline = startTimeline(monotonicClock);
  const target = createHttpTarget({
    root: server.url,
    endpoint: "chat-completions",
    apiKey: null,
    model: "m",
    fields: {},
    templateKwargs: {},
    timeoutMs: options.timeoutMs ?? 10_000,
    retries: options.retries,
    timeline,
  });
  try {
    const request = target.prepare({ id: "p", kind: "text", text: "hi", addSpecialTokens: true });
    const recorder = new Recorder();
    const identity = { id: "measure-0", phase: "measure" as const, scheduledNs: timeline.now() };
    const outcome = await target.send(request, recorder, options.signal ?? new AbortController().signal);
    return makeRecord(identity, request, recorder.finish(outcome), true);
  } finally {
    await target.close();
  }
}

function lengthMs({ sentNs, endNs }: RequestRecord): number {
  return (endNs - (sentNs ?? 0)) / 1e6;
}

describe("a request that is refused for now", () => {
  it("goes out again after its Retry-After, and its times count from the first sending", async () => {
    const server = await refusing(2, 429, "0.15");
    const record = await send(server, { retries: 3 });
    expect(record).toMatchObject({
      state: "ok",
      status: 200,
      attempts: 3,
      retries: 2,
      retryAfterS: null,
      text: "yes",
      outputTokens: 1,
      error: null,
    });
    expect(lengthMs(record)).toBeGreaterThanOrEqual(300);
    expect(record.chunks.kinds).toBe("cfud");
    expect(new Set(server.completions.map(({ body }) => body)).size).toBe(1);
    // The connection that said no is as good as before.
    expect(server.connections).toBe(1);
  });

  it("waits by itself where the server names no time", async () => {
    const record = await send(await refusing(1, 503, null), { retries: 1 });
    expect(record).toMatchObject({ state: "ok", attempts: 2, retries: 1 });
    expect(lengthMs(record)).toBeGreaterThanOrEqual(500);
  });

  it("fails with the last answer when it has gone out as often as it may", async () => {
    const server = await refusing(9, 429, "0.01");
    expect(await send(server, { retries: 2 })).toMatchObject({
      state: "failed",
      status: 429,
      retryAfterS: 0.01,
      attempts: 3,
      retries: 2,
      error: { kind: "http", message: "HTTP 429: busy" },
    });
    expect(server.completions).toHaveLength(3);
  });

  it("fails at once when the wait would be longer than it may take", async () => {
    const server = await refusing(9, 429, "3600");
    const record = await send(server, { retries: 2, timeoutMs: 5000 });
    expect(record).toMatchObject({ state: "failed", status: 429, retryAfterS: 3600, attempts: 1 });
    expect(record).not.toHaveProperty("retries");
  });

  it("is aborted while it waits, and goes out no more", async () => {
    const server = await refusing(9, 429, "30");
    const stop = new AbortController();
    const sending = send(server, { retries: 2, timeoutMs: 60_000, signal: stop.signal });
    setTimeout(() => stop.abort(), 100);
    const record = await sending;
    expect(record).toMatchObject({ state: "aborted", attempts: 1 });
    expect(record).not.toHaveProperty("retries");
    expect(server.completions).toHaveLength(1);
  });

  it.each([400, 401, 404, 500, 502])("status %i is a failure, not a refusal for now", async (status) => {
    const server = await refusing(9, status, "0.01");
    expect(await send(server, { retries: 2 })).toMatchObject({ state: "failed", status, attempts: 1 });
  });

  it("is not sent again unless that was asked for", async () => {
    expect(await send(await refusing(9, 429, "0.01"))).toMatchObject({ state: "failed", attempts: 1 });
  });
});

describe("a run with retries", () => {
  const settings = { inputLen: 4, outputLen: 1, ignoreEos: false, retries: 2 };

  it("says how many requests were sent again, and counts them as ended well", async () => {
    const server = await refusing(2, 429, "0.05");
    const result = await run(config(server.url, settings));
    expect(result.summary.counts).toMatchObject({ asked: 4, ok: 4, failed: 0 });
    expect(result.summary.resent).toBe(1);
    expect(result.protocol.load.retries).toBe(2);
    expect(codes(result)).toContain("requests-retried");
    const { message = "" } = result.findings.find(({ code }) => code === "requests-retried") ?? {};
    expect(message).toMatch(/^1 of 4 requests were refused at first and sent again, 2 times in all/);
  });

  it("keeps the number in the records that workers hand over", async () => {
    await withFolder(async (folder) => {
      const server = await refusing(1, 429, "0.05");
      const output = `${folder}/records.jsonl`;
      await runByWorkers(config(server.url, { ...settings, output }));
      const records = (await readRecords(output)).flatMap((one) => one.records);
      expect(records.map(({ retries }) => retries ?? 0).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 1]);
      expect(records.map(({ attempts }) => attempts).toSorted((a, b) => a - b)).toEqual([1, 1, 1, 2]);
    });
  });
});

describe("the wait", () => {
  it.each([
    [429, 2, 0, 2000],
    [503, 0, 5, 0],
    [429, null, 0, 500],
    [429, null, 3, 4000],
    [503, null, 50, 30_000],
    [500, 1, 0, null],
    [null, null, 0, null],
  ])("after status %s, Retry-After %s and %i retries is %s ms", (status, retryAfterS, retries, ms) => {
    expect(waitBeforeRetryMs(status, retryAfterS, retries)).toBe(ms);
  });
});
