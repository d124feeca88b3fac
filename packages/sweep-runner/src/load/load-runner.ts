import { watchEventLoop } from "../checks/event-loop.ts";
import type { Timeline } from "../clock.ts";
import type { RequestRecord } from "../record.ts";
import type { PreparedRequest, Target } from "../targets/target.ts";
import { LiveAnswers } from "../targets/live-answers.ts";
import type { ClientReport } from "../workers/messages.ts";
import { WorkerPool } from "../workers/worker-pool.ts";
import { sharedCursor } from "./cursor.ts";
import { dropped } from "./dropped.ts";
import type { LoadPlan } from "./load-plan.ts";
import { makeRecord, Recorder, takeAnswer, type Exchanged } from "./recorder.ts";
import { ScheduleError } from "./schedule-error.ts";
import { runShare } from "./share.ts";

/** One phase of a run. */
export interface LoadOrder {
  readonly phase: "warmup" | "measure";
  readonly repetition: number;
  readonly plan: LoadPlan;
  readonly requests: readonly PreparedRequest[];
  /** Numbers of the requests in their phase; left out where they are all of it, in order. */
  readonly numbers?: readonly number[] | undefined;
  readonly signal: AbortSignal;
  /** Whether records hold the output text. */
  readonly keepText: boolean;
  /** Called as requests end, in that order. */
  readonly onFinished: (record: RequestRecord) => void;
}

/** Sends the requests of a phase according to its plan, and makes their records. */
export interface LoadRunner {
  /** Resolves when all that was sent has ended: how each thread that stamped did. */
  run(order: LoadOrder): Promise<ClientReport[]>;
  close(): Promise<void>;
}

/** Sends from this thread: for an engine of this process, which is bound to it. */
export function createLocalRunner(target: Target, timeline: Timeline): LoadRunner {
  return {
    async run(order) {
      const { plan, signal, requests } = order;
      const watch = watchEventLoop();
      const late = new ScheduleError();
      const answers = new LiveAnswers((index) => requests[index]?.waits === true);
      const finish = (request: PreparedRequest, index: number, dueNs: number, exchanged: Exchanged): void =>
        order.onFinished(recordOf(order, request, { index, scheduledNs: dueNs, exchanged }, 0));
      const counter = new Int32Array(new SharedArrayBuffer(4));
      const share = {
        plan,
        cursor: sharedCursor(counter, plan.jobStarts.length - 1),
        worker: 0,
        workers: 1,
        startNs: timeline.now(),
      };
      await runShare(share, {
        timeline,
        signal,
        send: async (index, dueNs, first) => {
          const built = requestAt(requests, index);
          const request = built.waits === true ? target.fill(built, answers.of(first)) : built;
          const recorder = new Recorder();
          const outcome = await target.send(request, recorder, signal);
          const exchanged = recorder.finish(outcome);
          finish(request, index, dueNs, exchanged);
          return takeAnswer(answers, index, first, exchanged);
        },
        taken: (lateNs) => late.add(lateNs),
        drop: (index, dueNs) => finish(requestAt(requests, index), index, dueNs, dropped(timeline.now())),
      });
      return [{ ...watch.stop(), scheduleErrorMs: late.summary(), largestRead: null }];
    },
    close: async () => {},
  };
}

/** Sends from workers; this thread only takes records. */
export function createWorkerRunner(
  remote: NonNullable<Target["remote"]>,
  options: {
    readonly workers: number;
    readonly kind: "thread" | "process";
    readonly timeline: Timeline;
  },
): LoadRunner {
  let starting: Promise<WorkerPool> | null = null;
  return {
    async run(order) {
      starting ??= WorkerPool.start({ ...options, wire: remote.wire });
      const pool = await starting;
      const { plan, requests, signal } = order;
      const waiting = requests.some(({ waits }) => waits === true);
      const answers = new LiveAnswers((index) => requests[index]?.waits === true);
      const firstOf = waiting ? firstRequests(plan) : null;
      return pool.run({
        plan,
        bodies: requests.map((request) => remote.body(request)),
        holes: waiting ? requests.map((request) => remote.holes(request)) : null,
        signal,
        onEnded: (ended, worker) => {
          const { index, exchanged } = ended;
          const built = requestAt(requests, index);
          const first = firstOf?.[index] ?? index;
          const request = built.waits === true ? remote.fill(built, answers.of(first)) : built;
          if (firstOf !== null) takeAnswer(answers, index, first, exchanged);
          order.onFinished(recordOf(order, request, ended, worker));
        },
      });
    },
    async close() {
      await (await starting?.catch(() => null))?.close();
    },
  };
}

/** The id of a request in the records: the same in every part of a run that was cut short. */
export function requestId(phase: LoadOrder["phase"], repetition: number, number: number): string {
  return repetition === 0 ? `${phase}-${number}` : `${phase}-r${repetition}-${number}`;
}

function requestAt(requests: readonly PreparedRequest[], index: number): PreparedRequest {
  const request = requests[index];
  if (request === undefined) throw new RangeError(`no request ${index}`);
  return request;
}

/** For every request, the first one of its job. */
function firstRequests({ jobStarts }: LoadPlan): Uint32Array {
  const firsts = new Uint32Array(jobStarts.at(-1) ?? 0);
  for (let job = 0; job + 1 < jobStarts.length; job++) {
    firsts.fill(jobStarts[job] ?? 0, jobStarts[job], jobStarts[job + 1]);
  }
  return firsts;
}

function recordOf(
  { phase, repetition, numbers, keepText }: LoadOrder,
  request: PreparedRequest,
  { index, scheduledNs, exchanged }: { index: number; scheduledNs: number; exchanged: Exchanged },
  worker: number,
): RequestRecord {
  const id = requestId(phase, repetition, numbers?.[index] ?? index);
  return makeRecord({ id, phase, scheduledNs, repetition, worker }, request, exchanged, keepText);
}
