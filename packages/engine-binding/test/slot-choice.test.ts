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
  const a = { history: [1, 2, 3], lastUsed: 3 };
  const b = { history: [1, 2, 3, 4], lastUsed: 2 };
  const c = { history: [9], lastUsed: 1 };

  it("takes the slot that can reuse most", () => {
    expect(chooseSlot([a, b, c], [1, 2, 3, 4, 5])).toEqual({ slot: b, common: 4 });
    expect(chooseSlot([a, b, c], [9, 9])).toEqual({ slot: c, common: 1 });
  });

  it("takes the one unused for longest when several reuse as much", () => {
    expect(chooseSlot([a, b, c], [1, 2, 3])?.slot).toBe(b);
    expect(chooseSlot([a, b, c], [7])?.slot).toBe(c);
  });

  it("gives null when none is free", () => {
    expect(chooseSlot([], [1])).toBeNull();
  });
});
