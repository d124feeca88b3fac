/** Hands out jobs, each once and in order. */
export interface Cursor {
  /** The next job, or -1 when there is none left. */
  take(): number;
  /** Jobs that were taken, by all workers as far as this one can see. */
  readonly taken: number;
}

/** One cursor for the threads of a process: whoever is free takes the next job. */
export function sharedCursor(counter: Int32Array, jobs: number): Cursor {
  return {
    take() {
      const job = Atomics.add(counter, 0, 1);
      return job < jobs ? job : -1;
    },
    get taken() {
      return Math.min(jobs, Atomics.load(counter, 0));
    },
  };
}

/** Every `step`-th job from `first` on, for the first `step` workers: processes share no memory. */
export function steppedCursor(first: number, step: number, jobs: number): Cursor {
  let next = first < step ? first : jobs;
  return {
    take() {
      if (next >= jobs) return -1;
      const job = next;
      next += step;
      return job;
    },
    get taken() {
      return Math.min(jobs, next);
    },
  };
}
