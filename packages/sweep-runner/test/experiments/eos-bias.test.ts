import { assert, array, integer, property, record as recordOf } from "fast-check";
import { describe, expect, it } from "vitest";
import { eosBias, type EosPair } from "../../src/experiments/eos-bias.ts";
import { splitAtEos } from "../../src/experiments/eos-split.ts";
import { estimateDifference, estimateRatio } from "../../src/experiments/paired-ratio.ts";
import { pairByPrompt } from "../../src/experiments/measure-eos-bias.ts";
import { chunksAt, record } from "../support/records.ts";

const eos = { raw: "stop", reason: "eos" } as const;
const length = { raw: "length", reason: "length" } as const;
const counts = (verifySteps: number, draftTokens: number, acceptedTokens: number) => ({
  verifySteps,
  draftTokens,
  acceptedTokens,
  acceptedPerPosition: null,
});

describe("an output that went on past its EOS", () => {
  it("is parted at the step that gave EOS, the first token left out", () => {
    // Steps of 1, 3, 2 | 4, 4 tokens; EOS is the token with index 5, the last of the third step.
    const forced = record({
      finish: length,
      outputTokens: 14,
      firstEosIndex: 5,
      chunks: chunksAt([0, 1], [10, 3], [20, 2], [40, 4], [60, 4]),
    });
    expect(splitAtEos(forced)).toEqual({
      before: { steps: 2, tokens: 5, seconds: 0.02 },
      after: { steps: 2, tokens: 8, seconds: 0.04 },
    });
  });

  it("has the whole step before where EOS is in the middle of it", () => {
    const forced = record({ finish: length, firstEosIndex: 2, chunks: chunksAt([0, 1], [10, 5], [20, 1]) });
    expect(splitAtEos(forced)).toMatchObject({ before: { tokens: 5 }, after: { tokens: 1 } });
  });

  it("tells nothing without its EOS, without tokens per chunk, and where it ended there", () => {
    expect(splitAtEos(record({ chunks: chunksAt([0, 1], [1, 1]) }))).toBeNull();
    expect(splitAtEos(record({ firstEosIndex: 0, chunks: chunksAt([0, null], [1, null]) }))).toBeNull();
    expect(
      splitAtEos(record({ finish: length, firstEosIndex: 3, chunks: chunksAt([0, 1], [1, 3]) })),
    ).toBeNull();
  });
});

/** One prompt whose drafts are accepted at 40 % before EOS and at 80 % after it. */
function pair(index: number, changes: { readonly firstEosIndex?: number } = {}): EosPair {
  return {
    promptId: `p${index}`,
    honoured: record({
      finish: eos,
      outputTokens: 31,
      firstEosIndex: 30,
      acceptance: counts(10, 50, 20),
      chunks: chunksAt([0, 1], [100, 15], [200, 15]),
    }),
    forced: record({
      finish: length,
      outputTokens: 81,
      firstEosIndex: changes.firstEosIndex ?? 30,
      acceptance: counts(20, 100, 60),
      chunks: chunksAt([0, 1], [100, 15], [200, 15], [240, 25], [280, 25]),
    }),
  };
}

describe("the bias of forced length", () => {
  const pairs = Array.from({ length: 8 }, (_, index) => pair(index));

  it("tells acceptance before the natural end and after it, and their difference", () => {
    const { paired, exact, reported, ended, capped, parted } = eosBias(pairs);
    expect({ ended, capped, parted }).toEqual({ ended: 8, capped: 0, parted: 0 });
    expect(paired?.acceptanceRate?.before?.value).toBeCloseTo(0.4);
    expect(paired?.acceptanceRate?.after?.value).toBeCloseTo(0.8);
    expect(paired?.acceptanceRate?.difference?.value).toBeCloseTo(0.4);
    expect(paired?.tokensPerStep?.before?.value).toBeCloseTo(3);
    expect(paired?.tokensPerStep?.after?.value).toBeCloseTo(5);
    // 30 tokens in 200 ms, then 50 in 80 ms: the same by both ways.
    expect(paired?.decodeTokensPerS.before?.value).toBeCloseTo(150);
    expect(paired?.decodeTokensPerS.after?.value).toBeCloseTo(625);
    expect(exact?.decodeTokensPerS.before?.value).toBeCloseTo(150);
    expect(exact?.decodeTokensPerS.after?.value).toBeCloseTo(625);
    expect(exact?.tokensPerStep?.after?.value).toBeCloseTo(25);
    // A report of the forced run alone would say 60 %.
    expect(reported.honoured?.value).toBeCloseTo(0.4);
    expect(reported.forced?.value).toBeCloseTo(0.6);
    expect(reported.difference?.ci?.[0]).toBeCloseTo(0.2);
  });

  it("leaves out prompts that reached the cap, failed, or became another text", () => {
    const capped = { ...pair(9), honoured: record({ finish: length, outputTokens: 81 }) };
    const failed = { ...pair(10), forced: record({ state: "failed" }) };
    const parted = pair(11, { firstEosIndex: 12 });
    const result = eosBias([...pairs, capped, failed, parted]);
    expect(result).toMatchObject({ pairs: 11, ended: 9, capped: 1, parted: 1, failed: 1 });
    expect(result.paired?.prompts).toBe(8);
  });

  it("goes by the texts where EOS is not seen", () => {
    const hidden = (text: string): EosPair => {
      const { promptId, honoured, forced } = pair(0);
      return {
        promptId,
        honoured: { ...honoured, firstEosIndex: null, text: "one two" },
        forced: { ...forced, firstEosIndex: null, text },
      };
    };
    expect(eosBias([hidden("one two three")]).parted).toBe(0);
    expect(eosBias([hidden("one too many")]).parted).toBe(1);
    // Without EOS nothing is exact.
    expect(eosBias([hidden("one two three")]).exact).toBeNull();
  });

  it("has no figures of drafting where nothing drafts, and none at all of nothing", () => {
    const plain = pairs.map(({ promptId, honoured, forced }) => ({
      promptId,
      honoured: { ...honoured, acceptance: null },
      forced: { ...forced, acceptance: null },
    }));
    const { paired, reported } = eosBias(plain);
    expect(paired?.acceptanceRate).toBeNull();
    expect(paired?.decodeTokensPerS.before?.value).toBeCloseTo(150);
    expect(reported.difference).toBeNull();
    expect(eosBias([])).toMatchObject({ pairs: 0, exact: null, paired: null });
  });

  it("pairs requests by their prompt", () => {
    const [a, b, c] = ["a", "b", "c"].map((promptId) => record({ promptId }));
    if (a === undefined || b === undefined || c === undefined) throw new Error("three records were made");
    expect(pairByPrompt([a, b], [c, b]).map(({ promptId }) => promptId)).toEqual(["b"]);
  });
});

describe("ratios over prompts", () => {
  const parts = array(
    recordOf({ numerator: integer({ min: 0, max: 100 }), denominator: integer({ min: 1, max: 100 }) }),
    { minLength: 5, maxLength: 20 },
  );

  it("lie in their interval, which is the same for a seed", () => {
    assert(
      property(parts, (list) => {
        const estimate = estimateRatio(list, 3);
        const [low, high] = estimate?.ci ?? [NaN, NaN];
        const ratios = list.map(({ numerator, denominator }) => numerator / denominator);
        expect(low).toBeGreaterThanOrEqual(Math.min(...ratios) - 1e-9);
        expect(high).toBeLessThanOrEqual(Math.max(...ratios) + 1e-9);
        expect(estimateRatio(list, 3)).toEqual(estimate);
      }),
      { numRuns: 15 },
    );
  });

  it("differ by nothing from themselves: what is common to a prompt cancels", () => {
    assert(
      property(parts, (list) => {
        expect(estimateDifference(list, list, 1)).toEqual({ value: 0, ci: [0, 0] });
      }),
      { numRuns: 15 },
    );
  });

  it("have no interval over a handful of prompts, and no value over nothing", () => {
    expect(estimateRatio([{ numerator: 1, denominator: 2 }], 1)).toEqual({ value: 0.5, ci: null });
    expect(estimateRatio([], 1)).toBeNull();
    expect(() => estimateDifference([], [{ numerator: 1, denominator: 2 }], 1)).toThrow(
      /as many on both sides/,
    );
  });
});
