import { nextTick, systemClock, type WatchClock } from "./clock.ts";

/** When a sampler reads. */
export interface SamplerOptions {
  /** Between two readings, ms. */
  readonly periodMs: number;
  /** Readings in all; without it, until the signal. */
  readonly count?: number;
  readonly signal?: AbortSignal;
  readonly clock?: WatchClock;
}

/** One reading of a sampler. */
export interface Tick<T> {
  /** The moment it was meant for, ms since 1970; the first one is taken at once. */
  readonly scheduledMs: number;
  /** Moments that were let go since the reading before, because that one took too long. */
  readonly missed: number;
  readonly value: T;
}

/**
 * Reads at once and then at every whole multiple of the period. Two readings never overlap: a moment that passes while a reading
 * is still under way is let go and counted, and not made up for. Nothing is read after the end.
 */
export async function* sampleEvery<T>(
  read: () => Promise<T>,
  options: SamplerOptions,
): AsyncGenerator<Tick<T>, void, undefined> {
  const { periodMs, count = Number.POSITIVE_INFINITY, signal, clock = systemClock } = options;
  if (!(periodMs > 0)) throw new RangeError(`a period is longer than 0 ms, not ${periodMs}`);
  let scheduledMs = clock.now();
  let missed = 0;
  let taken = 0;
  while (taken < count) {
    if (signal?.aborted === true) return;
    yield { scheduledMs, missed, value: await read() };
    taken++;
    if (taken >= count) return;
    const now = clock.now();
    const expected = nextTick(scheduledMs, periodMs);
    // A timer may fire a little early: the same moment is not taken twice.
    const tick = Math.max(expected, nextTick(now, periodMs));
    missed = Math.round((tick - expected) / periodMs);
    scheduledMs = tick;
    await clock.sleep(tick - now, signal);
  }
}
