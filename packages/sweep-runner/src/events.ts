import type { AcceptanceReading } from "./acceptance-source.ts";
import type { RequestRecord } from "./record.ts";
import type { Finding } from "./result.ts";

/** What is known of a run before it has ended: for a display, never for a result. */
export interface RunView {
  /** What the audit has found in the records so far; checks that need the whole run are left out. */
  findings(): Finding[];
  /**
   * Acceptance since the measured requests began, from the sources that the result will name. Reads the server's metrics page:
   * ask seldom.
   */
  acceptance(): Promise<AcceptanceReading>;
}

/** What is done before a run starts, in order: caps are counted, prompts made, requests built. */
export type PreparingStep = "caps" | "prompts" | "requests";

/** What an observer (progress bar, log) is told, in order. */
export type RunEvent =
  /** Before the run starts, about a hundred times for each step. */
  | {
      readonly type: "preparing";
      readonly step: PreparingStep;
      readonly done: number;
      readonly total: number;
    }
  | {
      readonly type: "run-started";
      readonly total: number;
      readonly warmup: number;
      readonly view: RunView;
    }
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

/** Times that one step of the preparation is told. */
const PREPARING_EVENTS = 100;

/** Counts one step of the preparation, and tells every hundredth part of it and its end. */
export function preparingCounter(
  observer: RunObserver | undefined,
  step: PreparingStep,
  total: number,
): () => void {
  const stride = Math.max(1, Math.floor(total / PREPARING_EVENTS));
  let done = 0;
  return () => {
    done++;
    if (done % stride === 0 || done === total) observer?.onEvent({ type: "preparing", step, done, total });
  };
}
