import type { BenchConfig } from "@onpar/bench-config";
import type { Conversation } from "@onpar/chat-render";
import type { Engine } from "@onpar/engine-binding";
import { acceptanceFrom, type Acceptance } from "@onpar/metrics-client";
import { readAcceptance } from "./acceptance-source.ts";
import { monotonicClock, startTimeline, type Clock } from "./clock.ts";
import { RunError } from "./errors.ts";
import type { WorkloadPrompt } from "./prompt.ts";
import type { RequestRecord } from "./record.ts";
import { createRecorder, type OnText } from "./recorder.ts";
import { refusalOf } from "./refusal.ts";
import { deltaOf } from "./server-counters.ts";
import { openSession } from "./session.ts";

interface OneShot {
  readonly config: BenchConfig;
  /** Sent as `Authorization: Bearer …`; null sends no header. */
  readonly apiKey: string | null;
  readonly engine: Engine | null;
  /** Called with every piece of text as it arrives. */
  readonly onText?: OnText | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
}

/** One request: a conversation, or a text. */
export type CompleteOnceOptions = OneShot &
  (
    | { readonly conversation: Conversation; readonly prompt?: undefined }
    | { readonly prompt: string; readonly conversation?: undefined }
  );

export interface Completion {
  readonly record: RequestRecord;
  /** The answer, without reasoning. */
  readonly text: string;
  readonly reasoning: string;
  /** Of this request; null when nothing was drafted or no source tells. */
  readonly acceptance: Acceptance | null;
}

/**
 * Sends one request and reads its answer. A request that fails in the middle is returned with its record, which says so.
 *
 * @throws {RunError} when the system cannot be reached or refuses the request
 */
export async function completeOnce(options: CompleteOnceOptions): Promise<Completion> {
  const { signal } = options;
  if (signal?.aborted === true) throw new RunError("INTERRUPTED", "interrupted before the request was sent");
  const timeline = startTimeline(options.clock ?? monotonicClock);
  const session = await openSession({ ...options, timeline, connections: 1 });
  try {
    const prompt: WorkloadPrompt =
      options.conversation === undefined
        ? { id: "prompt", kind: "text", text: options.prompt, tokens: null }
        : { id: "conversation", kind: "conversation", conversation: options.conversation };
    const request = session.target.prepare(session.renderer.render(prompt));
    const before = (await session.counters?.read()) ?? null;
    const identity = { id: "once-0", phase: "measure" as const, scheduledNs: timeline.now() };
    const recorder = createRecorder(identity, request, options.onText);
    const outcome = await session.target.send(
      request,
      recorder.observer,
      signal ?? new AbortController().signal,
    );
    const { record, content, reasoning } = recorder.finish(outcome);
    const refusal = refusalOf(record, session.refusal);
    if (refusal !== null) throw refusal;
    if (record.acceptance !== null) {
      const drafted = record.acceptance.draftTokens > 0;
      return {
        record,
        text: content,
        reasoning,
        acceptance: drafted ? acceptanceFrom(record.acceptance, "per-request") : null,
      };
    }
    const after =
      before === null
        ? null
        : ((await session.counters?.settle(before, record.state === "ok" ? 1 : 0)) ?? null);
    const { acceptance } = readAcceptance({
      engine: null,
      isEngine: session.engine !== null,
      metrics: deltaOf(before, after),
      metricsProblem: session.counters?.problem ?? null,
      records: [record],
    });
    return { record, text: content, reasoning, acceptance };
  } finally {
    await session.close();
  }
}
