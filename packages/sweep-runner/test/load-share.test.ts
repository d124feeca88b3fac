import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Timeline } from "../src/clock.ts";
import { sharedCursor } from "../src/load/cursor.ts";
import { laneGates, planClosedLoop, type LoadPlan } from "../src/load/load-plan.ts";
import { runShare, type LoadShare } from "../src/load/share.ts";

const MS = 1e6;

/** Sends in virtual time: requests end in the order that `durations` say. */
function virtualSender(durations: readonly number[]) {
  let now = 0;
  let most = 0;
  const waiting: { readonly endNs: number; readonly end: () => void }[] = [];
  const sent: { readonly index: number; readonly dueNs: number; readonly atNs: number }[] = [];
  const ends: number[] = [];
  const dropped: number[] = [];
  const timeline: Timeline = { startNs: 0n, now: () => now, at: Number };
  const io = {
    timeline,
    send(index: number, dueNs: number) {
      sent.push({ index, dueNs, atNs: now });
      const endNs = now + (durations[sent.length - 1] ?? 1);
      return new Promise<void>((resolve) => {
        waiting.push({ endNs, end: resolve });
        most = Math.max(most, waiting.length);
      });
    },
    drop: (index: number) => void dropped.push(index),
  };
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  };
  /** Lets requests end, the earliest first, until none is in flight any more. */
  const advance = async (): Promise<void> => {
    await settle();
    while (waiting.length > 0) {
      waiting.sort((a, b) => a.endNs - b.endNs);
      const next = waiting.shift();
      now = next?.endNs ?? now;
      ends.push(now);
      next?.end();
      await settle();
    }
  };
  return { io, advance, sent, ends, dropped, most: () => most };
}

function shareOf(plan: LoadPlan): LoadShare {
  const counter = new Int32Array(new SharedArrayBuffer(4));
  return {
    plan,
    cursor: sharedCursor(counter, plan.jobStarts.length - 1),
    worker: 0,
    workers: 1,
    startNs: 0,
  };
}

const signal = new AbortController().signal;

describe("the closed loop", () => {
  it("sends every request once and in order, keeps the target busy and never exceeds its concurrency", async () => {
    const durations = fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(durations, fc.integer({ min: 1, max: 12 }), async (list, concurrency) => {
        const { io, advance, sent, ends, most } = virtualSender(list);
        const running = runShare(shareOf(planClosedLoop(list.length, concurrency)), { ...io, signal });
        await advance();
        await running;
        expect(sent.map(({ index }) => index)).toEqual(list.map((_, index) => index));
        expect(most()).toBe(Math.min(concurrency, list.length));
        // A request is due at the start, or when another one ended.
        expect(sent.every(({ dueNs }) => dueNs === 0 || ends.includes(dueNs))).toBe(true);
      }),
    );
  });

  it("takes nothing more once it is stopped", async () => {
    const controller = new AbortController();
    const { io, advance, sent } = virtualSender([1, 2, 3, 4, 5, 6]);
    let finished = 0;
    const send = async (index: number, dueNs: number): Promise<void> => {
      await io.send(index, dueNs);
      finished++;
      if (finished === 2) controller.abort();
    };
    const running = runShare(shareOf(planClosedLoop(6, 2)), { ...io, send, signal: controller.signal });
    await advance();
    await running;
    expect(sent).toHaveLength(3);
    expect(finished).toBe(3);
  });

  it("sends nothing after its duration, and lets end what was sent", async () => {
    const { io, advance, sent, ends } = virtualSender([40, 40, 40, 40, 40, 40]);
    const plan = { ...planClosedLoop(6, 1), untilNs: 100 };
    const running = runShare(shareOf(plan), { ...io, signal });
    await advance();
    await running;
    expect(sent.map(({ atNs }) => atNs)).toEqual([0, 40, 80]);
    expect(ends.at(-1)).toBe(120);
  });

  it("plays the turns of a conversation one after the other on one lane", async () => {
    const { io, advance, sent } = virtualSender([10, 3, 10, 3, 10]);
    const plan = { ...planClosedLoop(2, 2), jobStarts: Uint32Array.of(0, 3, 5) };
    const running = runShare(shareOf(plan), { ...io, signal });
    await advance();
    await running;
    expect(sent.map(({ index, atNs }) => [index, atNs])).toEqual([
      [0, 0],
      [3, 0],
      [4, 3],
      [1, 10],
      [2, 13],
    ]);
  });

  it("a ramp of concurrency closes its lanes as jobs are taken, and opens them", async () => {
    const inFlight = async (from: number, to: number): Promise<number[]> => {
      const jobs = 24;
      const { io, advance, sent } = virtualSender(Array.from({ length: jobs }, () => 10));
      const gates = laneGates(from, to, "linear", { unit: "jobs", length: jobs });
      const plan = { ...planClosedLoop(jobs, Math.max(from, to)), gates };
      const settled = runShare(shareOf(plan), { ...io, signal }).then(() => true);
      // Lanes that wait look again after a time of their own, which stands still here but for the requests that end.
      while (!(await Promise.race([settled, later()]))) await advance();
      const rounds = new Map<number, number>();
      for (const { atNs } of sent) rounds.set(atNs, (rounds.get(atNs) ?? 0) + 1);
      expect(sent).toHaveLength(jobs);
      return [...rounds.values()];
    };
    const down = await inFlight(4, 1);
    expect([down[0], down.at(-1)]).toEqual([4, 1]);
    expect(down).toEqual([...down].sort((a, b) => b - a));
  });

  it("lane k of a ramp is open while the ramp, rounded, stands at k or more", () => {
    const up = laneGates(2, 6, "linear", { unit: "ns", length: 100 });
    expect([...up.opensAt]).toEqual([0, 0, 12.5, 37.5, 62.5, 87.5]);
    expect([...up.closesAt]).toEqual(Array.from({ length: 6 }, () => Infinity));
    const down = laneGates(4, 1, "exponential", { unit: "jobs", length: 64 });
    expect([...down.opensAt]).toEqual([0, 0, 0, 0]);
    expect([...down.closesAt].map(Math.round)).toEqual([Infinity, 45, 22, 6]);
  });
});

const later = async (): Promise<false> => {
  await new Promise((resolve) => setImmediate(resolve));
  return false;
};

describe("an open loop", () => {
  const open = (dueNs: readonly number[], changes: Partial<LoadPlan> = {}): LoadPlan => ({
    ...planClosedLoop(dueNs.length, 1),
    dueNs: Float64Array.from(dueNs),
    lanes: null,
    ...changes,
  });

  it("does not wait for answers: everything that is due goes out", async () => {
    const { io, advance, sent, most } = virtualSender([50, 50, 50, 50]);
    const running = runShare(shareOf(open([0, 0, 0, 0])), { ...io, signal });
    await advance();
    await running;
    expect(sent.map(({ atNs }) => atNs)).toEqual([0, 0, 0, 0]);
    expect(most()).toBe(4);
  });

  it("waits for room under a limit, in order of arrival, and keeps the time that each was due", async () => {
    const { io, advance, sent, most } = virtualSender([30, 30, 30, 30]);
    const running = runShare(shareOf(open([0, 0, 0, 0], { lanes: 2 })), { ...io, signal });
    await advance();
    await running;
    expect(sent.map(({ index, dueNs, atNs }) => [index, dueNs, atNs])).toEqual([
      [0, 0, 0],
      [1, 0, 0],
      [2, 0, 30],
      [3, 0, 30],
    ]);
    expect(most()).toBe(2);
  });

  it("drops what waited too long, and what its duration left over", async () => {
    const late = virtualSender([30, 30, 30]);
    const lateRun = runShare(shareOf(open([0, 0, 0], { lanes: 1, lateLimitNs: 45 })), { ...late.io, signal });
    await late.advance();
    await lateRun;
    expect([late.sent.length, late.dropped]).toEqual([2, [2]]);

    const over = virtualSender([30, 30, 30]);
    const overRun = runShare(shareOf(open([0, 0, 0], { lanes: 1, untilNs: 50 })), { ...over.io, signal });
    await over.advance();
    await overRun;
    expect([over.sent.length, over.dropped]).toEqual([2, [2]]);
  });

  it("starts at absolute times: a late start moves no later one", async () => {
    const started = process.hrtime.bigint();
    const timeline: Timeline = {
      startNs: started,
      now: () => Number(process.hrtime.bigint() - started),
      at: (ns) => Number(ns - started),
    };
    const dueNs = [20, 25, 30, 60].map((ms) => ms * MS);
    const sent: number[] = [];
    await runShare(shareOf(open(dueNs)), {
      timeline,
      signal,
      async send(index) {
        sent.push(timeline.now());
        if (index > 0) return;
        // Stands still until two more are overdue.
        while (timeline.now() < 45 * MS);
      },
      drop() {},
    });
    expect(sent).toHaveLength(4);
    expect(sent.every((at, index) => at >= (dueNs[index] ?? 0))).toBe(true);
    expect(sent[3]).toBeGreaterThanOrEqual(60 * MS);
  });
});
