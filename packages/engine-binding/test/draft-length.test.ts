import { describe, expect, it } from "vitest";
import { AcceptanceEstimate, AdaptiveDraftLength, bestDraftLength } from "../src/speculation/draft-length.ts";
import { CostCurve, type StepCosts } from "../src/speculation/step-costs.ts";

const costs = (verify: Record<number, number>, draft: number | null): StepCosts => {
  const curve = (of: Record<number, number>) =>
    new CostCurve(Object.entries(of).map(([tokens, seconds]) => ({ tokens: Number(tokens), seconds })));
  return { verify: curve(verify), draft: draft === null ? null : curve({ 1: draft }) };
};
/** Verifying is nearly free, as on a machine that waits for memory. */
const FLAT = costs({ 1: 1, 16: 1.1 }, 0.05);
/** Every verified token costs as much as a step, as on a small CPU. */
const STEEP = costs({ 1: 1, 2: 2 }, 0.2);
const one = (acceptance: number, most = 5) => [{ acceptance, most }];
const many = (count: number, acceptance: number) =>
  Array.from({ length: count }, () => ({ acceptance, most: 5 }));

describe("bestDraftLength", () => {
  it("drafts all that may be drafted where it is cheap and holds", () => {
    expect(bestDraftLength(FLAT, one(0.95), 5)).toBe(5);
    expect(bestDraftLength(FLAT, one(0.95, 3), 5)).toBe(3);
    expect(bestDraftLength(FLAT, one(0.95), 2)).toBe(2);
  });

  it("drafts less where less holds, and nothing where it never pays", () => {
    expect(bestDraftLength(FLAT, one(0.3), 5)).toBeLessThan(4);
    expect(bestDraftLength(FLAT, one(0), 5)).toBe(0);
    expect(bestDraftLength(STEEP, one(0.99), 5)).toBe(0);
  });

  it("weighs tokens against time", () => {
    // with one draft 1.5 tokens cost 1.5, without one token costs 1: it must pay a little more than that
    expect(bestDraftLength(costs({ 1: 1, 2: 1.4 }, 0.1), one(0.5), 1)).toBe(0);
    expect(bestDraftLength(costs({ 1: 1, 2: 1.3 }, 0.1), one(0.5), 1)).toBe(1);
    // without a draft model, a draft is only verified
    expect(bestDraftLength(costs({ 1: 1, 2: 1.4 }, null), one(0.5), 1)).toBe(1);
  });

  it("counts what the requests of a step share", () => {
    // a second token costs half a step, tokens beyond it a whole one each: what pays for one request does not for two
    const bent = costs({ 1: 1, 2: 1.5, 4: 4 }, 0);
    expect(bestDraftLength(bent, many(1, 0.9), 1)).toBe(1);
    expect(bestDraftLength(bent, many(2, 0.9), 1)).toBe(0);
    // and the other way round where a batch is what costs
    const batch = costs({ 1: 1, 2: 3, 16: 3.1 }, 0);
    expect(bestDraftLength(batch, many(1, 0.9), 1)).toBe(0);
    expect(bestDraftLength(batch, many(4, 0.9), 1)).toBe(1);
  });

  it("drafts for those that may, and counts those that may not", () => {
    expect(bestDraftLength(FLAT, [...one(0.95), ...one(0.95, 0)], 5)).toBe(5);
    expect(bestDraftLength(FLAT, one(0.95, 0), 5)).toBe(0);
    expect(bestDraftLength(FLAT, [], 5)).toBe(0);
  });

  it("counts that requests with fewer drafts are evaluated apart", () => {
    // each evaluation costs 1, however many tokens it has: a second one must bring as much as the first
    expect(bestDraftLength(costs({ 1: 1, 16: 1 }, 0), [...one(0.9), ...one(0.9)], 1)).toBe(1);
    expect(bestDraftLength(costs({ 1: 1, 16: 1 }, 0), [...one(0.9), ...one(0.9, 0)], 1)).toBe(0);
  });
});

describe("AcceptanceEstimate", () => {
  it("follows what is accepted, in both directions", () => {
    const estimate = new AcceptanceEstimate();
    expect(estimate.value).toBeGreaterThan(0.9);
    for (let step = 0; step < 100; step++) estimate.add(5, 0);
    expect(estimate.value).toBeLessThan(0.1);
    for (let step = 0; step < 40; step++) estimate.add(5, 5);
    expect(estimate.value).toBeGreaterThan(0.9);
  });

  it("counts the first rejected token as decided, and those after it not", () => {
    const [a, b] = [new AcceptanceEstimate(), new AcceptanceEstimate()];
    a.add(2, 1);
    b.add(5, 1);
    expect(a.value).toBe(b.value);
    b.add(0, 0);
    expect(a.value).toBe(b.value);
  });
});

describe("AdaptiveDraftLength", () => {
  it("drafts what promises most", () => {
    expect(new AdaptiveDraftLength(FLAT, 5).choose(many(3, 0.95))).toBe(5);
  });

  it("tries again where drafting does not pay, ever more seldom, and anew after a reset", () => {
    const adaptive = new AdaptiveDraftLength(STEEP, 5);
    const tries = (steps: number) =>
      Array.from({ length: steps }, (_, step) => ({ step: step + 1, length: adaptive.choose(one(0.99)) }))
        .filter(({ length }) => length > 0)
        .map(({ step, length }) => [step, length]);
    expect(tries(300)).toEqual([
      [32, 5],
      [96, 5],
      [224, 5],
    ]);
    adaptive.reset();
    expect(tries(40)).toEqual([[32, 5]]);
  });

  it("begins a request with what was seen of those before it, and with hope after a reset", () => {
    const adaptive = new AdaptiveDraftLength(costs({ 1: 1, 6: 2 }, 0.1), 5);
    expect(adaptive.begin().value).toBeGreaterThan(0.9);
    expect(adaptive.pays({ acceptance: adaptive.begin().value, most: 5 })).toBe(true);
    for (let step = 0; step < 100; step++) adaptive.add(5, 0);
    const { value } = adaptive.begin();
    expect(value).toBeLessThan(0.2);
    expect(adaptive.pays({ acceptance: value, most: 5 })).toBe(false);
    // one step that was right all along is enough to go on drafting for the request it was seen of
    const request = adaptive.begin();
    request.add(5, 5);
    expect(adaptive.pays({ acceptance: request.value, most: 5 })).toBe(true);
    adaptive.reset();
    expect(adaptive.begin().value).toBeGreaterThan(0.9);
  });

  it("does not count steps in which nothing may be drafted", () => {
    const adaptive = new AdaptiveDraftLength(STEEP, 5);
    for (let step = 0; step < 100; step++) expect(adaptive.choose(one(0.99, 0))).toBe(0);
    for (let step = 1; step < 32; step++) expect(adaptive.choose(one(0.99))).toBe(0);
    expect(adaptive.choose(one(0.99))).toBe(5);
  });
});
