import { availableParallelism } from "node:os";
import type { Timeline } from "../clock.ts";
import { RunError } from "../errors.ts";
import type { LoadPlan } from "../load/load-plan.ts";
import type { WireSpec } from "../targets/target.ts";
import type { Bodies, ClientReport, FromWorker, PhaseOrder, ToWorker, WorkerSetup } from "./messages.ts";
import { unpackBlock, type EndedRequest } from "./record-block.ts";
import { startProcess, startThread, type WorkerHandle } from "./worker-handle.ts";

export interface WorkerPoolOptions {
  readonly workers: number;
  readonly kind: "thread" | "process";
  readonly wire: WireSpec;
  readonly timeline: Timeline;
}

export interface PhaseOptions {
  readonly plan: LoadPlan;
  /** Bodies of the requests in order. */
  readonly bodies: readonly Uint8Array[];
  /** Of each body; null where none waits for the answers of earlier turns. */
  readonly holes?: Bodies["holes"] | undefined;
  readonly signal: AbortSignal;
  readonly onEnded: (ended: EndedRequest, worker: number) => void;
}

/** Between "everybody is ready" and the start, so that no worker hears of it too late. */
const LEAD_NS = 5_000_000;
/** Requests in flight that one worker carries with ease. */
const LANES_PER_WORKER = 512;
/** Starts per second that one worker carries with ease. */
const STARTS_PER_WORKER = 4000;

/** How many workers a load needs, on a machine that has a core left for everything else. */
export function workersFor(plan: LoadPlan): number {
  const cores = Math.max(1, availableParallelism() - 1);
  const jobs = plan.dueNs?.length ?? 0;
  const spanS = ((plan.dueNs?.at(-1) ?? 0) - (plan.dueNs?.[0] ?? 0)) / 1e9;
  const byRate = spanS > 0 ? jobs / spanS / STARTS_PER_WORKER : 1;
  const byLanes = (plan.lanes ?? 1) / LANES_PER_WORKER;
  return Math.max(1, Math.min(cores, Math.ceil(Math.max(byRate, byLanes))));
}

/** The workers that send, stamp and read; this thread only takes what they hand over. */
export class WorkerPool {
  readonly #kind: WorkerPoolOptions["kind"];
  readonly #timeline: Timeline;
  readonly #workers: { readonly handle: WorkerHandle; next: ((message: FromWorker) => void) | null }[] = [];
  #onRecords: PhaseOptions["onEnded"] = () => {};
  #failure: RunError | null = null;
  #onFailure: (error: RunError) => void = () => {};
  #closing = false;

  private constructor({ kind, timeline }: WorkerPoolOptions) {
    this.#kind = kind;
    this.#timeline = timeline;
  }

  /**
   * Starts the workers and waits until each of them runs.
   *
   * @throws {RunError} `WORKER_FAILED`
   */
  static async start(options: WorkerPoolOptions): Promise<WorkerPool> {
    const pool = new WorkerPool(options);
    const { workers, wire, timeline } = options;
    for (let worker = 0; worker < workers; worker++) pool.#add(worker);
    try {
      await pool.#ask("ready", (worker) => {
        const setup: WorkerSetup = { worker, workers, wire, startNs: timeline.startNs };
        return { type: "setup", setup };
      });
    } catch (error) {
      await pool.close();
      throw error;
    }
    return pool;
  }

  /**
   * Runs one phase: every worker makes ready, then all start at the same time. Resolves with a report per worker when all
   * requests have ended; an abort ends those in flight first.
   *
   * @throws {RunError} `WORKER_FAILED` when a worker is lost; what the others had in flight has been handed over then
   */
  async run({ plan, bodies, holes = null, signal, onEnded }: PhaseOptions): Promise<ClientReport[]> {
    this.#onRecords = onEnded;
    const shares = this.#kind === "thread";
    const order: PhaseOrder = {
      plan: shares ? sharedPlan(plan) : plan,
      bodies: { ...joinBodies(bodies, shares), holes },
      counter: shares ? new Int32Array(new SharedArrayBuffer(4)) : null,
    };
    const onAbort = (): void => this.#tell({ type: "stop" });
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      await this.#ask("ready", () => ({ type: "phase", order }));
      const startNs = this.#timeline.now() + LEAD_NS;
      const done = await this.#ask("done", () => ({ type: "go", startNs }));
      return done.map((message) => message.report);
    } catch (error) {
      await this.#drain();
      throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#onRecords = () => {};
    }
  }

  /** Ends one worker, as a crash would. */
  async kill(worker: number): Promise<void> {
    await this.#workers[worker]?.handle.kill();
  }

  /** Ends the workers. Idempotent. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all(this.#workers.splice(0).map(({ handle }) => handle.kill()));
  }

  #add(worker: number): void {
    const start = this.#kind === "thread" ? startThread : startProcess;
    const handle = start({
      onMessage: (message) => this.#onMessage(worker, message),
      onExit: (reason) => this.#onExit(worker, reason),
    });
    this.#workers.push({ handle, next: null });
  }

  #onMessage(worker: number, message: FromWorker): void {
    if (message.type !== "records") return this.#workers[worker]?.next?.(message);
    for (const ended of unpackBlock(message.block)) this.#onRecords(ended, worker);
  }

  #onExit(worker: number, reason: string): void {
    if (this.#closing) return;
    this.#failure ??= new RunError(
      "WORKER_FAILED",
      `worker ${worker} of this client is gone: ${reason}; requests that it had in flight are lost, ` +
        "those that had ended are recorded",
    );
    this.#onFailure(this.#failure);
  }

  #tell(message: ToWorker): void {
    for (const { handle } of this.#workers) handle.post(message);
  }

  /** Tells every worker something and waits for the answer of each. */
  #ask<Type extends FromWorker["type"]>(
    type: Type,
    question: (worker: number) => ToWorker,
  ): Promise<Extract<FromWorker, { readonly type: Type }>[]> {
    const answers = this.#workers.map(
      (worker, index) =>
        new Promise<Extract<FromWorker, { readonly type: Type }>>((resolve, reject) => {
          worker.next = (message) => {
            if (isOf(message, type)) resolve(message);
            else reject(new TypeError(`a worker answered ${message.type} instead of ${type}`));
          };
          worker.handle.post(question(index));
        }),
    );
    const lost = new Promise<never>((_, reject) => {
      this.#onFailure = reject;
      if (this.#failure !== null) reject(this.#failure);
    });
    return Promise.race([Promise.all(answers), lost]);
  }

  /** A worker is lost: the others end what they have in flight and hand it over, within reason. */
  async #drain(): Promise<void> {
    this.#onFailure = () => {};
    this.#tell({ type: "stop" });
    await new Promise((resolve) => setTimeout(resolve, DRAIN_MS));
  }
}

const DRAIN_MS = 300;

function isOf<Type extends FromWorker["type"]>(
  message: FromWorker,
  type: Type,
): message is Extract<FromWorker, { readonly type: Type }> {
  return message.type === type;
}

/** Bodies in one piece of memory. */
function joinBodies(bodies: readonly Uint8Array[], shared: boolean): Omit<Bodies, "holes"> {
  const starts = new Float64Array(bodies.length + 1);
  for (const [index, body] of bodies.entries()) starts[index + 1] = (starts[index] ?? 0) + body.length;
  const length = starts[bodies.length] ?? 0;
  const bytes = new Uint8Array(shared ? new SharedArrayBuffer(length) : new ArrayBuffer(length));
  for (const [index, body] of bodies.entries()) bytes.set(body, starts[index] ?? 0);
  return { bytes, starts };
}

/** The long columns of a plan in memory that threads share, instead of a copy for each. */
function sharedPlan(plan: LoadPlan): LoadPlan {
  const jobStarts = new Uint32Array(new SharedArrayBuffer(plan.jobStarts.byteLength));
  jobStarts.set(plan.jobStarts);
  if (plan.dueNs === null) return { ...plan, jobStarts };
  const dueNs = new Float64Array(new SharedArrayBuffer(plan.dueNs.byteLength));
  dueNs.set(plan.dueNs);
  return { ...plan, jobStarts, dueNs };
}
