import { describe, expect, it } from "vitest";
import { countAccepted, draftLength, SpeculationTally } from "../src/speculation/acceptance.ts";

describe("countAccepted", () => {
  it("counts the drafts that equal the target's tokens, up to the first that does not", () => {
    expect(countAccepted([1, 2, 3], [1, 2, 3, 4])).toBe(3);
    expect(countAccepted([1, 2, 3], [1, 9, 3, 4])).toBe(1);
    expect(countAccepted([1, 2, 3], [7, 2, 3, 4])).toBe(0);
    expect(countAccepted([], [5])).toBe(0);
  });
});

describe("draftLength", () => {
  it("drafts no more than can be used beside the target's own token", () => {
    expect(draftLength(5, 100, 0)).toBe(5);
    expect(draftLength(5, 10, 6)).toBe(3);
    expect(draftLength(5, 10, 9)).toBe(0);
    expect(draftLength(0, 10, 0)).toBe(0);
  });
});

describe("SpeculationTally", () => {
  it("counts steps, drafts and acceptance by position", () => {
    const tally = new SpeculationTally(3);
    tally.add(3, 3);
    tally.add(3, 1);
    tally.add(2, 0);
    expect(tally.snapshot()).toEqual({
      verifySteps: 3,
      draftTokens: 8,
      acceptedTokens: 4,
      acceptedPerPosition: [2, 1, 1],
    });
  });

  it("does not count a step without drafts", () => {
    const tally = new SpeculationTally(2);
    tally.add(0, 0);
    expect(tally.empty).toBe(true);
    expect(tally.snapshot().verifySteps).toBe(0);
  });

  it("refuses counts that cannot be", () => {
    const tally = new SpeculationTally(2);
    expect(() => tally.add(1, 2)).toThrow(RangeError);
    expect(() => tally.add(3, 1)).toThrow(RangeError);
  });
});
