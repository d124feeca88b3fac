import type { Timeline } from "../clock.ts";

/** Timers tick in ms: the last stretch before a start is waited out turn by turn of the event loop. */
const SPIN_NS = 1_200_000;
/** Starts that follow each other faster than this leave no time for that; they may be late by a tick, which is recorded. */
const SPARSE_GAP_NS = 4_000_000;

interface Waiter {
  readonly dueNs: number;
  readonly resolve: () => void;
}

/** Waits for absolute times: being late once moves no later start. Sockets are read all the while. */
export class Pacer {
  readonly #timeline: Timeline;
  readonly #spins: boolean;
  /** By due time, ascending. */
  readonly #waiters: Waiter[] = [];
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #armedNs = Infinity;
  #stopped = false;

  /** @param meanGapNs mean time between two starts of this thread */
  constructor(timeline: Timeline, meanGapNs: number) {
    this.#timeline = timeline;
    this.#spins = meanGapNs >= SPARSE_GAP_NS;
  }

  /** Resolves at `dueNs`, at the earliest, or when the pacer is stopped; null when that has come already. */
  until(dueNs: number): Promise<void> | null {
    if (this.#stopped || this.#timeline.now() >= dueNs) return null;
    return new Promise((resolve) => {
      let at = this.#waiters.length;
      while (at > 0 && (this.#waiters[at - 1]?.dueNs ?? 0) > dueNs) at--;
      this.#waiters.splice(at, 0, { dueNs, resolve });
      if (at === 0) this.#arm();
    });
  }

  /** Ends every wait, now and from now on. */
  stop(): void {
    this.#stopped = true;
    this.#disarm();
    for (const { resolve } of this.#waiters.splice(0)) resolve();
  }

  readonly #check = (): void => {
    this.#armedNs = Infinity;
    const now = this.#timeline.now();
    let due = 0;
    while (due < this.#waiters.length && (this.#waiters[due]?.dueNs ?? 0) <= now) due++;
    for (const { resolve } of this.#waiters.splice(0, due)) resolve();
    this.#arm();
  };

  #arm(): void {
    const first = this.#waiters[0];
    if (first === undefined || first.dueNs >= this.#armedNs) return;
    this.#disarm();
    this.#armedNs = first.dueNs;
    const remainingNs = first.dueNs - this.#timeline.now();
    if (this.#spins && remainingNs <= SPIN_NS) this.#immediate = setImmediate(this.#check);
    else this.#timer = setTimeout(this.#check, waitMs(remainingNs, this.#spins));
  }

  #disarm(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#immediate);
    this.#armedNs = Infinity;
  }
}

/** Never longer than a timer can hold; woken early, the pacer waits on. */
function waitMs(remainingNs: number, spins: boolean): number {
  const ms = spins ? Math.floor((remainingNs - SPIN_NS) / 1e6) : Math.ceil(remainingNs / 1e6);
  return Math.min(Math.max(1, ms), 2 ** 30);
}
