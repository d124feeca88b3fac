import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { BenchConfigInput } from "@onpar/bench-config";
import { describe, expect, it } from "vitest";
import { planClosedLoop, planLoad } from "../src/load/load-plan.ts";
import type { RequestRecord } from "../src/record.ts";
import { readRecords } from "../src/records/read-records.ts";
import { startTimeline, monotonicClock } from "../src/clock.ts";
import { createHttpTarget } from "../src/targets/http-target.ts";
import { WorkerPool, workersFor } from "../src/workers/worker-pool.ts";
import { config } from "./support/config.ts";
import { runByWorkers, runError, withFolder } from "./support/run.ts";
import { sendJson } from "./support/scripted-server.ts";
import { serversOfEachTest } from "./support/servers.ts";

const { benchServer } = serversOfEachTest();

function targetOf(root: string, timeline = startTimeline(monotonicClock)) {
  return createHttpTarget({
    root,
    endpoint: "completions",
    apiKey: null,
    model: "demo-model",
    fields: { max_tokens: 3 },
    templateKwargs: {},
    timeoutMs: 5000,
    timeline,
  });
}

describe("workers", () => {
  it.each(["thread", "process"] as const)(
    "every request goes out once, by two workers of the kind %s, and all records are one run's",
    async (workerKind) => {
      const server = await benchServer({ delayMs: 1 });
      const seen: RequestRecord[] = [];
      const { summary, findings } = await runByWorkers(
        config(server.url, { numPrompts: 24, concurrency: 4, client: { workers: 2, workerKind } }),
        { observer: { onEvent: (event) => event.type === "request-finished" && seen.push(event.record) } },
      );
      expect(summary.counts).toMatchObject({ asked: 24, ok: 24, failed: 0, dropped: 0, aborted: 0 });
      expect(findings.filter(({ severity }) => severity === "breach")).toEqual([]);
      expect(server.completions).toHaveLength(24);
      expect(new Set(server.completions.map(({ body }) => body)).size).toBe(24);
      expect(server.mostInFlight).toBeLessThanOrEqual(4);
      expect(new Set(seen.map(({ worker }) => worker))).toEqual(new Set([0, 1]));
      for (const record of seen) {
        expect(record.sentNs).toBeGreaterThanOrEqual(record.scheduledNs);
        expect(record.connection === "new").toBe(record.connectNs !== null);
        expect(record.textSha256).toMatch(/^[0-9a-f]{64}$/);
      }
    },
  );

  it.each<[string, Partial<BenchConfigInput>]>([
    ["more of them than requests in flight", { concurrency: 1 }],
    ["an open loop with one in flight", { load: { kind: "constant", rate: 500, maxInFlight: 1 } }],
    ["a ramp of concurrency up", { load: { kind: "ramp", ramp: { fromConcurrency: 1, toConcurrency: 4 } } }],
    [
      "a ramp of concurrency down",
      { load: { kind: "ramp", ramp: { fromConcurrency: 4, toConcurrency: 1 } } },
    ],
    ["a start together", { concurrency: 2, load: { startTogether: true } }],
  ])("processes send every request once: %s", async (_, changes) => {
    const server = await benchServer({ delayMs: 1 });
    const { summary } = await runByWorkers(
      config(server.url, { numPrompts: 9, client: { workers: 3, workerKind: "process" }, ...changes }),
    );
    expect(summary.counts).toMatchObject({ asked: 9, ok: 9, unsent: 0 });
    expect(new Set(server.completions.map(({ body }) => body)).size).toBe(9);
  });

  it("a process of them outlives the signals that its whole group gets: the main one ends it", async () => {
    const child = fork(join(import.meta.dirname, "../src/workers/worker-main.js"), {
      serialization: "advanced",
    });
    const next = async (): Promise<unknown> => (await once(child, "message"))[0];
    const setup = { worker: 0, workers: 1, wire: targetOf("http://127.0.0.1:1").remote?.wire, startNs: 0n };
    child.send({ type: "setup", setup });
    expect(await next()).toEqual({ type: "ready" });
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) child.kill(signal);
    child.send({ type: "setup", setup });
    expect(await next()).toEqual({ type: "ready" });
    child.disconnect();
    expect(await once(child, "exit")).toEqual([0, null]);
  });

  it("an interrupt keeps what was measured and ends what is in flight", async () => {
    const server = await benchServer({ delayMs: 40 });
    await withFolder(async (folder) => {
      const output = join(folder, "records.jsonl");
      const controller = new AbortController();
      const { summary, interrupted } = await runByWorkers(
        config(server.url, { numPrompts: 40, concurrency: 2, output, client: { workers: 2 } }),
        {
          signal: controller.signal,
          observer: {
            onEvent(event) {
              if (event.type === "request-finished" && event.done === 2) controller.abort();
            },
          },
        },
      );
      const { counts } = summary;
      expect(interrupted).toBe(true);
      expect(counts.ok).toBeGreaterThanOrEqual(2);
      expect(counts.aborted).toBeGreaterThanOrEqual(1);
      const [kept] = await readRecords(output);
      expect(kept?.records).toHaveLength(counts.ok + counts.aborted);
    });
  });

  it("a refusal ends the run after few requests", async () => {
    const server = await benchServer({
      routes: { "/v1/completions": (_, response) => sendJson(response, 401, { detail: "no" }) },
    });
    const error = await runError(
      runByWorkers(config(server.url, { numPrompts: 60, concurrency: 2, client: { workers: 1 } })),
    );
    expect(error.code).toBe("UNAUTHORISED");
    expect(server.completions.length).toBeLessThanOrEqual(6);
  });

  it.each(["thread", "process"] as const)(
    "a lost %s is a clear error, and what it had handed over stays",
    async (kind) => {
      const server = await benchServer({ delayMs: 5 });
      const timeline = startTimeline(monotonicClock);
      const target = targetOf(server.url, timeline);
      const { remote } = target;
      if (remote === null) throw new Error("a target over HTTP can be sent from anywhere");
      const pool = await WorkerPool.start({ workers: 2, kind, wire: remote.wire, timeline });
      const requests = Array.from({ length: 400 }, (_, index) =>
        target.prepare({ id: `p${index}`, kind: "text", text: `${index}`, addSpecialTokens: true }),
      );
      const taken: number[] = [];
      const running = pool.run({
        plan: planClosedLoop(requests.length, 4),
        bodies: requests.map((request) => remote.body(request)),
        signal: new AbortController().signal,
        onEnded: ({ index }) => {
          taken.push(index);
          if (taken.length === 8) void pool.kill(1);
        },
      });
      const error = await runError(running);
      expect(error.code).toBe("WORKER_FAILED");
      expect(error.message).toMatch(/worker 1 .* gone/);
      // The other worker has ended what it had in flight, and handed it over.
      expect(taken.length).toBeGreaterThanOrEqual(8);
      expect(new Set(taken).size).toBe(taken.length);
      await pool.close();
      await target.close();
    },
  );

  it("there are as many as a load needs, and one at least", () => {
    expect(workersFor(planClosedLoop(10, 1))).toBe(1);
    const poisson = config("http://127.0.0.1:1", { numPrompts: 10, load: { kind: "poisson", rate: 1 } });
    expect(
      workersFor(planLoad(poisson, { jobSizes: Array.from({ length: 10 }, () => 1), traceMs: null })),
    ).toBe(1);
    expect(workersFor(planClosedLoop(100_000, 60_000))).toBeGreaterThanOrEqual(1);
  });
});
