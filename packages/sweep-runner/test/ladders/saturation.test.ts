import { assert, asyncProperty, integer } from "fast-check";
import { describe, expect, it } from "vitest";
import { searchSaturation } from "../../src/ladders/saturation.ts";

const search = (edge: number, options: { from?: number; to?: number; isWhole?: boolean } = {}) =>
  searchSaturation({
    integer: options.isWhole ?? true,
    from: options.from ?? 1,
    to: options.to ?? 256,
    tolerance: options.isWhole === false ? 0.05 : 0,
    trials: 1,
    measure: async (value) => value <= edge,
  });

describe("the largest load that meets the service levels", () => {
  it("is found by doubling and bisection", async () => {
    const { largest, smallestMiss, trials } = await search(11);
    expect([largest, smallestMiss]).toEqual([11, 12]);
    expect(trials.map(({ value }) => value)).toEqual([1, 2, 4, 8, 16, 12, 10, 11]);
  });

  it("is null where the lowest load misses, and the limit where all loads hold", async () => {
    expect(await search(0)).toMatchObject({ largest: null, smallestMiss: 1 });
    expect(await search(1000)).toMatchObject({ largest: 256, smallestMiss: null });
  });

  it("is right to the tolerance for rates", async () => {
    const { largest, smallestMiss } = await search(3.7, { isWhole: false, from: 0.5, to: 64 });
    expect(largest).toBeLessThanOrEqual(3.7);
    expect(smallestMiss).toBeGreaterThan(3.7);
    expect((smallestMiss ?? 0) - (largest ?? 0)).toBeLessThanOrEqual(0.05 * (largest ?? 0));
  });

  it("is exact for whole numbers, whatever the edge", async () => {
    await assert(
      asyncProperty(integer({ min: 1, max: 200 }), async (edge) => {
        expect((await search(edge)).largest).toBe(edge);
      }),
    );
  });

  it("goes by the majority of the trials, and takes no more of them than it needs", async () => {
    const answers = [true, false, true, false, false];
    const result = await searchSaturation({
      integer: true,
      from: 1,
      to: 4,
      measure: async () => answers.shift() ?? false,
    });
    expect(result.trials).toEqual([
      { value: 1, met: 2, of: 3, holds: true },
      { value: 2, met: 0, of: 2, holds: false },
    ]);
  });

  it("stops where it is told to", async () => {
    const stop = new AbortController();
    const result = await searchSaturation({
      integer: true,
      from: 1,
      to: 64,
      trials: 1,
      signal: stop.signal,
      measure: async (value) => {
        if (value === 4) stop.abort();
        return true;
      },
    });
    expect(result.trials.map(({ value }) => value)).toEqual([1, 2, 4]);
  });
});
