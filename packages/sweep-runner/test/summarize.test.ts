import { acceptanceFrom } from "@onpar/metrics-client";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { audit, type AuditInput } from "../src/checks/audit.ts";
import type { ChunkMark, RequestRecord } from "../src/record.ts";
import { packChunks } from "../src/records/chunk-series.ts";
import { effectiveTokensPerStep, summarize, type SummaryContext } from "../src/figures/summarize.ts";
import { chunksAt, record, type RecordChanges } from "./support/records.ts";

const MS = 1e6;
const context: SummaryContext = { asked: 3, cap: 8, acceptance: null, acceptanceMissing: "no page" };
const done = (changes: RecordChanges = {}): RequestRecord =>
  record({
    chunks: chunksAt([100, 1], [200, 1]),
    endNs: 210 * MS,
    outputTokens: 2,
    tokenSource: "usage",
    usage: { promptTokens: 10, completionTokens: 2, cachedPromptTokens: null, reasoningTokens: null },
    ...changes,
  });

describe("summaries", () => {
  it("keep warm-up and failures out of latencies and rates, and count them", () => {
    const records = [
      done({ id: "w", phase: "warmup", chunks: chunksAt([900, 1]) }),
      done({ sentNs: 0, endNs: 1000 * MS }),
      done({ sentNs: 500 * MS, chunks: chunksAt([700, 1], [900, 1]), endNs: 1000 * MS }),
      done({
        state: "failed",
        chunks: chunksAt([20, 1]),
        endNs: 2000 * MS,
        error: { kind: "timeout", message: "late" },
      }),
    ];
    const summary = summarize(records, context);
    expect(summary.counts).toEqual({
      asked: 3,
      ok: 2,
      failed: 1,
      dropped: 0,
      aborted: 0,
      unsent: 0,
      warmup: 1,
    });
    expect(summary.errorRate).toBeCloseTo(1 / 3, 12);
    expect(summary.errors).toEqual({ timeout: 1 });
    expect(summary.durationS).toBe(2);
    expect(summary.latency.ttftMs).toMatchObject({ n: 2, min: 100, max: 200 });
    expect(summary.rates).toMatchObject({ outputTokensPerS: 2, totalTokensPerS: 12, requestsPerS: 1 });
    expect(summary.acceptanceMissing).toBe("no page");
  });

  it("of nothing are empty, not zero", () => {
    const summary = summarize([], context);
    expect(summary.counts.unsent).toBe(3);
    expect(summary).toMatchObject({ errorRate: null, durationS: 0, promptTokens: null });
    expect(summary.rates).toMatchObject({ outputTokensPerS: null, requestsPerS: null, decodeVllm: null });
  });

  it("give no rate over the run when one answer's tokens are unknown", () => {
    const summary = summarize([done(), done({ outputTokens: null, tokenSource: "unknown" })], context);
    expect(summary.rates.outputTokensPerS).toBeNull();
    expect(summary.outputs).toMatchObject({ tokenSource: "unknown, usage", lengths: { n: 1 } });
  });

  it("always account for every request asked", () => {
    const states = fc.array(fc.constantFrom("ok", "failed", "aborted" as const), { maxLength: 30 });
    fc.assert(
      fc.property(states, fc.nat(10), (list, unsent) => {
        const records = list.map((state, index) => done({ id: `measure-${index}`, state: state as "ok" }));
        const { counts } = summarize(records, { ...context, asked: list.length + unsent });
        expect(counts.asked).toBe(counts.ok + counts.failed + counts.aborted + counts.unsent);
        expect(counts.unsent).toBe(unsent);
      }),
    );
  });
});

describe("effective tokens per step", () => {
  it("is what acceptance counts when every step drafts and nothing is cut off", () => {
    // 4 requests: one token from the prefill, then 2 steps with 2 accepted and one more token.
    expect(effectiveTokensPerStep(28, 4, { acceptedTokens: 16, verifySteps: 8 })).toBe(3);
  });

  it("is lower when steps draft nothing, and never counts fewer steps than were verified", () => {
    expect(effectiveTokensPerStep(101, 1, { acceptedTokens: 20, verifySteps: 10 })).toBe(100 / 80);
    // 10 tokens accepted past the end: G - R - A would give 2 steps where 8 were verified.
    expect(effectiveTokensPerStep(28, 4, { acceptedTokens: 22, verifySteps: 8 })).toBe(3);
    expect(effectiveTokensPerStep(4, 4, { acceptedTokens: 0, verifySteps: 0 })).toBeNull();
  });

  it("lies between 1 and the counted mean length for any run whose steps are whole", () => {
    const step = fc.record({
      drafted: fc.integer({ min: 0, max: 5 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(fc.array(step, { maxLength: 20 }), { minLength: 1, maxLength: 5 }), (requests) => {
        const counts = { verifySteps: 0, draftTokens: 0, acceptedTokens: 0, acceptedPerPosition: null };
        let tokens = 0;
        for (const steps of requests) {
          tokens++;
          for (const { drafted, share } of steps) {
            const accepted = Math.floor(drafted * share);
            tokens += accepted + 1;
            if (drafted > 0) counts.verifySteps++;
            counts.draftTokens += drafted;
            counts.acceptedTokens += accepted;
          }
        }
        const effective = effectiveTokensPerStep(tokens, requests.length, counts);
        const counted = acceptanceFrom(counts, "metrics-delta").meanAcceptanceLength;
        expect(effective ?? 1).toBeGreaterThanOrEqual(1);
        expect(effective ?? 1).toBeLessThanOrEqual((counted ?? Infinity) + 1e-9);
      }),
    );
  });

  it("is unknown when a failed request drafted too", () => {
    const acceptance = acceptanceFrom(
      { verifySteps: 2, draftTokens: 6, acceptedTokens: 3, acceptedPerPosition: null },
      "metrics-delta",
    );
    const whole = summarize([done({ outputTokens: 6 })], { ...context, acceptance });
    expect(whole.acceptance?.effectiveTokensPerStep).toBe(2.5);
    const partly = summarize([done({ outputTokens: 6 }), done({ state: "failed" })], {
      ...context,
      acceptance,
    });
    expect(partly.acceptance?.effectiveTokensPerStep).toBeNull();
  });
});

describe("the audit", () => {
  const check = (records: readonly RequestRecord[], changes: Partial<AuditInput> = {}): string[] => {
    const rule = { name: "ignore-eos" as const, cap: 8, stop: [], requested: { ignoreEos: true }, sent: {} };
    const summary = summarize(records, { ...context, asked: records.length });
    return audit({ records, summary, rule, draftBudget: null, metrics: null, ...changes }).map(
      ({ code }) => code,
    );
  };
  const ended: ChunkMark = [205 * MS, "done", 0, null];
  const full = done({
    finish: { raw: "length", reason: "length" },
    chunks: [...chunksAt([100, 4], [200, 4]), ended],
    outputTokens: 8,
  });

  it("has nothing to say about a run that is as it should be", () => {
    expect(check([full, full])).toEqual([]);
  });

  it("finds requests that were never sent, but in a run that was ended early", () => {
    const summary = summarize([full], { ...context, asked: 3 });
    expect(check([full], { summary, cutShort: false })).toEqual(["counts-invalid"]);
    expect(check([full], { summary, cutShort: true })).toEqual([]);
    expect(check([full], { cutShort: false })).toEqual([]);
  });

  it("finds each disagreement under its own code", () => {
    expect(check([{ ...full, outputTokens: 1 }])).toEqual(["eos-not-ignored"]);
    expect(check([{ ...full, finish: { raw: "stop", reason: "eos" } }])).toEqual(["eos-not-ignored"]);
    expect(check([{ ...full, outputTokens: 9 }])).toEqual(["cap-exceeded"]);
    expect(check([{ ...full, finish: { raw: null, reason: "unknown" } }])).toEqual(["finish-missing"]);
    expect(check([{ ...full, chunks: packChunks(chunksAt([100, 4], [200, 4])) }])).toEqual(["done-missing"]);
    expect(check([{ ...full, chunks: packChunks([ended]) }])).toEqual(["tokens-unseen"]);
    expect(check([full, { ...full, tokenSource: "token-ids" }])).toEqual(["token-source-mixed"]);
    expect(check([full, { ...full, sentNs: 150 * MS }])).toEqual(["times-invalid"]);
    const burst = [...chunksAt([800, 1], [800, 1], [800, 1], [801, 1]), [802 * MS, "done", 0, null] as const];
    expect(check([{ ...full, endNs: 810 * MS, chunks: packChunks(burst) }])).toEqual(["burst-delivery"]);
  });

  it("does not take a short answer to a long prompt for a burst", () => {
    const chunks = chunksAt([60_000, 1], [60_005, 1], [60_010, 1], [60_015, 1]);
    const slow = {
      ...full,
      endNs: 60_020 * MS,
      chunks: packChunks([...chunks, [60_016 * MS, "done", 0, null]]),
    };
    expect(check([slow])).toEqual([]);
  });

  it("speaks about more records than a call can have arguments", () => {
    const records = Array.from({ length: 150_000 }, () => full);
    const summary = summarize(records, { ...context, asked: records.length });
    const rule = { name: "eos" as const, cap: 1, stop: [], requested: { ignoreEos: false }, sent: {} };
    const promptTextTokens = new Map([[full.promptId, 7]]);
    const seen = audit({ records, summary, rule, draftBudget: null, metrics: null, promptTextTokens });
    expect(seen.map(({ code }) => code)).toEqual(["cap-exceeded", "prompt-overhead"]);
  });

  it("finds acceptance counts that cannot be", () => {
    const acceptance = acceptanceFrom(
      { verifySteps: 2, draftTokens: 6, acceptedTokens: 4, acceptedPerPosition: [3, 1, 0] },
      "metrics-delta",
    );
    const summary = summarize([full], { ...context, asked: 1, acceptance });
    expect(check([full], { summary })).toContain("acceptance-invalid");
  });

  it("finds counters that started again", () => {
    const metrics = {
      from: "",
      to: "",
      spec: null,
      promptTokens: null,
      generationTokens: null,
      requestsFinished: 1,
      requestsByReason: null,
      prefixCacheQueries: null,
      prefixCacheHits: null,
      firstTokens: null,
      reset: true,
      resetSigns: [{ kind: "decreased" as const, series: "x_total" }],
    };
    expect(check([full], { metrics })).toEqual(["counters-reset"]);
    expect(check([full], { metrics: { ...metrics, reset: false, requestsFinished: 2 } })).toEqual([
      "foreign-traffic",
    ]);
    expect(check([full], { metrics: { ...metrics, reset: false, requestsFinished: 0 } })).toEqual([
      "counters-lag",
    ]);
    // A request that was given up before its headers came: the server may have counted it as aborted.
    const givenUp = record({ state: "aborted", status: null, chunks: [] });
    const both = { ...metrics, reset: false, requestsFinished: 2 };
    expect(check([full, givenUp], { metrics: both })).toEqual([]);
    expect(check([full, { ...givenUp, sentNs: null }], { metrics: both })).toEqual(["foreign-traffic"]);
    expect(check([full], { metrics: { ...metrics, reset: false, requestsFinished: 1 } })).toEqual([]);

    // A foreign request that outlives the run is in no count of finished requests; its tokens and drafts are counted.
    const quiet = { ...metrics, reset: false, requestsFinished: 1 };
    const own = full.outputTokens ?? 0;
    expect(check([full], { metrics: { ...quiet, generationTokens: own + 1 } })).toEqual([]);
    expect(check([full], { metrics: { ...quiet, generationTokens: 2 * own + 10 } })).toEqual([
      "foreign-traffic",
    ]);
    const spec = { verifySteps: 2, draftTokens: 8, acceptedTokens: 4, acceptedPerPosition: null };
    const drafting = { ...full, acceptance: spec };
    expect(check([drafting], { metrics: { ...quiet, spec } })).toEqual([]);
    expect(check([drafting], { metrics: { ...quiet, spec: { ...spec, draftTokens: 9 } } })).toEqual([
      "foreign-traffic",
    ]);
    expect(check([full], { metrics: quiet, runningAfter: 1 })).toEqual(["server-busy"]);

    expect(check([full], { metricsProblem: "404" })).toEqual(["metrics-absent"]);
    expect(check([full], { metricsProblem: "404", metricsNamed: true })).toEqual(["metrics-unreadable"]);
  });
});
