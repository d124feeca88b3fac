import { setTimeout as sleep } from "node:timers/promises";
import { watchEventLoop } from "../checks/event-loop.ts";
import { monotonicClock, startTimeline, type Timeline } from "../clock.ts";
import { sharedCursor, steppedCursor } from "../load/cursor.ts";
import { Recorder, takeAnswer } from "../load/recorder.ts";
import { dealtWorkers, lanesOf, runShare, type LoadShare } from "../load/share.ts";
import { dropped } from "../load/dropped.ts";
import { ScheduleError } from "../load/schedule-error.ts";
import { fillBody, LiveAnswers } from "../targets/live-answers.ts";
import { isRefusal } from "../transport/refused.ts";
import { createHttpSender, type HttpSender } from "../transport/http-sender.ts";
import type { ClientReport, FromWorker, PhaseOrder, ToWorker, WorkerSetup } from "./messages.ts";
import { BlockBuilder, memoryOf, type EndedRequest } from "./record-block.ts";

/** The way to the main thread. */
export interface WorkerPort {
  post(message: FromWorker, memory?: readonly ArrayBuffer[]): void;
}

/** Requests that have ended are handed over together, but not later than this; the first after a pause goes at once. */
const BLOCK_REQUESTS = 256;
const BLOCK_MS = 50;
const BLOCK_EVENTS = 2 ** 16;
/** As long as nothing was answered, a lane whose request was refused leaves the main thread this time to end the run. */
const REFUSAL_PAUSE_MS = 30;

/** What a worker does with its messages: sends its share of each phase, stamps, and hands over what has ended. */
export function createWorkerLoop(port: WorkerPort): (message: ToWorker) => void {
  let worker: Worker | null = null;
  let stopped = false;
  return (message) => {
    switch (message.type) {
      case "setup":
        worker = new Worker(message.setup, port);
        if (stopped) worker.stop();
        return port.post({ type: "ready" });
      case "phase":
        return void worker?.prepare(message.order);
      case "go":
        return void worker?.run(message.startNs);
      case "stop":
        stopped = true;
        return worker?.stop();
    }
  };
}

class Worker {
  readonly #setup: WorkerSetup;
  readonly #port: WorkerPort;
  readonly #timeline: Timeline;
  readonly #sender: HttpSender;
  readonly #stop = new AbortController();
  #order: PhaseOrder | null = null;
  readonly #ended = new BlockBuilder(BLOCK_REQUESTS);
  #flushing: NodeJS.Timeout | undefined;
  #flushedNs = -Infinity;
  #anyOk = false;

  constructor(setup: WorkerSetup, port: WorkerPort) {
    this.#setup = setup;
    this.#port = port;
    this.#timeline = startTimeline(monotonicClock, setup.startNs);
    this.#sender = createHttpSender(setup.wire, this.#timeline);
  }

  async prepare(order: PhaseOrder): Promise<void> {
    this.#order = order;
    if (order.plan.startTogether) await this.#sender.open(lanesOf(this.#part(order)).length);
    this.#port.post({ type: "ready" });
  }

  /** Which part of the phase is this worker's. */
  #part({ plan, counter }: PhaseOrder): Pick<LoadShare, "plan" | "worker" | "workers"> {
    const { worker, workers } = this.#setup;
    return { plan, worker, workers: counter === null ? dealtWorkers(plan, workers) : workers };
  }

  async run(startNs: number): Promise<void> {
    const order = this.#order;
    if (order === null) throw new TypeError("no phase to start");
    const { plan, bodies, counter } = order;
    const { worker, workers } = this.#part(order);
    const jobs = plan.jobStarts.length - 1;
    const share: LoadShare = {
      plan,
      cursor: counter === null ? steppedCursor(worker, workers, jobs) : sharedCursor(counter, jobs),
      worker,
      workers,
      startNs,
    };
    const watch = watchEventLoop();
    const late = new ScheduleError();
    this.#sender.takeLargestRead();
    const answers = new LiveAnswers((index) => (bodies.holes?.[index]?.length ?? 0) > 0);
    await runShare(share, {
      timeline: this.#timeline,
      signal: this.#stop.signal,
      send: async (index, dueNs, first) => {
        const recorder = new Recorder();
        const from = bodies.starts[index] ?? 0;
        const built = bodies.bytes.subarray(from, bodies.starts[index + 1]);
        const holes = bodies.holes?.[index] ?? [];
        const body = holes.length === 0 ? built : fillBody(built, holes, answers.of(first));
        const outcome = await this.#sender.send(body, recorder, this.#stop.signal);
        const exchanged = recorder.finish(outcome);
        const answered = takeAnswer(answers, index, first, exchanged);
        this.#add({ index, scheduledNs: dueNs, exchanged });
        if (outcome.error === null) this.#anyOk = true;
        else if (!this.#anyOk && isRefusal(outcome.status)) await sleep(REFUSAL_PAUSE_MS);
        return answered;
      },
      taken: (lateNs) => late.add(lateNs),
      drop: (index, dueNs) =>
        this.#add({ index, scheduledNs: dueNs, exchanged: dropped(this.#timeline.now()) }),
    });
    const report: ClientReport = {
      ...watch.stop(),
      scheduleErrorMs: late.summary(),
      largestRead: this.#sender.takeLargestRead(),
    };
    this.#flush();
    this.#order = null;
    this.#port.post({ type: "done", report });
  }

  stop(): void {
    this.#stop.abort();
  }

  #add(ended: EndedRequest): void {
    this.#ended.add(ended);
    if (this.#ended.count >= BLOCK_REQUESTS || this.#ended.events >= BLOCK_EVENTS) return this.#flush();
    if (this.#ended.count !== 1) return;
    const sinceMs = (this.#timeline.now() - this.#flushedNs) / 1e6;
    this.#flushing = setTimeout(() => this.#flush(), sinceMs > BLOCK_MS ? 0 : BLOCK_MS);
  }

  #flush(): void {
    clearTimeout(this.#flushing);
    if (this.#ended.count === 0) return;
    this.#flushedNs = this.#timeline.now();
    const block = this.#ended.take();
    this.#port.post({ type: "records", block }, memoryOf(block));
  }
}
