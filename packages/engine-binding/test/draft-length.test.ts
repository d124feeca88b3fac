import { describe, expect, it } from "vitest";
import { AdaptiveDraftLength, bestDraftLength } from "../src/speculation/draft-length.ts";

/** Verifying is free up to 5 drafts, as on a machine that waits for memory. */
const FLAT = { verify: [1, 1, 1, 1, 1, 1], draft: 0.05 };
/** Every verified token costs as much as a step, as on a small CPU. */
const STEEP = { verify: [1, 2, 3, 4, 5, 6], draft: 0.2 };

describe("bestDraftLength", () => {
  it("drafts all that may be drafted where it is cheap and holds", () => {
    expect(bestDraftLength(FLAT, 0.95, 5)).toBe(5);
    expect(bestDraftLength(FLAT, 0.95, 3)).toBe(3);
  });

  it("drafts less where less holds, and nothing where it never pays", () => {
    expect(bestDraftLength(FLAT, 0.3, 5)).toBeLessThan(4);
    expect(bestDraftLength(FLAT, 0, 5)).toBe(0);
    expect(bestDraftLength(STEEP, 0.99, 5)).toBe(0);
  });

  it("weighs tokens against time", () => {
    // with one draft 1.5 tokens cost 1.6, without one token costs 1
    expect(bestDraftLength({ verify: [1, 1.5], draft: 0.1 }, 0.5, 1)).toBe(0);
    expect(bestDraftLength({ verify: [1, 1.3], draft: 0.1 }, 0.5, 1)).toBe(1);
  });
});

describe("AdaptiveDraftLength", () => {
  it("follows what is accepted, in both directions", () => {
    const adaptive = new AdaptiveDraftLength(FLAT);
    for (let step = 0; step < 40; step++) adaptive.add(5, 5);
    expect(adaptive.acceptance).toBeGreaterThan(0.9);
    expect(adaptive.choose(5)).toBe(5);
    for (let step = 0; step < 100; step++) adaptive.add(5, 0);
    expect(adaptive.acceptance).toBeLessThan(0.1);
    expect(adaptive.choose(5)).toBeLessThan(2);
  });

  it("counts the first rejected token as decided, and those after it not", () => {
    const a = new AdaptiveDraftLength(FLAT);
    const b = new AdaptiveDraftLength(FLAT);
    a.add(2, 1);
    b.add(5, 1);
    expect(a.acceptance).toBe(b.acceptance);
  });

  it("tries again now and then where drafting does not pay", () => {
    const adaptive = new AdaptiveDraftLength(STEEP);
    const chosen = Array.from({ length: 64 }, () => adaptive.choose(5));
    expect(chosen.filter((length) => length === 1).length).toBe(2);
    expect(chosen.filter((length) => length === 0).length).toBe(62);
    expect(adaptive.choose(0)).toBe(0);
  });
});
