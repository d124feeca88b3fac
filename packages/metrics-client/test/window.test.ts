import { describe, expect, it } from "vitest";
import {
  addDrained,
  foreignTraffic,
  judgeSettled,
  measureWindow,
  mergeSnapshots,
  pageOfIterations,
  settleMetrics,
  type MetricsSnapshot,
} from "../src/index.ts";
import { counters, snapshot, specPage } from "./pages.ts";

const server = (finished: number, generated: number, running = 0): MetricsSnapshot =>
  snapshot(
    `${counters(["vllm:request_success_total", finished], ["vllm:generation_tokens_total", generated])}# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running ${running}\n# TYPE vllm:num_requests_waiting gauge\nvllm:num_requests_waiting 0\n`,
  );

describe("measureWindow", () => {
  it("divides sums over engines, not the engines' ratios", () => {
    const page = (v: readonly [number, number], a: readonly [number, number]) =>
      snapshot(
        counters(
          ...([0, 1] as const).flatMap((engine) => {
            const labels = `{engine="${engine}",model_name="m"}`;
            return [
              [`vllm:spec_decode_num_drafts_total${labels}`, v[engine]],
              [`vllm:spec_decode_num_draft_tokens_total${labels}`, v[engine] * 4],
              [`vllm:spec_decode_num_accepted_tokens_total${labels}`, a[engine]],
            ] as const;
          }),
        ),
      );
    const { reading } = measureWindow(page([10, 10], [20, 0]), page([110, 20], [320, 10])).acceptance;
    // 100 steps with 300 accepted and 10 with 10: 1 + 310 / 110, where the mean of ratios would be 3.
    expect(reading?.meanLength?.value).toBeCloseTo(1 + 310 / 110, 12);
    expect(reading?.rate?.value).toBeCloseTo(310 / 440, 12);
  });

  it("keeps workers on different ports apart, so that a restart of one is seen", () => {
    const page = (first: number, second: number) =>
      mergeSnapshots(
        [first, second].map((value, index) =>
          snapshot(counters(["vllm:generation_tokens_total", value]), {
            url: `http://127.0.0.1:${8081 + index}/metrics`,
          }),
        ),
      );
    expect(measureWindow(page(10, 100), page(30, 150)).counts.generationTokens?.value).toBe(70);
    const restarted = measureWindow(page(10, 100), page(200, 20));
    expect(restarted).toMatchObject({ reset: true, counts: { generationTokens: { value: 220 } } });
    expect(restarted.resetSigns[0]?.series).toContain("8082");
    const one = snapshot(counters(["vllm:generation_tokens_total", 1]));
    expect(() => mergeSnapshots([one, one])).toThrow("twice");
    expect(() => mergeSnapshots([])).toThrow("no snapshot");
  });

  it("takes another time of creation for a restart, and never for a count", () => {
    const page = (tokens: number, created: number) =>
      snapshot(
        `${counters(["vllm:generation_tokens_total", tokens])}# TYPE vllm:generation_tokens_created gauge\nvllm:generation_tokens_created ${created}\n`,
      );
    expect(measureWindow(page(10, 1.7e9), page(30, 1.7e9))).toMatchObject({
      reset: false,
      counts: { generationTokens: { value: 20 } },
    });
    expect(measureWindow(page(10, 1.7e9), page(30, 1.7e9 + 60))).toMatchObject({
      reset: true,
      counts: { generationTokens: { value: 30 } },
      resetSigns: [{ kind: "restarted", series: "vllm:generation_tokens_created" }],
    });
  });

  it("names series that were born in the window", () => {
    const window = measureWindow(snapshot(specPage(10, 30, [9, 5])), snapshot(specPage(20, 60, [18, 10, 2])));
    expect(window.bornSeries).toEqual([`vllm:spec_decode_num_accepted_tokens_per_pos_total{position="2"}`]);
    expect(window.reset).toBe(false);
  });

  it("adds the rounding of both ends", () => {
    const page = (value: number) => snapshot(counters(["llamacpp:tokens_predicted_total", value]));
    const { counts } = measureWindow(page(999_000), page(3_214_570));
    expect(counts.generationTokens).toEqual({ value: 2_215_570, plusMinus: 5 });
    expect(measureWindow(page(1_000_000), page(3_214_570)).counts.generationTokens?.plusMinus).toBe(10);
  });

  it("tells its length by the monotonic clock only", () => {
    const [a, b] = [server(0, 0), server(1, 10)];
    expect(measureWindow(a, b).seconds).toBeNull();
    expect(measureWindow({ ...a, monotonicMs: 500 }, { ...b, monotonicMs: 3000 }).seconds).toBe(2.5);
  });

  it("reads what was drained as what happened, and adds it up over readings", () => {
    const stats = { active: 1, queued: 0, completed: 1, kvUsage: null, dropped: null };
    const drained = (iter: number, accepted: number): MetricsSnapshot => ({
      ...snapshot(""),
      ...pageOfIterations([{ ...stats, iter, drafted: 6, accepted, verifySteps: 2 }]),
      drained: true,
    });
    const [first, second] = [drained(1, 3), drained(2, 5)];
    const window = measureWindow(first, second);
    expect(window).toMatchObject({ reset: false, counts: { requestsFinished: { value: 1 } } });
    expect(window.acceptance.reading).toMatchObject({
      acceptedTokens: { value: 5 },
      window: { kind: "since-read" },
    });
    const total = addDrained(addDrained(null, first), second);
    const both = measureWindow(addDrained(null, first), total);
    expect(both.acceptance.reading?.acceptedTokens?.value).toBe(5);
    expect(total.samples.find(({ name }) => name.includes("accepted"))?.value).toBe(8);
  });
});

describe("foreignTraffic", () => {
  it.each([
    [10, 100, "none"],
    [12, 140, "foreign"],
    [8, 80, "lagging"],
    [0, 0, "dead"],
  ])("of %i requests counted where 10 were sent: %#", (finished, generated, verdict) => {
    const window = measureWindow(server(5, 50), server(5 + finished, 50 + generated));
    const found = foreignTraffic(window, { requests: 10, outputTokens: 100 });
    expect(found).toEqual({ verdict, by: "requests", counted: finished, own: 10 });
  });

  it("compares tokens where requests are not counted, within their rounding", () => {
    const page = (value: number) => snapshot(counters(["llamacpp:tokens_predicted_total", value]));
    const window = measureWindow(page(3_214_570), page(3_215_570));
    const own = (outputTokens: number) => foreignTraffic(window, { requests: 3, outputTokens });
    expect(own(1007)).toMatchObject({ verdict: "none", by: "output tokens" });
    expect(own(980).verdict).toBe("foreign");
    expect(foreignTraffic(window, { requests: 3 }).verdict).toBe("unknown");
  });
});

describe("settling", () => {
  const own = { requests: 2, outputTokens: 20 };

  it("waits until the own requests are counted and nothing runs", () => {
    const start = server(5, 50);
    expect(judgeSettled(start, null, server(6, 60), own).settled).toBe(false);
    expect(judgeSettled(start, null, server(7, 70, 1), own).settled).toBe(false);
    expect(judgeSettled(start, null, server(7, 70), own)).toMatchObject({ settled: true });
  });

  it("counts tokens where a server counts no requests", () => {
    const page = (value: number) => snapshot(counters(["llamacpp:tokens_predicted_total", value]));
    expect(judgeSettled(page(0), null, page(19), own).settled).toBe(false);
    expect(judgeSettled(page(0), null, page(20), own).settled).toBe(true);
  });

  it("looks for counters that stand where it has nothing to compare", () => {
    const page = (value: number) => snapshot(counters(["llamacpp:tokens_predicted_total", value]));
    const blind = { requests: 2 };
    expect(judgeSettled(page(0), null, page(20), blind).settled).toBe(false);
    expect(judgeSettled(page(0), page(10), page(20), blind).settled).toBe(false);
    expect(judgeSettled(page(0), page(20), page(20), blind).settled).toBe(true);
  });

  it("reads until it is so, or until the time is over", async () => {
    let now = 0;
    const sleep = async (ms: number) => {
      now += ms;
    };
    const clock = { nowMs: () => now, sleep };
    let reads = 0;
    const later = await settleMetrics(server(0, 0), async () => server(++reads >= 3 ? 2 : 1, reads * 10), {
      own,
      ...clock,
    });
    expect([later.settled, reads, now]).toEqual([true, 3, 200]);
    const never = await settleMetrics(server(0, 0), async () => server(1, 10), { own, ...clock });
    expect(never).toMatchObject({ settled: false, why: "1 of 2 requests are counted" });
    expect(now).toBeLessThanOrEqual(5200);
  });
});
