import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runClosedLoop } from "../src/load/closed-loop.ts";
import { NO_FINISH } from "../src/stream/finish.ts";
import type { Outcome, PreparedRequest, Target } from "../src/targets/target.ts";

/** A target in virtual time: requests end in the order that `durations` say. */
function virtualTarget(durations: readonly number[]) {
  let now = 0;
  let sent = 0;
  let most = 0;
  const waiting: { readonly endNs: number; readonly end: () => void }[] = [];
  const order: string[] = [];
  const outcome = (endNs: number): Outcome => ({
    endNs,
    status: 200,
    connection: null,
    finish: NO_FINISH,
    usage: null,
    tokenIdCount: null,
    acceptance: null,
    firstEosIndex: null,
    error: null,
    aborted: false,
  });
  const target: Target = {
    prepare: () => ({ promptId: "", sha256: "", promptTokens: null }),
    describe: () => ({}),
    close: async () => {},
    send(request, observer) {
      order.push(request.promptId);
      observer.sent(now);
      const endNs = now + (durations[sent++] ?? 1);
      return new Promise((resolve) => {
        waiting.push({ endNs, end: () => resolve(outcome(endNs)) });
        most = Math.max(most, waiting.length);
      });
    },
  };
  /** Lets requests end, the earliest first, until none is in flight any more. */
  const advance = async (): Promise<void> => {
    await Promise.resolve();
    while (waiting.length > 0) {
      waiting.sort((a, b) => a.endNs - b.endNs);
      const next = waiting.shift();
      now = next?.endNs ?? now;
      next?.end();
      for (let turn = 0; turn < 8; turn++) await Promise.resolve();
    }
  };
  const timeline = { now: () => now, at: Number };
  return { target, timeline, advance, order, most: () => most };
}

const requestsOf = (count: number): PreparedRequest[] =>
  Array.from({ length: count }, (_, index) => ({ promptId: `p${index}`, sha256: "", promptTokens: null }));

describe("the closed loop", () => {
  it("sends every request once and in order, keeps the target busy and never exceeds its concurrency", async () => {
    const durations = fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(durations, fc.integer({ min: 1, max: 12 }), async (list, concurrency) => {
        const { target, timeline, advance, order, most } = virtualTarget(list);
        const scheduled: number[] = [];
        const ends: number[] = [];
        const running = runClosedLoop({
          target,
          requests: requestsOf(list.length),
          concurrency,
          phase: "measure",
          timeline,
          signal: new AbortController().signal,
          onFinished: ({ record }) => {
            scheduled.push(record.scheduledNs);
            ends.push(record.endNs);
          },
        });
        await advance();
        await running;
        expect(order).toEqual(requestsOf(list.length).map(({ promptId }) => promptId));
        expect(most()).toBe(Math.min(concurrency, list.length));
        // A request is due at the start, or when another one ended.
        expect(scheduled.every((at) => at === 0 || ends.includes(at))).toBe(true);
      }),
    );
  });

  it("takes nothing more once it is stopped", async () => {
    const controller = new AbortController();
    const { target, timeline, advance, order } = virtualTarget([1, 2, 3, 4, 5, 6]);
    let finished = 0;
    const running = runClosedLoop({
      target,
      requests: requestsOf(6),
      concurrency: 2,
      phase: "measure",
      timeline,
      signal: controller.signal,
      onFinished: () => {
        finished++;
        if (finished === 2) controller.abort();
      },
    });
    await advance();
    await running;
    expect(order).toHaveLength(3);
    expect(finished).toBe(3);
  });
});
