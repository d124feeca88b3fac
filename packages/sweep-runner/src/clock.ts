/** The one monotonic clock of a process, ns. Injected, so that schedules and figures can be tested in virtual time. */
export interface Clock {
  now(): bigint;
}

/** `process.hrtime.bigint()`: the clock that engines stamp their tokens with too. */
export const monotonicClock: Clock = { now: () => process.hrtime.bigint() };

/** Offsets from the start of a run. They fit a safe integer for 104 days. */
export interface Timeline {
  /** The start, ns of the clock: with it another thread counts from the same moment. */
  readonly startNs: bigint;
  /** Now, ns since the start. */
  now(): number;
  /** A time of the same clock as ns since the start. */
  at(clockNs: bigint): number;
}

/** Starts a timeline now, or continues the one that began at `startNs` of the same clock. */
export function startTimeline(clock: Clock, startNs = clock.now()): Timeline {
  return {
    startNs,
    now: () => Number(clock.now() - startNs),
    at: (clockNs) => Number(clockNs - startNs),
  };
}
