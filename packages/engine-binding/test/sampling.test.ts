import { describe, expect, it } from "vitest";
import { PenaltyHistory } from "../src/llama/sampler-options.ts";
import { chooseToken } from "../src/sampling/choose-token.ts";
import { positionSeed, positionUniform } from "../src/sampling/position-seed.ts";
import { samplingSettings } from "../src/sampling/settings.ts";

describe("positionSeed", () => {
  it("is a 32-bit number that llama.cpp does not read as random", () => {
    for (const seed of [0, 1, -1, 2 ** 32 - 1, 2 ** 32, 2 ** 52 + 1, Number.MAX_SAFE_INTEGER]) {
      for (let position = 0; position < 200; position++) {
        const value = positionSeed(seed, position);
        expect(Number.isInteger(value) && value >= 0 && value < 2 ** 32 - 1).toBe(true);
      }
    }
  });

  it("differs at every position of a request, and between seeds", () => {
    const positions = Array.from({ length: 20_000 }, (_, position) => positionSeed(42, position));
    expect(new Set(positions).size).toBe(20_000);
    const seeds = Array.from({ length: 1000 }, (_, seed) => positionSeed(seed, 0));
    expect(new Set(seeds).size).toBe(1000);
    expect(positionSeed(7, 0)).not.toBe(positionSeed(7 + 2 ** 32, 0));
  });

  it("does not carry one seed's next position into another seed", () => {
    const next = new Set(Array.from({ length: 1000 }, (_, i) => positionSeed(1, i + 1)));
    const other = Array.from({ length: 1000 }, (_, i) => positionSeed(2, i));
    expect(other.filter((value) => next.has(value)).length).toBeLessThan(5);
  });
});

describe("positionUniform", () => {
  it("spreads evenly over [0, 1)", () => {
    const counts = Array.from({ length: 10 }, () => 0);
    for (let position = 0; position < 10_000; position++) {
      const value = positionUniform(3, position);
      const bin = Math.floor(value * 10);
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});

describe("samplingSettings", () => {
  it("is greedy unless a temperature is given, as vLLM reads tiny ones", () => {
    expect(samplingSettings({}).greedy).toBe(true);
    expect(samplingSettings({ temperature: 1e-6 })).toMatchObject({ greedy: true, temperature: 0 });
    expect(samplingSettings({ temperature: 0.01 }).greedy).toBe(false);
  });

  it("has vLLM's defaults, not llama.cpp's", () => {
    expect(samplingSettings({ temperature: 1, topK: -1 }, () => 5)).toEqual({
      greedy: false,
      temperature: 1,
      topP: 1,
      topK: 0,
      minP: 0,
      seed: 5,
      repetitionPenalty: 1,
      presencePenalty: 0,
      frequencyPenalty: 0,
    });
  });
});

describe("chooseToken", () => {
  const distribution: [number, number][] = [
    [10, 0.5],
    [11, 0.3],
    [12, 0.15],
    [13, 0.05],
  ];
  const sampled = samplingSettings({ temperature: 1, seed: 1 });
  const none = new Set<number>();

  it("takes the most probable token that is allowed when greedy", () => {
    const greedy = samplingSettings({});
    expect(chooseToken(distribution, none, greedy, 0.99)).toBe(10);
    expect(chooseToken(distribution, new Set([10]), greedy, 0.99)).toBe(11);
    expect(chooseToken(distribution, new Set([10, 11, 12, 13]), greedy, 0)).toBeNull();
  });

  it("draws by the probabilities that are left", () => {
    expect(chooseToken(distribution, none, sampled, 0.49)).toBe(10);
    expect(chooseToken(distribution, none, sampled, 0.51)).toBe(11);
    // without 10 the rest is 0.6, 0.3 and 0.1 of the whole
    expect(chooseToken(distribution, new Set([10]), sampled, 0.59)).toBe(11);
    expect(chooseToken(distribution, new Set([10]), sampled, 0.61)).toBe(12);
    expect(chooseToken(distribution, new Set([10]), sampled, 0.999_999)).toBe(13);
  });

  it("cuts by top-k, top-p and min-p after the ban", () => {
    const with_ = (options: object) => samplingSettings({ temperature: 1, seed: 1, ...options });
    expect(chooseToken(distribution, new Set([10]), with_({ topK: 1 }), 0.99)).toBe(11);
    expect(chooseToken(distribution, new Set([10]), with_({ topP: 0.5 }), 0.99)).toBe(11);
    expect(chooseToken(distribution, new Set([10]), with_({ topP: 0.7 }), 0.99)).toBe(12);
    expect(chooseToken(distribution, new Set([10]), with_({ minP: 0.4 }), 0.99)).toBe(12);
  });
});

describe("PenaltyHistory", () => {
  it("lets the repetition penalty see the prompt and the output", () => {
    const history = new PenaltyHistory(samplingSettings({ repetitionPenalty: 1.2 }), [1, 2, 1]);
    history.push([3]);
    expect(history.options([4], 2)).toMatchObject({ punishTokens: [1, 2, 3, 4], penalty: 1.2 });
  });

  it("lets presence and frequency penalties see the output only, with its counts", () => {
    const history = new PenaltyHistory(
      samplingSettings({ presencePenalty: 0.5, frequencyPenalty: 0.1 }),
      [1],
    );
    history.push([3, 3]);
    expect(history.options([], 1)).toMatchObject({
      punishTokens: [3, 3],
      presencePenalty: 0.5,
      frequencyPenalty: 0.1,
    });
  });

  it("is idle without penalties", () => {
    expect(new PenaltyHistory(samplingSettings({}), [1]).active).toBe(false);
  });
});
