import { describe, expect, it } from "vitest";
import { measureWindow, readNormal, type ServerFacts } from "../src/index.ts";
import { rateEra, trueRate } from "../src/dialects/sglang-rate.ts";
import { counters, fixture, snapshot } from "./pages.ts";

/** Tokens, requests and verify calls, as counted when requests end. */
function counted(generated: number, requests: number, calls: number) {
  return snapshot(
    counters(
      ['sglang:generation_tokens_total{model_name="m"}', generated],
      ['sglang:num_requests_total{model_name="m"}', requests],
      ['sglang:spec_verify_calls_total{model_name="m"}', calls],
    ),
  );
}

describe("SGLang", () => {
  it("is read by its gauge where tokens are not counted, the length before the rate", () => {
    const { acceptance, busy, draftBudget } = readNormal(snapshot(fixture("pages/sglang.prom")));
    expect(draftBudget).toMatchObject({ value: 3 });
    expect(busy).toMatchObject({ running: 4, waiting: 0, staleness: { seconds: 30 } });
    expect(acceptance.reading).toMatchObject({
      source: "gauge",
      meanLength: { value: 2.85, formula: "gauge:length", window: { kind: "gauge-window" } },
      rate: { formula: "(tau-1)/K" },
    });
    expect(acceptance.reading?.rate?.value).toBeCloseTo(0.6167, 4);
  });

  it("gives no figure before it decoded: a gauge at 0 is no acceptance", () => {
    const page = fixture("pages/sglang.prom").replace(/(accept_length\{.*\}) 2\.85/, "$1 0.0");
    expect(readNormal(snapshot(page)).acceptance).toMatchObject({ reading: null });
  });

  it("is read by its verify calls over a window: four steps of F02, prefill token left out", () => {
    const facts: ServerFacts = { serverInfo: { speculative_num_draft_tokens: 4 } };
    const window = measureWindow(counted(100, 10, 40), counted(111, 11, 44), { facts });
    expect(window.acceptance.reading).toMatchObject({
      verifySteps: { value: 4 },
      acceptedTokens: { value: 6 },
      draftTokens: { value: 12 },
      meanLength: { value: 2.5, formula: "(G-R)/V", source: "counters" },
      rate: { value: 0.5, formula: "A/(V*K)" },
    });
    // One request may have had as many as K tokens accepted past its end.
    expect(window.acceptance.reading?.meanLength?.plusMinus).toBe(3 / 4);
  });

  it("has no rate for a tree of drafts", () => {
    const facts: ServerFacts = { serverInfo: { speculative_num_draft_tokens: 8, speculative_eagle_topk: 4 } };
    const { reading } = measureWindow(counted(0, 0, 0), counted(111, 1, 44), { facts }).acceptance;
    expect(reading?.rate).toBeNull();
    expect(reading?.meanLength?.value).toBe(2.5);
    expect(reading?.notes.join()).toContain("tree");
  });

  it("takes its lifetime average apart with the token counters", () => {
    const tokens = (generated: number, requests: number) =>
      snapshot(
        counters(["sglang:generation_tokens_total", generated], ["sglang:num_requests_total", requests]),
      );
    // 1,000 steps of length 2 before; 500 steps of length 3 in the window.
    const info = (average: number): ServerFacts => ({
      serverInfo: { internal_states: [{ avg_spec_accept_length: average }], speculative_num_draft_tokens: 5 },
    });
    const { reading } = measureWindow(tokens(2010, 10), tokens(3520, 20), {
      factsBefore: info(2),
      facts: info(3500 / 1500),
    }).acceptance;
    expect(reading).toMatchObject({
      source: "lifetime-average",
      meanLength: { formula: "lifetime:length:difference" },
    });
    expect(reading?.meanLength?.value).toBeCloseTo(3, 12);
    expect(reading?.rate?.value).toBeCloseTo(0.5, 12);
  });

  it("reads one rank of several that publish the same figures", () => {
    const page = [0, 1].map((rank) => `sglang:num_running_reqs{tp_rank="${rank}",pp_rank="0"} 4\n`).join("");
    const waiting = [0, 1].map((rank) => `sglang:num_queue_reqs{tp_rank="${rank}"} 1\n`).join("");
    const reading = readNormal(
      snapshot(`# TYPE sglang:num_running_reqs gauge\n${page}# TYPE sglang:num_queue_reqs gauge\n${waiting}`),
    );
    expect(reading.busy).toMatchObject({ running: 4, waiting: 1 });
  });

  it("counts cached tokens once, the total or its parts", () => {
    const page = (...sources: (readonly [string, number])[]) =>
      readNormal(
        snapshot(
          counters(
            ...sources.map(
              ([name, value]) => [`sglang:cached_tokens_total{cache_source="${name}"}`, value] as const,
            ),
          ),
        ),
      ).counts.prefixCacheHits?.value;
    expect(page(["device", 900], ["host", 100])).toBe(1000);
    expect(page(["total", 1000], ["device", 900], ["host", 100])).toBe(1000);
  });
});

describe("the eras of SGLang's rate gauge", () => {
  it.each([
    ["Speculative acceptance rate (`accepted drafts / proposed drafts` in batch).", 0.6167, "true-rate"],
    ["accepted tokens / total draft tokens in batch", 1.4, "unbounded"],
    ["accepted tokens / total draft tokens in batch", 0.7125, "bonus-counted"],
    [null, 0.6167, "true-rate"],
    [null, 0.2, "unknown"],
  ])("%s with %d is %s", (help, rate, era) => {
    expect(rateEra(help, rate, 2.85, 3)).toBe(era);
  });

  it("are undone to the rate of accepted drafts", () => {
    expect(trueRate("true-rate", 0.6167, null)).toBe(0.6167);
    expect(trueRate("bonus-counted", 0.7125, 3)).toBeCloseTo(0.6167, 4);
    expect(trueRate("bonus-counted", 0.7125, null)).toBeNull();
    expect(trueRate("unbounded", 1.4, 3)).toBeNull();
  });
});
