import type { BenchConfig } from "@onpar/bench-config";
import { createRng } from "../rng.ts";
import {
  burstArrivals,
  constantArrivals,
  gammaArrivals,
  poissonArrivals,
  rampArrivals,
  traceArrivals,
  type ArrivalBounds,
} from "./arrivals.ts";

/** When the requests of one phase go out, for all workers together. Plain data. */
export interface LoadPlan {
  /** First request of each job, and at the end their number: a job is one request, or the turns of one conversation. */
  readonly jobStarts: Uint32Array;
  /** When each job is due, ns since the start of the load; null in a closed loop. Jobs beyond it never come due. */
  readonly dueNs: Float64Array | null;
  /** Most jobs in flight; null has no limit. */
  readonly lanes: number | null;
  readonly gates: LaneGates | null;
  /** Nothing is sent after this, ns since the start of the load. */
  readonly untilNs: number | null;
  /** Pause before every further turn of a conversation. */
  readonly turnDelayNs: number;
  /** A start that is late by more is dropped. */
  readonly lateLimitNs: number;
  /** All connections are open before the load starts. */
  readonly startTogether: boolean;
}

/** When each lane opens and closes under a ramp of concurrency. */
export interface LaneGates {
  /** `ns` since the start of the load, or `jobs` that were taken. */
  readonly unit: "ns" | "jobs";
  readonly opensAt: Float64Array;
  readonly closesAt: Float64Array;
}

/** Draws of arrivals share nothing with those of prompts. */
const ARRIVALS_STREAM = 0x617272;

/** What a plan needs to know about the requests. */
export interface LoadRequests {
  /** Requests of each job in order: 1, or the turns of a conversation. */
  readonly jobSizes: readonly number[];
  /** When each job was sent in the trace, ms; only for a trace. */
  readonly traceMs: readonly number[] | null;
  /** Of several measurements, which one this is: each draws its own arrivals. */
  readonly repetition?: number;
}

/** The plan of the measured phase. Pure: the same configuration gives the same starts. */
export function planLoad(config: BenchConfig, requests: LoadRequests): LoadPlan {
  const { load, concurrency, dataset, requestTimeoutMs } = config;
  const jobs = requests.jobSizes.length;
  const untilNs = load.durationS === null ? null : Math.round(load.durationS * 1e9);
  const { fromConcurrency, toConcurrency } = load.ramp;
  const common = {
    jobStarts: startsOf(requests.jobSizes),
    untilNs,
    turnDelayNs: dataset.turnDelayMs * 1e6,
    lateLimitNs: requestTimeoutMs * 1e6,
    startTogether: load.startTogether,
  };
  if (load.kind === "ramp" && fromConcurrency !== null && toConcurrency !== null) {
    const gates = laneGates(fromConcurrency, toConcurrency, load.ramp.shape, {
      unit: untilNs === null ? "jobs" : "ns",
      length: untilNs ?? jobs,
    });
    return { ...common, dueNs: null, lanes: Math.max(fromConcurrency, toConcurrency), gates };
  }
  const dueNs = arrivalsOf(config, requests, { count: jobs, untilNs });
  return { ...common, dueNs, lanes: dueNs === null ? concurrency : load.maxInFlight, gates: null };
}

/** A closed loop over requests that stand alone: warm-up, and whatever has no load of its own. */
export function planClosedLoop(requests: number, concurrency: number): LoadPlan {
  return {
    jobStarts: startsOf(Array.from({ length: requests }, () => 1)),
    dueNs: null,
    lanes: concurrency,
    gates: null,
    untilNs: null,
    turnDelayNs: 0,
    lateLimitNs: Infinity,
    startTogether: false,
  };
}

/** Requests that a plan asks for; null when time decides it in a closed loop. */
export function askedRequests(plan: LoadPlan): number | null {
  if (plan.untilNs !== null && plan.dueNs === null) return null;
  const jobs = plan.dueNs?.length ?? plan.jobStarts.length - 1;
  return plan.jobStarts[jobs] ?? 0;
}

function arrivalsOf(
  { load, seed }: BenchConfig,
  { traceMs, repetition = 0 }: LoadRequests,
  bounds: ArrivalBounds,
): Float64Array | null {
  const { kind, rate, burstiness, ramp, traceSpeed } = load;
  const rng = createRng(seed, ARRIVALS_STREAM + repetition);
  switch (kind) {
    case "closed-loop":
      return null;
    case "constant":
      return constantArrivals(required(rate), bounds);
    case "poisson":
      return poissonArrivals(required(rate), rng, bounds);
    case "gamma":
      return gammaArrivals(required(rate), burstiness, rng, bounds);
    case "trace":
      return traceArrivals(traceMs ?? [], traceSpeed, bounds);
    case "ramp": {
      const fromRate = required(ramp.fromRate);
      const toRate = required(ramp.toRate);
      const durationNs = bounds.untilNs ?? rampDurationNs(fromRate, toRate, ramp.shape, bounds.count);
      return rampArrivals({ fromRate, toRate, shape: ramp.shape, durationNs }, bounds);
    }
    default:
      return burstArrivals(bounds);
  }
}

/** How long a ramp takes that ends with its last request. */
function rampDurationNs(
  fromRate: number,
  toRate: number,
  shape: "linear" | "exponential",
  count: number,
): number {
  const mean =
    shape === "linear" || fromRate === toRate
      ? (fromRate + toRate) / 2
      : (toRate - fromRate) / Math.log(toRate / fromRate);
  return (count / mean) * 1e9;
}

/** Lane k is open while the ramp, rounded, stands at k or more. */
export function laneGates(
  from: number,
  to: number,
  shape: "linear" | "exponential",
  progress: { readonly unit: LaneGates["unit"]; readonly length: number },
): LaneGates {
  const lanes = Math.max(from, to);
  const reached = (lane: number): number =>
    shape === "linear" ? (lane - from) / (to - from) : Math.log(lane / from) / Math.log(to / from);
  const opensAt = new Float64Array(lanes);
  const closesAt = new Float64Array(lanes).fill(Infinity);
  for (let index = 0; index < lanes; index++) {
    const lane = index + 1;
    if (to > from && lane > from) opensAt[index] = reached(lane - 0.5) * progress.length;
    if (to < from && lane > to) closesAt[index] = reached(lane - 0.5) * progress.length;
  }
  return { unit: progress.unit, opensAt, closesAt };
}

/** First request of each job, and at the end their number. */
export function startsOf(sizes: readonly number[]): Uint32Array {
  const starts = new Uint32Array(sizes.length + 1);
  for (const [index, size] of sizes.entries()) starts[index + 1] = (starts[index] ?? 0) + size;
  return starts;
}

/** The rules of a configuration see to it that a rate is there. */
function required(rate: number | null): number {
  if (rate === null) throw new TypeError("this kind of load needs a rate");
  return rate;
}
