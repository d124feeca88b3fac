import type { Env } from "./env.ts";
import { exitCodes } from "./exit-codes.ts";

/** npm and npx pass a Ctrl-C on that the process has got from its terminal already: that is still the first one. */
const ECHO_MS = 500;

/**
 * Runs a task that Ctrl-C stops: the first one aborts the signal, so that what was measured is kept and reported; the
 * second one ends the process at once.
 */
export async function withInterrupts<T>(env: Env, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let firstAtMs = 0;
  const release = env.onInterrupt(() => {
    if (controller.signal.aborted) {
      if (env.nowMs() - firstAtMs >= ECHO_MS) env.exitNow(exitCodes.interrupted.code);
      return;
    }
    firstAtMs = env.nowMs();
    if (env.stderr.isTerminal) env.stderr.write("\nStopping; Ctrl-C again ends at once.\n");
    controller.abort();
  });
  try {
    return await task(controller.signal);
  } finally {
    release();
  }
}
