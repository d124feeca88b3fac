import { describe, expect, it } from "vitest";
import { CostCurve, verifyTokenCounts } from "../src/speculation/step-costs.ts";

describe("CostCurve", () => {
  const curve = new CostCurve([
    { tokens: 8, seconds: 6 },
    { tokens: 2, seconds: 3 },
    { tokens: 4, seconds: 2 },
  ]);

  it("gives what was measured, straight lines between, and goes on beyond", () => {
    expect(curve.at(2)).toBe(3);
    expect(curve.at(6)).toBe(4.5);
    expect(curve.at(8)).toBe(6);
    expect(curve.at(16)).toBe(12);
  });

  it("does not let more tokens cost less", () => {
    expect(curve.at(4)).toBe(3);
  });

  it("counts fewer tokens than were measured as the fewest, and none as nothing", () => {
    expect(curve.at(1)).toBe(3);
    expect(curve.at(0)).toBe(0);
    expect(new CostCurve([{ tokens: 2, seconds: 1 }]).at(6)).toBe(3);
  });
});

describe("verifyTokenCounts", () => {
  it("covers a step of one request densely and of many by doubling", () => {
    expect(verifyTokenCounts(1, 5)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(verifyTokenCounts(8, 5)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 16, 32, 48]);
    expect(verifyTokenCounts(1, 0)).toEqual([1]);
    expect(verifyTokenCounts(4, 0)).toEqual([1, 2, 3, 4]);
  });
});
