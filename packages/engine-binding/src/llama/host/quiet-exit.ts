/** How long an ending process waits for its engines, ms: a step that is under way has to end by itself. */
const EXIT_LIMIT_MS = 10_000;

/** A word of memory in which an engine's thread says that nothing of llama.cpp runs in it any more. */
export class QuietFlag {
  readonly buffer: SharedArrayBuffer;
  readonly #word: Int32Array;

  constructor(buffer: SharedArrayBuffer = new SharedArrayBuffer(4)) {
    this.buffer = buffer;
    this.#word = new Int32Array(buffer);
  }

  raise(): void {
    Atomics.store(this.#word, 0, 1);
    Atomics.notify(this.#word, 0);
  }

  /** Holds this thread up until the flag is raised, or the time is over. */
  wait(milliseconds: number): void {
    Atomics.wait(this.#word, 0, 0, milliseconds);
  }
}

/** A thread that can be asked to stop, and says when it has. */
export interface Stoppable {
  readonly quiet: QuietFlag;
  stop(): void;
}

const running = new Set<Stoppable>();

/**
 * Has the process wait for a thread when it exits: what llama.cpp hands to a thread that is torn down ends the process with
 * an abort.
 */
export function stopBeforeExit(thread: Stoppable): void {
  if (running.size === 0) process.on("exit", stopAll);
  running.add(thread);
}

/** For a thread that has ended. */
export function forgetAtExit(thread: Stoppable): void {
  running.delete(thread);
  if (running.size === 0) process.off("exit", stopAll);
}

function stopAll(): void {
  const until = performance.now() + EXIT_LIMIT_MS;
  for (const thread of running) thread.stop();
  for (const { quiet } of running) quiet.wait(Math.max(0, until - performance.now()));
}
