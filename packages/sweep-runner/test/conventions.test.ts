import { parseSlo } from "@onpar/bench-config";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CONVENTIONS } from "../src/figures/conventions/convention.ts";
import { figuresByConvention } from "../src/figures/conventions/index.ts";
import type { ChunkMark, RequestRecord } from "../src/record.ts";
import { record, type RecordChanges } from "./support/records.ts";

const MS = 1e6;
const OPTIONS = { cap: 16 };

/** Usage of a prompt of 100 tokens. */
const usageOf = (completionTokens: number) => ({
  promptTokens: 100,
  completionTokens,
  cachedPromptTokens: null,
  reasoningTokens: null,
});

/** A stream that opens with a role, and whose second text holds several tokens, as under speculation. */
function trace(startMs: number, tokens: number, changes: RecordChanges = {}): RequestRecord {
  const at = (ms: number): number => (startMs + ms) * MS;
  const chunks: ChunkMark[] = [
    [at(40), "role", 0, null],
    [at(50), "content", 4, null],
    [at(90), "content", 12, null],
    [at(110), "content", 4, null],
    [at(111), "usage", 0, null],
    [at(120), "done", 0, null],
  ];
  return record({
    scheduledNs: at(-5),
    sentNs: at(0),
    endNs: at(120),
    outputTokens: tokens,
    tokenSource: "usage",
    usage: usageOf(tokens),
    ...changes,
    chunks: changes.chunks ?? chunks,
  });
}

describe("the vllm convention", () => {
  it("gives what vllm bench serve computes of a trace by hand", () => {
    const figures = figuresByConvention("vllm", [trace(0, 8), trace(1000, 1)], OPTIONS);
    // First event with choices is the role at 40 ms, the last one the text at 110 ms.
    expect(figures).toMatchObject({
      completed: 2,
      failed: 0,
      total_input_tokens: 200,
      total_output_tokens: 9,
      max_output_tokens_per_s: 4,
      max_concurrent_requests: 1,
      request_goodput: null,
    });
    expect(figures["duration"]).toBeCloseTo(1.12, 9);
    expect(figures["mean_ttft_ms"]).toBeCloseTo(40, 9);
    expect(figures["median_e2el_ms"]).toBeCloseTo(110, 9);
    // An output of one token has no time between tokens.
    expect(figures["mean_tpot_ms"]).toBeCloseTo((110 - 40) / 7, 9);
    // One gap per event, however many tokens it holds: 10, 40 and 20 ms, twice.
    expect(figures["mean_itl_ms"]).toBeCloseTo(70 / 3, 9);
    expect(figures["median_itl_ms"]).toBeCloseTo(20, 9);
    expect(figures["std_itl_ms"]).toBeCloseTo(Math.sqrt((100 + 1600 + 400) / 3 - (70 / 3) ** 2), 9);
    expect(figures["p99_itl_ms"]).toBeCloseTo(40, 9);
    expect(figures["request_throughput"]).toBeCloseTo(2 / 1.12, 9);
    expect(figures["output_throughput"]).toBeCloseTo(9 / 1.12, 9);
    expect(figures["total_token_throughput"]).toBeCloseTo(209 / 1.12, 9);
    expect(figures["mean_client_queue_time_ms"]).toBeCloseTo(5, 9);
  });

  it("counts requests that follow each other within a second beside each other", () => {
    const records = [trace(0, 4), trace(200, 4), trace(400, 4)];
    expect(figuresByConvention("vllm", records, OPTIONS)["max_concurrent_requests"]).toBe(3);
  });

  it("judges goodput by limits per request, where an output of one token has a TPOT of 0", () => {
    const slos = [parseSlo("tpot:5"), parseSlo("p99(ttft)<=1ms")];
    const figures = figuresByConvention("vllm", [trace(0, 8), trace(880, 1)], { ...OPTIONS, slos });
    expect(figures["request_goodput"]).toBeCloseTo(1, 9);
  });

  it("leaves failures and warm-up out, and counts an answer without any event as a failure", () => {
    const records = [
      trace(0, 8),
      trace(10, 8, { phase: "warmup" }),
      trace(20, 8, { state: "failed" }),
      trace(30, 8, { chunks: [] }),
    ];
    expect(figuresByConvention("vllm", records, OPTIONS)).toMatchObject({ completed: 1, failed: 2 });
  });

  it("writes 0 for statistics of nothing, as it does", () => {
    const figures = figuresByConvention("vllm", [], OPTIONS);
    expect(figures).toMatchObject({ mean_ttft_ms: 0, p99_itl_ms: 0, completed: 0, request_throughput: null });
  });
});

describe("the conventions of other harnesses on the same record", () => {
  const thinking = trace(0, 8, {
    connectNs: 3 * MS,
    chunks: [
      [40 * MS, "role", 0, null],
      [50 * MS, "reasoning", 4, null],
      [90 * MS, "content", 12, null],
      [110 * MS, "content", 4, null],
      [120 * MS, "done", 0, null],
    ],
  });
  const records = [thinking];

  it("sglang: connecting lies in TTFT, [DONE] in the latency", () => {
    const figures = figuresByConvention("sglang", records, OPTIONS);
    expect(figures["mean_ttft_ms"]).toBeCloseTo(53, 9);
    expect(figures["mean_e2e_latency_ms"]).toBeCloseTo(123, 9);
    expect(figures["mean_tpot_ms"]).toBeCloseTo(70 / 7, 9);
    expect(figures["mean_itl_ms"]).toBeCloseTo(30, 9);
  });

  it("sglang: on its own endpoint a gap is spread over the tokens after it, and so are peaks", () => {
    // First token at 100 ms, 4 tokens at 900 ms, an event without a new one at 950 ms, 2 tokens at 1100 ms.
    const events: ChunkMark[] = [
      [100 * MS, "content", 1, 1],
      [900 * MS, "content", 4, 4],
      [950 * MS, "content", 1, 0],
      [1100 * MS, "content", 2, 2],
      [1100 * MS, "done", 0, null],
    ];
    const native7 = record({ endNs: 1100 * MS, outputTokens: 7, chunks: events });
    const native = figuresByConvention("sglang", [native7], { ...OPTIONS, endpoint: "sglang-generate" });
    expect(native["mean_itl_ms"]).toBeCloseTo((4 * 200 + 2 * 100) / 6, 9);
    // 100, 300, 500, 700, 900 ms lie in the first second; 1000 and 1100 ms in the next one.
    expect(native["max_output_tokens_per_s"]).toBe(5);
    const shared = figuresByConvention("sglang", [native7], OPTIONS);
    expect(shared["mean_itl_ms"]).toBeCloseTo(1000 / 3, 9);
    expect(shared["max_output_tokens_per_s"]).toBe(3);
  });

  it("guidellm: TPOT contains TTFT, the first output token leaves reasoning out", () => {
    const figures = figuresByConvention("guidellm", records, OPTIONS);
    expect(figures["time_to_first_token_ms.mean"]).toBeCloseTo(50, 9);
    expect(figures["time_to_first_output_token_ms.mean"]).toBeCloseTo(90, 9);
    expect(figures["time_per_output_token_ms.mean"]).toBeCloseTo(110 / 8, 9);
    expect(figures["inter_token_latency_ms.mean"]).toBeCloseTo(60 / 7, 9);
  });

  it("ctxsweep: all tokens over the time from the first one to the end of the stream; short outputs are dropped", () => {
    const short = trace(500, 5);
    const figures = figuresByConvention("ctxsweep", [...records, short], OPTIONS);
    expect(figures).toMatchObject({ reps: 2, dropped_reps: 1, failed_reps: 0, prompt_tokens: 100 });
    expect(figures["gen_tok_s"]).toBeCloseTo(8 / 0.07, 6);
    expect(figures["prefill_tok_s"]).toBeCloseTo(100 / 0.05, 6);
  });
});

describe("whatever the trace", () => {
  const traces = fc.array(
    fc.record({
      start: fc.nat(5000),
      gaps: fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 12 }),
      tokens: fc.integer({ min: 1, max: 40 }),
      failed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 20 },
  );

  it("every convention counts every request, and keeps percentiles in order and TTFT within the whole", () => {
    fc.assert(
      fc.property(traces, (drawn) => {
        const records = drawn.map(({ start, gaps, tokens, failed }) => {
          let atMs = start;
          const chunks = gaps.map((gap): ChunkMark => [(atMs += gap) * MS, "content", 2, null]);
          const ends = { scheduledNs: start * MS, sentNs: start * MS, endNs: (atMs + 1) * MS };
          const state = failed ? ("failed" as const) : ("ok" as const);
          return record({ ...ends, state, chunks, outputTokens: tokens, usage: usageOf(tokens) });
        });
        const ok = records.filter(({ state }) => state === "ok").length;
        const vllm = figuresByConvention("vllm", records, OPTIONS);
        expect([vllm["completed"], vllm["failed"]]).toEqual([ok, records.length - ok]);
        expect(figuresByConvention("sglang", records, OPTIONS)["completed"]).toBe(ok);
        const guidellm = figuresByConvention("guidellm", records, OPTIONS);
        expect(guidellm["request_totals.successful"]).toBe(ok);
        for (const name of ["ttft", "tpot", "itl", "e2el"]) {
          const [p50, p90, p99] = [50, 90, 99].map((q) => vllm[`p${q}_${name}_ms`] ?? 0);
          expect(p50).toBeLessThanOrEqual(p90 ?? 0);
          expect(p90).toBeLessThanOrEqual(p99 ?? 0);
        }
        expect(vllm["mean_ttft_ms"]).toBeLessThanOrEqual((vllm["mean_e2el_ms"] ?? 0) + 1e-9);
        for (const name of CONVENTIONS) {
          const values = Object.values(figuresByConvention(name, records, OPTIONS));
          expect(values.every((value) => value === null || Number.isFinite(value))).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });
});
