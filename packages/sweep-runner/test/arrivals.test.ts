import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  constantArrivals,
  gammaArrivals,
  poissonArrivals,
  rampArrivals,
  rampCount,
  traceArrivals,
} from "../src/load/arrivals.ts";
import { askedRequests, planLoad } from "../src/load/load-plan.ts";
import { createRng } from "../src/rng.ts";
import { config } from "./support/config.ts";

const S = 1e9;
const many = { count: 20_000, untilNs: null };

function gapsOf(times: Float64Array): number[] {
  return [...times].slice(1).map((at, index) => at - (times[index] ?? 0));
}

function momentsOf(gaps: readonly number[]): { mean: number; cv: number } {
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const variance = gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length;
  return { mean, cv: Math.sqrt(variance) / mean };
}

describe("arrivals", () => {
  it("constant ones never drift: arrival i is at i / rate", () => {
    const times = constantArrivals(3, { count: 30_001, untilNs: null });
    expect(times[0]).toBe(0);
    expect(times[30_000]).toBe(10_000 * S);
  });

  it("Poisson gaps have mean 1 / rate and variation 1, and the share of an exponential above its mean", () => {
    const gaps = gapsOf(poissonArrivals(50, createRng(7), many));
    const { mean, cv } = momentsOf(gaps);
    expect(mean / (S / 50)).toBeCloseTo(1, 1);
    expect(cv).toBeCloseTo(1, 1);
    expect(gaps.filter((gap) => gap > S / 50).length / gaps.length).toBeCloseTo(Math.exp(-1), 1);
  });

  it.each([0.25, 0.5, 1, 4, 25])(
    "gamma gaps of burstiness %d keep the rate; variation is 1 / sqrt of it",
    (shape) => {
      const { mean, cv } = momentsOf(gapsOf(gammaArrivals(50, shape, createRng(3), many)));
      expect(mean / (S / 50)).toBeGreaterThan(0.95);
      expect(mean / (S / 50)).toBeLessThan(1.05);
      expect(cv * Math.sqrt(shape)).toBeGreaterThan(0.94);
      expect(cv * Math.sqrt(shape)).toBeLessThan(1.06);
    },
  );

  it("one seed gives one schedule, another seed another", () => {
    const times = (seed: number): number[] => [
      ...poissonArrivals(10, createRng(seed), { count: 50, untilNs: null }),
    ];
    expect(times(1)).toEqual(times(1));
    expect(times(1)).not.toEqual(times(2));
  });

  it("a ramp reaches its rates: the count in any part of it is the integral of the rate", () => {
    const ramps = fc.record({
      fromRate: fc.double({ min: 1, max: 200, noNaN: true }),
      toRate: fc.double({ min: 1, max: 200, noNaN: true }),
      shape: fc.constantFrom("linear" as const, "exponential" as const),
      durationNs: fc.constantFrom(5 * S, 20 * S),
    });
    fc.assert(
      fc.property(ramps, (ramp) => {
        const whole = rampCount(ramp);
        const times = rampArrivals(ramp, { count: 10_000, untilNs: ramp.durationNs });
        expect(Math.abs(times.length - whole)).toBeLessThanOrEqual(1.5);
        expect([...times]).toEqual([...times].sort((a, b) => a - b));
        const first = times.filter((at) => at < ramp.durationNs / 100).length;
        expect(Math.abs(first - (ramp.fromRate * ramp.durationNs) / 100 / S)).toBeLessThanOrEqual(
          2 + Math.abs(ramp.toRate - ramp.fromRate) / 10,
        );
      }),
    );
  });

  it("a ramp between rates that hardly differ is a constant rate", () => {
    const ramp = {
      fromRate: 199.99999999994952,
      toRate: 199.99999999996828,
      shape: "exponential" as const,
      durationNs: 20 * S,
    };
    expect(rampCount(ramp)).toBeCloseTo(4000, 6);
    expect(rampArrivals(ramp, { count: 10_000, untilNs: ramp.durationNs }).length).toBeCloseTo(4000, -1);
  });

  it("a trace is replayed from its first request on, at its speed", () => {
    const times = traceArrivals([5000, 5250, 5100, 9000], 2, { count: 3, untilNs: null });
    expect([...times]).toEqual([0, 50e6, 125e6]);
  });
});

describe("the plan of a load", () => {
  const single = (count: number) => ({ jobSizes: Array.from({ length: count }, () => 1), traceMs: null });

  it("asks for what comes due within its duration", () => {
    const plan = planLoad(
      config("http://127.0.0.1:1", { numPrompts: 100, load: { kind: "constant", rate: 10, durationS: 2 } }),
      single(100),
    );
    expect(askedRequests(plan)).toBe(20);
    expect(plan.lanes).toBeNull();
    const closed = planLoad(config("http://127.0.0.1:1", { load: { durationS: 2 } }), single(4));
    expect(askedRequests(closed)).toBeNull();
  });

  it("gives every repetition arrivals of its own, from one seed", () => {
    const poisson = config("http://127.0.0.1:1", { numPrompts: 5, load: { kind: "poisson", rate: 10 } });
    const due = (repetition: number) => [...(planLoad(poisson, { ...single(5), repetition }).dueNs ?? [])];
    expect(due(0)).toEqual(due(0));
    expect(due(0)).not.toEqual(due(1));
  });

  it("counts the turns of a conversation as one job", () => {
    const plan = planLoad(config("http://127.0.0.1:1", { load: { kind: "constant", rate: 1 } }), {
      jobSizes: [3, 1, 2],
      traceMs: null,
    });
    expect([...plan.jobStarts]).toEqual([0, 3, 4, 6]);
    expect(plan.dueNs).toHaveLength(3);
    expect(askedRequests(plan)).toBe(6);
  });
});
