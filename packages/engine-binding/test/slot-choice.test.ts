import { describe, expect, it } from "vitest";
import { chooseSlot, commonPrefixLength } from "../src/slot-choice.ts";

describe("commonPrefixLength", () => {
  it("counts equal tokens from the beginning", () => {
    expect(commonPrefixLength([1, 2, 3], [1, 2, 4])).toBe(2);
    expect(commonPrefixLength([1, 2], [1, 2, 3])).toBe(2);
    expect(commonPrefixLength([], [1])).toBe(0);
    expect(commonPrefixLength([2], [1])).toBe(0);
  });
});

describe("chooseSlot", () => {
  const a = { history: [1, 2, 3], lastUsed: 3, salt: null };
  const b = { history: [1, 2, 3, 4], lastUsed: 2, salt: null };
  const c = { history: [9], lastUsed: 1, salt: null };

  it("takes the slot that can reuse most", () => {
    expect(chooseSlot([a, b, c], [1, 2, 3, 4, 5], null)).toEqual({ slot: b, common: 4 });
    expect(chooseSlot([a, b, c], [9, 9], null)).toEqual({ slot: c, common: 1 });
  });

  it("takes the one unused for longest when several reuse as much", () => {
    expect(chooseSlot([a, b, c], [1, 2, 3], null)?.slot).toBe(b);
    expect(chooseSlot([a, b, c], [7], null)?.slot).toBe(c);
  });

  it("reuses nothing that another salt left", () => {
    const salted = { history: [1, 2, 3, 4, 5], lastUsed: 4, salt: "mine" };
    expect(chooseSlot([a, salted], [1, 2, 3, 4, 5], null)).toEqual({ slot: a, common: 3 });
    expect(chooseSlot([a, salted], [1, 2, 3, 4, 5], "mine")).toEqual({ slot: salted, common: 5 });
    expect(chooseSlot([salted, a], [1, 2], "other")).toEqual({ slot: a, common: 0 });
  });

  it("gives null when none is free", () => {
    expect(chooseSlot([], [1], null)).toBeNull();
  });
});
