import { setTimeout as wait } from "node:timers/promises";

/** The time as a sampler sees it; injected, so that tests need not wait. */
export interface WatchClock {
  /** Wall clock, ms since 1970: what ticks are aligned to. */
  now(): number;
  /** Ends early, without an error, when the signal aborts. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
}

/** The clock of this machine. */
export const systemClock: WatchClock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    try {
      await wait(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      if (signal?.aborted !== true) throw error;
    }
  },
};

/** A tick of a grid that starts at 0 of the wall clock, so that samplers on several machines read at the same moments. */
export function nextTick(now: number, periodMs: number): number {
  return (Math.floor(now / periodMs) + 1) * periodMs;
}
