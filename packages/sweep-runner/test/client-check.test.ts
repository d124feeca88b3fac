import { expect, it } from "vitest";
import { auditClient, checkClient } from "../src/checks/client-check.ts";
import type { ClientReport } from "../src/workers/messages.ts";

const calm: ClientReport = {
  p50Ms: 0.1,
  p99Ms: 2,
  maxMs: 9,
  watchedS: 10,
  busyShare: 0.4,
  scheduleErrorMs: { p50Ms: 0.1, p99Ms: 1, maxMs: 4 },
  largestRead: 900,
};

it("a client that keeps up is not bound, and the worst of its threads speaks for it", () => {
  const check = checkClient([calm, { ...calm, p99Ms: 7, busyShare: 0.6, largestRead: 65536 }]);
  expect(check).toEqual({
    eventLoopDelayMs: { p50Ms: 0.1, p99Ms: 7, maxMs: 9 },
    scheduleErrorMs: { p50Ms: 0.1, p99Ms: 1, maxMs: 4 },
    cpuShare: 0.6,
    socketBacklog: 65536,
    limits: [],
    clientBound: false,
  });
  expect(auditClient(check)).toEqual([]);
});

it.each([
  ["event loop", { p99Ms: 30, maxMs: 80 }],
  ["late at p99", { scheduleErrorMs: { p50Ms: 1, p99Ms: 40, maxMs: 90 } }],
  ["busy 99 %", { busyShare: 0.99 }],
])("one thread over its limit binds the client: %s", (words, changes) => {
  const check = checkClient([calm, { ...calm, ...changes }]);
  expect(check?.clientBound).toBe(true);
  expect(auditClient(check)).toMatchObject([
    { code: "client-bound", message: expect.stringContaining(words) as string },
  ]);
});

it("a closed loop has no schedule, a thread without sockets no backlog, and a short run no share that counts", () => {
  const check = checkClient([
    { ...calm, scheduleErrorMs: null, largestRead: null, busyShare: 1, watchedS: 0.5 },
  ]);
  expect(check).toMatchObject({ scheduleErrorMs: null, socketBacklog: null, clientBound: false });
  expect(checkClient([])).toBeNull();
});
