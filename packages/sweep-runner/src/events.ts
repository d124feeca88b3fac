import type { RequestRecord } from "./record.ts";

/** What an observer (progress bar, log) is told, in order. */
export type RunEvent =
  | { readonly type: "run-started"; readonly total: number; readonly warmup: number }
  | { readonly type: "phase-started"; readonly phase: "warmup" | "measure"; readonly total: number }
  | {
      readonly type: "request-finished";
      readonly record: RequestRecord;
      /** Requests of this phase that have ended, and how many it has. */
      readonly done: number;
      readonly total: number;
    }
  | { readonly type: "run-ended"; readonly interrupted: boolean };

/** Is told what happens; cannot change it. Called on the thread that stamps: be quick, draw later. */
export interface RunObserver {
  onEvent(event: RunEvent): void;
}

/** An observer that throws is dropped: drawing progress must not end a measurement. */
export function guardObserver(observer: RunObserver | undefined): RunObserver {
  let active = observer;
  return {
    onEvent(event) {
      try {
        active?.onEvent(event);
      } catch {
        active = undefined;
      }
    },
  };
}
