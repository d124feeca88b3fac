import type { LoopReport } from "../checks/event-loop.ts";
import type { LoadPlan } from "../load/load-plan.ts";
import type { DelaySummary } from "../result.ts";
import type { Hole } from "../targets/live-answers.ts";
import type { WireSpec } from "../targets/target.ts";
import type { RecordBlock } from "./record-block.ts";

/** What a worker is told when it starts. */
export interface WorkerSetup {
  readonly worker: number;
  readonly workers: number;
  readonly wire: WireSpec;
  /** Start of the run, ns of the monotonic clock, which all threads and processes of a machine share. */
  readonly startNs: bigint;
}

/** The bodies of a phase, one after the other; threads share the memory. */
export interface Bodies {
  readonly bytes: Uint8Array;
  /** Where each body begins, and at the end where the last one ends. */
  readonly starts: Float64Array;
  /** Where answers of earlier turns are put into each body; null where none waits for any. */
  readonly holes: readonly (readonly Hole[])[] | null;
}

/** One phase of the load. */
export interface PhaseOrder {
  readonly plan: LoadPlan;
  readonly bodies: Bodies;
  /** Counter of the jobs that were taken; null where workers share no memory. */
  readonly counter: Int32Array | null;
}

export type ToWorker =
  | { readonly type: "setup"; readonly setup: WorkerSetup }
  | { readonly type: "phase"; readonly order: PhaseOrder }
  /** Every worker is ready: the load starts at that time, ns since the start of the run. */
  | { readonly type: "go"; readonly startNs: number }
  | { readonly type: "stop" };

export type FromWorker =
  /** It runs, and then once more for each phase: it has its bodies and its connections. */
  | { readonly type: "ready" }
  | { readonly type: "records"; readonly block: RecordBlock }
  | { readonly type: "done"; readonly report: ClientReport };

/** How the thread that sent and stamped did during a phase. */
export interface ClientReport extends LoopReport {
  /** How late it took requests up that were due and for which there was room; null in a closed loop. */
  readonly scheduleErrorMs: DelaySummary | null;
  /** Most bytes that waited on a socket when it was read; null without sockets. */
  readonly largestRead: number | null;
}
