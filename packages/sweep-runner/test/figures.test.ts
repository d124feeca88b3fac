import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  clientQueueMs,
  decodeRateCtxsweep,
  decodeRateVllm,
  e2elFromScheduleMs,
  e2elMs,
  itlChunkGapsMs,
  itlTokenGapsMs,
  ratePerS,
  streamEndMs,
  timeToFirstAnswerMs,
  tpotVllmMs,
  ttftFromScheduleMs,
  ttftMs,
} from "../src/figures/request-figures.ts";
import { peakOutputRate } from "../src/figures/token-timeline.ts";
import { distribution, quantileType7 } from "../src/figures/percentiles.ts";
import type { ChunkMark } from "../src/record.ts";
import { chunksAt, record } from "./support/records.ts";

const MS = 1e6;

describe("figures of one request", () => {
  // Due at 10 ms, sent at 15, role at 40, tokens at 115 (1), 135 (1) and 175 (2), usage at 180, end at 190.
  const one = record({
    scheduledNs: 10 * MS,
    sentNs: 15 * MS,
    chunks: [...chunksAt([40, 0], [115, 1], [135, 1], [175, 2]), [180 * MS, "usage", 0, null]],
    endNs: 190 * MS,
    outputTokens: 4,
  });

  it("follow their conventions", () => {
    expect(ttftMs(one)).toBe(100);
    expect(e2elMs(one)).toBe(160);
    expect(streamEndMs(one)).toBe(175);
    expect(clientQueueMs(one)).toBe(5);
    expect(ttftFromScheduleMs(one)).toBe(105);
    expect(e2elFromScheduleMs(one)).toBe(165);
    expect(tpotVllmMs(one)).toBe(20);
    expect(decodeRateVllm(one)).toBe(50);
    // That harness drops outputs of fewer than 8 tokens.
    expect([7, 8].map((outputTokens) => decodeRateCtxsweep({ ...one, outputTokens }))).toEqual([
      null,
      8 / 0.075,
    ]);
    expect(itlChunkGapsMs(one)).toEqual([20, 40]);
    expect(itlTokenGapsMs(one)).toEqual([20, 20, 20]);
  });

  it("count the step that decoded a withheld EOS, and no other chunk without text", () => {
    const chunks: ChunkMark[] = [...chunksAt([20, null], [50, null]), [70 * MS, "finish", 0, null]];
    const base = { sentNs: 0, chunks, endNs: 90 * MS, outputTokens: 3 };
    const ended = record({ ...base, finish: { raw: "stop", reason: "stop" } });
    expect([ttftMs(ended), e2elMs(ended), tpotVllmMs(ended)]).toEqual([20, 70, 25]);
    expect(itlChunkGapsMs(ended)).toEqual([30, 20]);
    const capped = record({ ...base, finish: { raw: "length", reason: "length" } });
    expect([e2elMs(capped), tpotVllmMs(capped)]).toEqual([50, 15]);
    const empty = record({ ...base, chunks: chunks.slice(2), finish: { raw: "stop", reason: "eos" } });
    expect([ttftMs(empty), e2elMs(empty)]).toEqual([null, null]);
  });

  it("have no decode rate for an output that came in one chunk", () => {
    const chunks: ChunkMark[] = [[20 * MS, "content", 9, null]];
    const finish = { raw: "length", reason: "length" } as const;
    const atOnce = record({ chunks, endNs: 20.1 * MS, outputTokens: 9, finish });
    expect([decodeRateCtxsweep(atOnce), decodeRateVllm(atOnce)]).toEqual([null, null]);
  });

  it("tell the first answer token apart from the first token", () => {
    const chunks: ChunkMark[] = [
      [20 * MS, "reasoning", 3, null],
      [50 * MS, "content", 2, null],
    ];
    const thinking = record({ chunks });
    expect([ttftMs(thinking), timeToFirstAnswerMs(thinking)]).toEqual([20, 50]);
    expect(timeToFirstAnswerMs(record({ chunks: chunks.slice(0, 1) }))).toBeNull();
  });

  it("are null where the record does not tell, never 0", () => {
    const silent = record({ chunks: chunksAt([10, 0]), endNs: 20 * MS, outputTokens: 0 });
    for (const figure of [ttftMs, e2elMs, tpotVllmMs, decodeRateVllm, decodeRateCtxsweep])
      expect(figure(silent)).toBeNull();
    const unsent = record({ sentNs: null, chunks: chunksAt([10, 1]) });
    for (const figure of [ttftMs, e2elMs, streamEndMs, clientQueueMs]) expect(figure(unsent)).toBeNull();
    const single = record({ chunks: chunksAt([10, 1]), endNs: 12 * MS, outputTokens: 1 });
    for (const figure of [tpotVllmMs, decodeRateVllm, decodeRateCtxsweep]) expect(figure(single)).toBeNull();
    expect(itlTokenGapsMs(record({ chunks: chunksAt([1, 1], [2, null]) }))).toBeNull();
    expect(ratePerS(5, 0)).toBeNull();
  });

  it("token gaps are n - 1 values whose mean is TPOT, and chunk gaps add up to E2EL - TTFT", () => {
    const events = fc.array(fc.tuple(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 8 })), {
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(events, (gaps) => {
        let at = 0;
        let tokens = 0;
        const chunks = gaps.map(([gap, count]): ChunkMark => {
          at += gap * MS;
          tokens += count;
          return [at, "content", 1, count];
        });
        const made = record({ chunks, endNs: at, outputTokens: tokens });
        const ttft = ttftMs(made) ?? Number.NaN;
        const e2el = e2elMs(made) ?? Number.NaN;
        expect(ttft).toBeLessThanOrEqual(e2el);
        expect(itlChunkGapsMs(made).reduce((sum, gap) => sum + gap, 0)).toBeCloseTo(e2el - ttft, 6);
        const perToken = itlTokenGapsMs(made) ?? [];
        expect(perToken).toHaveLength(tokens - 1);
        const sum = perToken.reduce((total, gap) => total + gap, 0);
        expect(sum).toBeCloseTo((tpotVllmMs(made) ?? 0) * (tokens - 1), 6);
      }),
    );
  });

  it("the peak counts tokens and is not below the mean", () => {
    const steady = record({
      chunks: Array.from({ length: 400 }, (_, index): ChunkMark => [index * 5 * MS, "content", 1, 4]),
    });
    expect(peakOutputRate([steady], 0)).toBe(800);
    const short = record({ chunks: chunksAt([10, 5], [100, 5]) });
    expect(peakOutputRate([short], 0)).toBe(100);
    expect(peakOutputRate([record({ chunks: chunksAt([10, null]) })], 0)).toBeNull();
    expect(peakOutputRate([], 0)).toBeNull();
  });
});

describe("distributions", () => {
  it("interpolate linearly, as numpy does by default", () => {
    // numpy.percentile([15, 20, 35, 40, 50], [0, 5, 30, 40, 50, 99, 100])
    const sorted = [15, 20, 35, 40, 50];
    const wanted = [15, 16, 23, 29, 35, 49.6, 50];
    for (const [index, q] of [0, 0.05, 0.3, 0.4, 0.5, 0.99, 1].entries()) {
      expect(quantileType7(sorted, q)).toBeCloseTo(wanted[index] ?? Number.NaN, 9);
    }
    expect(quantileType7([], 0.5)).toBeNull();
  });

  it("leave missing values out instead of counting them as 0", () => {
    expect(distribution([null, 200, null, 400])).toMatchObject({ n: 2, mean: 300, min: 200 });
    expect(distribution([null, Number.NaN, Infinity])).toBeNull();
    expect(distribution([])).toBeNull();
  });

  it("are ordered, hold their mean and do not depend on the order of values", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }), { minLength: 1 }),
        (values) => {
          const summary = distribution(values);
          expect(summary).not.toBeNull();
          if (summary === null) return;
          const { min, p50, p90, p99, max, mean, n } = summary;
          const rising = [min, p50, p90, p99, max];
          expect(rising).toEqual([...rising].sort((a, b) => a - b));
          expect(mean).toBeGreaterThanOrEqual(min);
          expect(mean).toBeLessThanOrEqual(max);
          expect(n).toBe(values.length);
          const other = distribution(values.toReversed());
          expect(other).toMatchObject({ n, min, p50, p90, p99, max });
        },
      ),
    );
  });

  it("agree with the definition: q of type 7 lies between its two order statistics", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 1 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, q) => {
          const sorted = values.toSorted((a, b) => a - b);
          const value = quantileType7(sorted, q) ?? Number.NaN;
          const position = (sorted.length - 1) * q;
          expect(value).toBeGreaterThanOrEqual(sorted[Math.floor(position)] ?? Number.NaN);
          expect(value).toBeLessThanOrEqual(sorted[Math.ceil(position)] ?? Number.NaN);
        },
      ),
    );
  });
});
