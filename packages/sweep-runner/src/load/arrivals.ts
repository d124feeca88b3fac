import type { Rng } from "../rng.ts";
import { exponential, gamma } from "./variates.ts";

/**
 * Arrival times of an open loop: pure functions over a seeded generator, made as a whole before the first request goes out.
 * So there is one stream of draws however many workers send, and a start is due at an absolute time, never some time
 * after the one before it. Offsets in ns from the start of the load, ascending.
 */
export interface ArrivalBounds {
  /** Most arrivals. */
  readonly count: number;
  /** Only arrivals before this, ns; null has no bound. */
  readonly untilNs: number | null;
}

const NS_PER_S = 1e9;

/** One arrival every 1 / rate seconds, the first at once. */
export function constantArrivals(ratePerS: number, bounds: ArrivalBounds): Float64Array {
  return collect(bounds, (index) => Math.round((index * NS_PER_S) / ratePerS));
}

/** A Poisson process: independent exponential gaps with mean 1 / rate. */
export function poissonArrivals(ratePerS: number, rng: Rng, bounds: ArrivalBounds): Float64Array {
  let atS = 0;
  return collect(bounds, () => Math.round((atS += exponential(rng) / ratePerS) * NS_PER_S));
}

/**
 * Gamma-distributed gaps with mean 1 / rate and shape `burstiness`: 1 is Poisson, below 1 comes in bursts (coefficient of
 * variation 1 / sqrt(burstiness)), above 1 is more even.
 */
export function gammaArrivals(
  ratePerS: number,
  burstiness: number,
  rng: Rng,
  bounds: ArrivalBounds,
): Float64Array {
  let atS = 0;
  return collect(bounds, () => {
    atS += gamma(burstiness, rng) / (burstiness * ratePerS);
    return Math.round(atS * NS_PER_S);
  });
}

/** How a ramp goes over time. */
export interface RateRamp {
  readonly fromRate: number;
  readonly toRate: number;
  readonly shape: "linear" | "exponential";
  /** Time from the first rate to the last, ns; after it the last one is kept. */
  readonly durationNs: number;
}

/** Evenly spaced under a rate that changes over time: arrival i is where the integral of the rate reaches i. */
export function rampArrivals(ramp: RateRamp, bounds: ArrivalBounds): Float64Array {
  return collect(bounds, (index) => Math.round(rampTimeS(ramp, index) * NS_PER_S));
}

/** Requests that a ramp asks for until its end. */
export function rampCount({ fromRate, toRate, shape, durationNs }: RateRamp): number {
  const seconds = durationNs / NS_PER_S;
  if (shape === "linear" || fromRate === toRate) return ((fromRate + toRate) / 2) * seconds;
  return ((toRate - fromRate) * seconds) / logRatio(fromRate, toRate);
}

/** ln(to / from), exact also for rates that hardly differ, whose quotient would round to 1. */
function logRatio(fromRate: number, toRate: number): number {
  return Math.log1p((toRate - fromRate) / fromRate);
}

/** When the integral of the rate reaches `index`, s. */
function rampTimeS(ramp: RateRamp, index: number): number {
  const { fromRate, toRate, shape, durationNs } = ramp;
  const seconds = durationNs / NS_PER_S;
  const whole = rampCount(ramp);
  if (index > whole) return seconds + (index - whole) / toRate;
  if (fromRate === toRate) return index / fromRate;
  if (shape === "linear") {
    // fromRate t + slope t^2 / 2 = index, in the form that stays exact for a slope near 0.
    const slope = (toRate - fromRate) / seconds;
    return (2 * index) / (fromRate + Math.sqrt(Math.max(0, fromRate * fromRate + 2 * slope * index)));
  }
  const growth = logRatio(fromRate, toRate) / seconds;
  return Math.log1p((growth * index) / fromRate) / growth;
}

/**
 * Replays recorded times, `speed` times as fast. The first one is the start; times that run backwards are taken in order.
 *
 * @param timesMs recorded times, ms
 */
export function traceArrivals(
  timesMs: readonly number[],
  speed: number,
  bounds: ArrivalBounds,
): Float64Array {
  const sorted = Float64Array.from(timesMs).sort();
  const first = sorted[0] ?? 0;
  const count = Math.min(bounds.count, sorted.length);
  return collect({ ...bounds, count }, (index) =>
    Math.round((((sorted[index] ?? first) - first) * 1e6) / speed),
  );
}

/** All of them at once. */
export function burstArrivals(bounds: ArrivalBounds): Float64Array {
  return new Float64Array(bounds.count);
}

function collect({ count, untilNs }: ArrivalBounds, next: (index: number) => number): Float64Array {
  const times = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    const atNs = next(index);
    if (untilNs !== null && atNs >= untilNs) return times.slice(0, index);
    times[index] = atNs;
  }
  return times;
}
