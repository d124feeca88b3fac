import { monotonicClock, startTimeline, type Timeline } from "../../src/clock.ts";
import { createHttpTarget, type HttpTargetOptions } from "../../src/targets/http-target.ts";
import { makeRecord, Recorder } from "../../src/load/recorder.ts";
import type { RequestRecord } from "../../src/record.ts";

export interface FinishedRecord {
  readonly record: RequestRecord;
  readonly reasoning: string;
  readonly content: string;
}

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
    timeoutMs: 10_000,
    timeline,
    ...rest,
  });
  try {
    const request = target.prepare({ id: "p", kind: "text", text: "hi", addSpecialTokens: true });
    const identity = { id: "measure-0", phase: "measure" as const, scheduledNs: timeline.now() };
    const recorder = new Recorder();
    const exchanged = recorder.finish(await target.send(request, recorder, signal));
    return {
      record: makeRecord(identity, request, exchanged),
      reasoning: exchanged.texts.reasoning.toString("utf8"),
      content: exchanged.texts.content.toString("utf8"),
    };
  } finally {
    await target.close();
  }
}
