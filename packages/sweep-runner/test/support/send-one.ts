import { monotonicClock, startTimeline, type Timeline } from "../../src/clock.ts";
import { createHttpTarget, type HttpTargetOptions } from "../../src/targets/http-target.ts";
import { createRecorder, type FinishedRecord } from "../../src/load/recorder.ts";

/** Sends one chat request to a server and returns its record. */
export async function sendOne(
  root: string,
  options: Partial<HttpTargetOptions> & { readonly timeline?: Timeline; readonly signal?: AbortSignal } = {},
): Promise<FinishedRecord> {
  const { signal = new AbortController().signal, ...rest } = options;
  const timeline = options.timeline ?? startTimeline(monotonicClock);
  const target = createHttpTarget({
    root,
    endpoint: "chat-completions",
    apiKey: null,
    model: "demo-model",
    fields: { max_tokens: 8 },
    templateKwargs: {},
    connections: 1,
    timeoutMs: 10_000,
    timeline,
    ...rest,
  });
  try {
    const request = target.prepare({ id: "p", kind: "text", text: "hi", addSpecialTokens: true });
    const recorder = createRecorder(
      { id: "measure-0", phase: "measure", scheduledNs: timeline.now() },
      request,
    );
    return recorder.finish(await target.send(request, recorder.observer, signal));
  } finally {
    await target.close();
  }
}
