import { describe, expect, it } from "vitest";
import { promptLookup } from "../src/speculation/prompt-lookup.ts";

describe("promptLookup", () => {
  it("proposes what followed the last tokens where they stood before", () => {
    expect(promptLookup([1, 2, 3, 4, 5, 1, 2], 3)).toEqual([3, 4, 5]);
    expect(promptLookup([1, 2, 3, 4, 5, 1, 2], 2)).toEqual([3, 4]);
  });

  it("prefers the longest run, and the latest place among equals", () => {
    expect(promptLookup([7, 1, 2, 30, 9, 1, 2, 40, 7, 1, 2], 1)).toEqual([30]);
    expect(promptLookup([8, 1, 2, 30, 9, 1, 2, 40, 6, 1, 2], 1)).toEqual([40]);
  });

  it("proposes nothing after a run that is too short or new", () => {
    expect(promptLookup([1, 2, 3, 9, 2], 3)).toEqual([]);
    expect(promptLookup([1, 2, 3, 9, 2], 3, { longest: 3, shortest: 1 })).toEqual([3, 9, 2]);
    expect(promptLookup([1, 2, 3, 4], 3)).toEqual([]);
    expect(promptLookup([], 3)).toEqual([]);
    expect(promptLookup([1, 2, 1, 2], 0)).toEqual([]);
  });

  it("proposes at most what stands there", () => {
    expect(promptLookup([1, 2, 1, 2], 5)).toEqual([1, 2]);
    expect(promptLookup([3, 3, 3, 3], 5)).toEqual([3]);
  });
});
