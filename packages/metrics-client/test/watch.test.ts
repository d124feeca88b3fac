import { describe, expect, it } from "vitest";
import {
  MetricsError,
  Ring,
  sampleEvery,
  scrapeMetrics,
  watchMetrics,
  type MetricsSnapshot,
  type WatchClock,
  type WatchPoint,
} from "../src/index.ts";
import { counters, fixture, snapshot } from "./pages.ts";
import { serve } from "./servers.ts";

/** A clock that only sleeping and reading move. */
class TestClock implements WatchClock {
  ms: number;

  constructor(startMs: number) {
    this.ms = startMs;
  }

  now(): number {
    return this.ms;
  }

  sleep(ms: number): Promise<void> {
    this.ms += ms;
    return Promise.resolve();
  }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Watches pages one after the other, a second apart. */
function watched(
  pages: readonly (MetricsSnapshot | MetricsError)[],
  clock = new TestClock(0),
): Promise<WatchPoint[]> {
  let next = 0;
  const read = (): Promise<MetricsSnapshot> => {
    const page = pages[next++];
    if (page === undefined) throw new Error("no more pages");
    return page instanceof MetricsError
      ? Promise.reject(page)
      : Promise.resolve({ ...page, monotonicMs: clock.ms });
  };
  return all(watchMetrics(read, { periodMs: 1000, count: pages.length, clock }));
}

/** A page with these totals; acceptance is 1 of 2 drafted tokens at each step. */
function at(tokens: number, steps: number): MetricsSnapshot {
  return snapshot(
    counters(
      ["vllm:generation_tokens_total", tokens],
      ['vllm:request_success_total{finished_reason="stop"}', tokens / 10],
      ["vllm:spec_decode_num_drafts_total", steps],
      ["vllm:spec_decode_num_draft_tokens_total", steps * 2],
      ["vllm:spec_decode_num_accepted_tokens_total", steps],
    ),
  );
}

describe("sampleEvery", () => {
  it("reads at once, and then at whole multiples of the period", async () => {
    const clock = new TestClock(12_345);
    const ticks = await all(
      sampleEvery(() => Promise.resolve(clock.ms), { periodMs: 1000, count: 4, clock }),
    );
    expect(ticks.map(({ value }) => value)).toEqual([12_345, 13_000, 14_000, 15_000]);
    expect(ticks.every(({ missed }) => missed === 0)).toBe(true);
  });

  it("lets moments go that pass while a reading is under way, and counts them", async () => {
    const clock = new TestClock(0);
    const took = [100, 2500, 100, 100];
    const read = (): Promise<number> => {
      clock.ms += took.shift() ?? 0;
      return Promise.resolve(clock.ms);
    };
    const ticks = await all(sampleEvery(read, { periodMs: 1000, count: 4, clock }));
    expect(ticks.map(({ scheduledMs, missed }) => [scheduledMs, missed])).toEqual([
      [0, 0],
      [1000, 0],
      [4000, 2],
      [5000, 0],
    ]);
  });

  it("ends with the signal, and reads nothing after it", async () => {
    const controller = new AbortController();
    let reads = 0;
    const read = (): Promise<number> => {
      if (++reads === 3) controller.abort();
      return Promise.resolve(reads);
    };
    const ticks = await all(sampleEvery(read, { periodMs: 10, signal: controller.signal }));
    expect([ticks.length, reads]).toEqual([3, 3]);
  });

  it.each([0, -1, Number.NaN])("refuses a period of %d ms", async (periodMs) => {
    await expect(all(sampleEvery(() => Promise.resolve(1), { periodMs }))).rejects.toBeInstanceOf(RangeError);
  });
});

describe("Ring", () => {
  it("keeps the last things, the oldest first", () => {
    const ring = new Ring<number>(3);
    for (let i = 0; i < 8; i++) ring.push(i);
    expect([ring.toArray(), ring.size, ring.dropped]).toEqual([[5, 6, 7], 3, 5]);
    expect(() => new Ring(0)).toThrow(RangeError);
  });
});

describe("watchMetrics", () => {
  it("tells each window, and the sum since the beginning", async () => {
    const points = await watched([at(1000, 100), at(1100, 120), at(1300, 180)]);
    expect(points.map(({ window }) => window?.counts.generationTokens?.value ?? null)).toEqual([
      null,
      100,
      200,
    ]);
    expect(points.map(({ window }) => window?.acceptance.reading?.verifySteps?.value ?? null)).toEqual([
      null,
      20,
      60,
    ]);
    expect(points[0]?.total).toMatchObject({ generationTokens: null, acceptance: null });
    expect(points[2]?.total).toMatchObject({
      generationTokens: 300,
      requestsFinished: 30,
      resets: 0,
      acceptance: { verifySteps: { value: 80 }, rate: { value: 0.5 }, source: "counters" },
    });
    expect(points[2]?.window?.seconds).toBe(1);
  });

  it("goes on over a page that cannot be read, and over a restart", async () => {
    const error = new MetricsError("METRICS_TIMEOUT", "it did not answer");
    const points = await watched([at(1000, 100), error, at(1200, 150), at(50, 5), at(80, 8)]);
    expect(points.map((point) => point.error?.code ?? null)).toEqual([
      null,
      "METRICS_TIMEOUT",
      null,
      null,
      null,
    ]);
    expect(points[1]).toMatchObject({ reading: null, window: null });
    // The window reaches over the page that was missed.
    expect(points[2]?.window?.counts.generationTokens?.value).toBe(200);
    expect(points[3]?.window?.reset).toBe(true);
    expect(points[4]?.total).toMatchObject({ generationTokens: 280, resets: 1 });
    // Acceptance of the new process alone: what the old one did last is lost.
    expect(points[4]?.total?.acceptance?.verifySteps?.value).toBe(3);
  });

  it("adds up what reading takes away from TensorRT-LLM", async () => {
    const list = fixture("pages/trtllm-iterations.json");
    const url = await serve((_, response) => response.end(list));
    const pages = [await scrapeMetrics(`${url}/metrics`), await scrapeMetrics(`${url}/metrics`)];
    const points = await watched(pages);
    expect(pages[0]?.drained).toBe(true);
    const once = points[0]?.reading?.acceptance.reading?.draftTokens?.value ?? Number.NaN;
    expect(once).toBeGreaterThan(0);
    expect(points[1]?.window?.acceptance.reading?.draftTokens?.value).toBe(once);
    expect(points[1]?.window?.reset).toBe(false);
  });

  it("weights a gauge by the time that it stood while requests ran", async () => {
    const page = (length: number, running: number) =>
      snapshot(
        fixture("pages/sglang.prom")
          .replace(/(accept_length\{.*\}) 2\.85/, `$1 ${length}`)
          .replace(/(num_running_reqs\{.*\}) 4\.0/, `$1 ${running}`),
      );
    // What stood there before the run is none of it, and what stands after it neither.
    const points = await watched([page(9, 0), page(9, 4), page(2, 4), page(3, 4), page(3, 0), page(3, 0)]);
    const { acceptance } = points.at(-1)?.total ?? {};
    expect(acceptance?.meanLength).toMatchObject({ value: 2.5, formula: "gauge:length:weighted" });
    expect(acceptance?.notes.join()).toContain("mean of 2 samples");
  });

  it("keeps the last points only", async () => {
    const clock = new TestClock(0);
    const watch = watchMetrics(() => Promise.resolve(at(1, 1)), {
      periodMs: 1000,
      count: 10,
      keep: 3,
      clock,
    });
    await all(watch);
    expect(watch.points().map(({ scheduledMs }) => scheduledMs)).toEqual([7000, 8000, 9000]);
  });
});
