import type { Env } from "./env.ts";
import { exitCodes } from "./exit-codes.ts";

/**
 * Runs a task that Ctrl-C stops: the first one aborts the signal, so that what was measured is kept and reported; the
 * second one ends the process at once.
 */
export async function withInterrupts<T>(env: Env, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const release = env.onInterrupt(() => {
    if (controller.signal.aborted) {
      env.exitNow(exitCodes.interrupted.code);
      return;
    }
    if (env.stderr.isTerminal) env.stderr.write("\nStopping; Ctrl-C again ends at once.\n");
    controller.abort();
  });
  try {
    return await task(controller.signal);
  } finally {
    release();
  }
}
