import type { Timeline } from "../clock.ts";
import type { FinishedRecord } from "./recorder.ts";
import { createRecorder } from "./recorder.ts";
import type { PreparedRequest, Target } from "../targets/target.ts";

export interface ClosedLoopOptions<Request extends PreparedRequest> {
  readonly target: Target<Request>;
  readonly requests: readonly Request[];
  readonly concurrency: number;
  readonly phase: "warmup" | "measure";
  readonly timeline: Timeline;
  readonly signal: AbortSignal;
  /** Called as each request ends, in that order. */
  readonly onFinished: (finished: FinishedRecord) => void;
}

/**
 * Closed loop: `concurrency` workers, each takes the next request as soon as its last one has ended. A request is due
 * when its worker became free. Sends every request once; stops taking when the signal aborts, and then resolves when
 * what was in flight has ended.
 */
export async function runClosedLoop<Request extends PreparedRequest>(
  options: ClosedLoopOptions<Request>,
): Promise<void> {
  const { target, requests, phase, timeline, signal, onFinished } = options;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (!signal.aborted) {
      const index = next++;
      const request = requests[index];
      if (request === undefined) return;
      const recorder = createRecorder(
        { id: `${phase}-${index}`, phase, scheduledNs: timeline.now() },
        request,
      );
      onFinished(recorder.finish(await target.send(request, recorder.observer, signal)));
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.concurrency, requests.length) }, worker));
}
