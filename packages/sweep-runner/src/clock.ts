/** The one monotonic clock of a process, ns. Injected, so that schedules and figures can be tested in virtual time. */
export interface Clock {
  now(): bigint;
}

/** `process.hrtime.bigint()`: the clock that engines stamp their tokens with too. */
export const monotonicClock: Clock = { now: () => process.hrtime.bigint() };

/** Offsets from the start of a run. They fit a safe integer for 104 days. */
export interface Timeline {
  /** Now, ns since the start. */
  now(): number;
  /** A time of the same clock as ns since the start. */
  at(clockNs: bigint): number;
}

/** Starts a timeline now. */
export function startTimeline(clock: Clock): Timeline {
  const start = clock.now();
  return {
    now: () => Number(clock.now() - start),
    at: (clockNs) => Number(clockNs - start),
  };
}
