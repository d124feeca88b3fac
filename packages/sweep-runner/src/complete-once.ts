import type { BenchConfig } from "@onpar/bench-config";
import type { Conversation } from "@onpar/chat-render";
import type { Engine } from "@onpar/engine-binding";
import { acceptanceFrom, readServerLoad, type Acceptance, type MetricsSnapshot } from "@onpar/metrics-client";
import { OwnAcceptance, readAcceptance, type AcceptanceReading } from "./acceptance-source.ts";
import { monotonicClock, startTimeline, type Clock } from "./clock.ts";
import { RunError } from "./errors.ts";
import type { WorkloadPrompt } from "./prompt.ts";
import type { RequestRecord } from "./record.ts";
import { makeRecord, Recorder, type OnText } from "./load/recorder.ts";
import { refusalOf } from "./refusal.ts";
import { deltaOf } from "./server-counters.ts";
import { openSession, type Session } from "./session.ts";

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

/** One answer, its record, and the acceptance of that request. */
export interface Completion {
  readonly record: RequestRecord;
  /** The answer, without reasoning. */
  readonly text: string;
  readonly reasoning: string;
  /** Of this request; null when nothing was drafted or no source tells. */
  readonly acceptance: Acceptance | null;
  /** Why there is no acceptance, in words; null when there is. */
  readonly acceptanceMissing: string | null;
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
  const session = await openSession({ ...options, timeline });
  try {
    const prompt: WorkloadPrompt =
      options.conversation === undefined
        ? { id: "prompt", kind: "text", text: options.prompt, tokens: null }
        : { id: "conversation", kind: "conversation", conversation: options.conversation };
    const request = session.target.prepare(session.renderer.render(prompt));
    const before = (await session.counters?.read()) ?? null;
    const identity = { id: "once-0", phase: "measure" as const, scheduledNs: timeline.now() };
    const recorder = new Recorder(options.onText);
    const outcome = await session.target.send(request, recorder, signal ?? new AbortController().signal);
    const exchanged = recorder.finish(outcome);
    const record = makeRecord(identity, request, exchanged);
    const content = exchanged.texts.content.toString("utf8");
    const reasoning = exchanged.texts.reasoning.toString("utf8");
    const refusal = refusalOf(record, session.refusal);
    if (refusal !== null) throw refusal;
    const { acceptance, missing } = await readOwnAcceptance(record, session, before);
    return { record, text: content, reasoning, acceptance, acceptanceMissing: missing };
  } finally {
    await session.close();
  }
}

/** What the answer tells about itself, else the server's counters where this request had the server for itself. */
async function readOwnAcceptance(
  record: RequestRecord,
  session: Session,
  before: MetricsSnapshot | null,
): Promise<Pick<AcceptanceReading, "acceptance" | "missing">> {
  const { counters, engine } = session;
  if (record.acceptance !== null && record.acceptance.draftTokens > 0) {
    return { acceptance: acceptanceFrom(record.acceptance, "per-request"), missing: null };
  }
  const speculates = engine !== null && engine.info.speculation !== null;
  if (record.acceptance === null && speculates && !engine.info.capabilities.requestSpeculation) {
    return { acceptance: null, missing: "the engine does not tell what it drafts for one request" };
  }
  if (record.acceptance !== null || speculates) {
    return { acceptance: null, missing: "nothing was drafted for this request" };
  }
  const after =
    before === null ? null : ((await counters?.settle(before, record.state === "ok" ? 1 : 0)) ?? null);
  const metrics = deltaOf(before, after);
  const own = new OwnAcceptance();
  own.add(record);
  const shared = (metrics?.requestsFinished ?? 0) > 1 || isBusy(before) || isBusy(after);
  return readAcceptance({
    engine: null,
    isEngine: engine !== null,
    speculates,
    metrics: shared ? null : metrics,
    metricsProblem: shared
      ? "the server worked on other requests too, so its counters are not this one's"
      : (counters?.problem ?? null),
    own,
  });
}

function isBusy(page: MetricsSnapshot | null): boolean {
  return page !== null && (readServerLoad(page.samples).requestsRunning ?? 0) > 0;
}
