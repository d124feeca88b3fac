import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { acceptanceFrom, checkSpecDecodeInvariants, counterIncrease, deltaSnapshots } from "../src/index.ts";
import { counters, fixture, snapshot, specPage } from "./pages.ts";

describe("deltaSnapshots", () => {
  it("subtracts series by series and adds the engines", () => {
    const before = snapshot(fixture("vllm-two-engines-before.prom"), { takenAt: "2026-01-01T00:00:00.000Z" });
    const after = snapshot(fixture("vllm-two-engines-after.prom"), { takenAt: "2026-01-01T00:01:00.000Z" });
    const delta = deltaSnapshots(before, after);
    expect(delta).toEqual({
      from: "2026-01-01T00:00:00.000Z",
      to: "2026-01-01T00:01:00.000Z",
      spec: {
        verifySteps: 250,
        draftTokens: 2750,
        acceptedTokens: 751,
        acceptedPerPosition: [180, 140, 115, 90, 65, 53, 42, 31, 20, 10, 5],
      },
      promptTokens: 1500,
      generationTokens: 1400,
      requestsFinished: 16,
      requestsByReason: { stop: 13, length: 3 },
      prefixCacheQueries: 1000,
      prefixCacheHits: 150,
      firstTokens: 16,
      reset: false,
      resetSigns: [],
    });
    expect(delta.spec === null ? [] : checkSpecDecodeInvariants(delta.spec, 11)).toEqual([]);
  });

  it("reads one engine of several", () => {
    const before = snapshot(fixture("vllm-two-engines-before.prom"));
    const after = snapshot(fixture("vllm-two-engines-after.prom"));
    const delta = deltaSnapshots(before, after, { labels: { engine: "1" } });
    expect(delta).toMatchObject({ generationTokens: 400, requestsFinished: 6, spec: { verifySteps: 50 } });
  });

  it("counts from zero, and says so, when a counter went down", () => {
    const delta = deltaSnapshots(
      snapshot(specPage(100, 300, [90, 50, 10])),
      snapshot(specPage(20, 60, [18, 10, 2])),
    );
    expect(delta.reset).toBe(true);
    expect(delta.spec).toEqual({
      verifySteps: 20,
      draftTokens: 60,
      acceptedTokens: 30,
      acceptedPerPosition: [18, 10, 2],
    });
    expect(delta.resetSigns).toContainEqual({
      kind: "decreased",
      series: "vllm:spec_decode_num_drafts_total",
    });
  });

  it("counts every counter from zero after a restart, also those that are already higher than before", () => {
    const start = (seconds: number): string => `process_start_time_seconds ${seconds}\n`;
    const before = snapshot(start(1000) + counters(["vllm:generation_tokens_total", 10]));
    const after = snapshot(start(2000) + counters(["vllm:generation_tokens_total", 50]));
    expect(deltaSnapshots(before, after)).toMatchObject({
      generationTokens: 50,
      reset: true,
      resetSigns: [{ kind: "restarted", series: "process_start_time_seconds" }],
    });
  });

  it("takes a changed start token as a restart, one that only one side has as nothing", () => {
    const page = counters(["llamacpp:tokens_predicted_total", 10]);
    const changed = deltaSnapshots(snapshot(page, { startToken: "1" }), snapshot(page, { startToken: "2" }));
    expect(changed).toMatchObject({ reset: true, generationTokens: 10 });
    const oneSided = deltaSnapshots(snapshot(page), snapshot(page, { startToken: "2" }));
    expect(oneSided).toMatchObject({ reset: false, generationTokens: 0 });
  });

  it("takes a counter that had counted and is gone as a restart", () => {
    const before = snapshot(specPage(10, 30, [9, 5, 1]));
    const after = snapshot(specPage(20, 60, [18, 10]));
    const delta = deltaSnapshots(before, after);
    expect(delta.resetSigns).toEqual([
      { kind: "vanished", series: `vllm:spec_decode_num_accepted_tokens_per_pos_total{position="2"}` },
    ]);
    expect(delta.spec).toMatchObject({ verifySteps: 20, acceptedPerPosition: [18, 10] });
  });

  it("does not mind that a series at 0 is gone", () => {
    const delta = deltaSnapshots(snapshot(specPage(10, 30, [9, 5, 0])), snapshot(specPage(20, 60, [18, 10])));
    expect(delta).toMatchObject({ reset: false, spec: { verifySteps: 10, acceptedPerPosition: [9, 5] } });
  });

  it("counts series that appear late from zero", () => {
    const before = snapshot("# TYPE vllm:request_success_total counter\n");
    const after = snapshot(
      specPage(10, 30, [9, 5, 1]) + counters(['vllm:request_success_total{finished_reason="stop"}', 7]),
    );
    expect(deltaSnapshots(before, after)).toMatchObject({
      spec: { verifySteps: 10, draftTokens: 30, acceptedTokens: 15, acceptedPerPosition: [9, 5, 1] },
      requestsFinished: 7,
      requestsByReason: { stop: 7 },
      reset: false,
    });
  });

  it("is 0 for a counter that is announced and null for one that is not", () => {
    const page = snapshot("# TYPE vllm:request_success_total counter\n");
    expect(deltaSnapshots(page, page)).toMatchObject({
      requestsFinished: 0,
      generationTokens: null,
      spec: null,
    });
  });

  it("ignores the order of labels", () => {
    const before = snapshot(counters(['vllm:generation_tokens_total{a="1",b="2"}', 5]));
    const after = snapshot(counters(['vllm:generation_tokens_total{b="2",a="1"}', 9]));
    expect(deltaSnapshots(before, after)).toMatchObject({ generationTokens: 4, reset: false });
  });

  it("has no acceptance when the server stopped drafting", () => {
    const page = snapshot(specPage(10, 30, [10, 6, 4]));
    const delta = deltaSnapshots(page, page);
    expect(delta.spec).toMatchObject({ verifySteps: 0, draftTokens: 0 });
    const acceptance = delta.spec === null ? null : acceptanceFrom(delta.spec, "metrics-delta");
    expect(acceptance).toMatchObject({ rate: null, meanAcceptanceLength: null, perPositionRate: null });
  });

  it("gives the increase exactly for any two states of growing counters", () => {
    const count = fc.nat({ max: 1_000_000_000 });
    fc.assert(
      fc.property(fc.array(fc.tuple(count, count), { minLength: 1, maxLength: 6 }), (engines) => {
        const page = (value: (engine: readonly [number, number]) => number): string =>
          counters(
            ...engines.map((one, i) => [`vllm:generation_tokens_total{engine="${i}"}`, value(one)] as const),
          );
        const before = snapshot(page(([start]) => start));
        const after = snapshot(page(([start, more]) => start + more));
        const expected = engines.reduce((sum, [, more]) => sum + more, 0);
        expect(deltaSnapshots(before, after)).toMatchObject({ generationTokens: expected, reset: false });
      }),
    );
  });

  it("is never negative, whatever the counters do", () => {
    const value = fc.nat({ max: 1000 });
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 4 }), (engines) => {
        const page = (side: 0 | 1): string =>
          counters(
            ...engines.map((one, i) => [`vllm:generation_tokens_total{engine="${i}"}`, one[side]] as const),
          );
        const delta = deltaSnapshots(snapshot(page(0)), snapshot(page(1)));
        expect(delta.generationTokens).toBeGreaterThanOrEqual(0);
        expect(delta.reset).toBe(engines.some(([before, after]) => after < before));
      }),
    );
  });
});

describe("counterIncrease", () => {
  it("follows a counter by its name and labels", () => {
    const before = snapshot(counters(['h_count{model="a"}', 4], ['h_count{model="b"}', 1]));
    const after = snapshot(counters(['h_count{model="a"}', 9], ['h_count{model="b"}', 3]));
    expect(counterIncrease(before, after, "h_count")).toEqual({ increase: 7, reset: false });
    expect(counterIncrease(before, after, "h_count", { model: "b" })).toEqual({ increase: 2, reset: false });
    expect(counterIncrease(before, after, "other_total")).toEqual({ increase: null, reset: false });
  });
});
