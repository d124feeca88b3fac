import { monotonicClock, startTimeline } from "../src/clock.ts";
import { expect, it } from "vitest";
import type { RunEvent } from "../src/events.ts";
import { planRun } from "../src/run-plan.ts";
import { openSession } from "../src/session.ts";
import { buildWorkload } from "../src/datasets/workload.ts";
import { config } from "./support/config.ts";
import { serversOfEachTest } from "./support/servers.ts";

const { benchServer } = serversOfEachTest();

it("the preparation is told: prompts, then requests, each to its end", async () => {
  const server = await benchServer();
  const small = config(server.url, { numPrompts: 3, warmupRequests: 1 });
  const session = await openSession({
    config: small,
    apiKey: null,
    engine: null,
    timeline: startTimeline(monotonicClock),
  });
  const events: RunEvent[] = [];
  try {
    const plan = await planRun(small, session, undefined, { onEvent: (event) => events.push(event) });
    expect([plan.measure.length, plan.warmup.length]).toEqual([3, 1]);
  } finally {
    await session.close();
  }
  const step = (name: string) =>
    [1, 2, 3, 4].map((done) => ({ type: "preparing", step: name, done, total: 4 }));
  expect(events).toEqual([...step("prompts"), ...step("requests")]);
});

it("many prompts are told in about a hundred parts", async () => {
  const events: RunEvent[] = [];
  const many = config("http://127.0.0.1:9", { numPrompts: 1030, inputLen: 2 });
  await buildWorkload(many, null, undefined, { onEvent: (event) => events.push(event) });
  expect(events).toHaveLength(103);
  expect(events.at(-1)).toEqual({ type: "preparing", step: "prompts", done: 1030, total: 1030 });
});

it("an interrupt is heard while prompts are made that no server counts", async () => {
  const controller = new AbortController();
  const many = config("http://127.0.0.1:9", { numPrompts: 100_000, inputLen: 2 });
  setImmediate(() => controller.abort());
  await expect(buildWorkload(many, null, controller.signal)).rejects.toMatchObject({ name: "AbortError" });
});
