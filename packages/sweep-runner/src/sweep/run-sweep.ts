import { setTimeout as sleep } from "node:timers/promises";
import { messageOf, RunError } from "../errors.ts";
import type { StepLine, SweepJournal } from "./sweep-journal.ts";
import type { SweepPlan, SweepStep } from "./sweep-plan.ts";

/** What an observer of a sweep is told, in order. */
export type SweepEvent =
  | { readonly type: "sweep-started"; readonly steps: number; readonly done: number }
  | {
      readonly type: "step-started";
      readonly step: SweepStep;
      readonly index: number;
      readonly steps: number;
    }
  | { readonly type: "cooldown"; readonly seconds: number }
  | { readonly type: "step-ended"; readonly line: StepLine; readonly leftS: number | null }
  | { readonly type: "sweep-ended"; readonly interrupted: boolean };

/** What one measurement of a sweep is given. */
export interface PointContext {
  /** Aborted by an interrupt, and when the server of the measurement ends. */
  readonly signal: AbortSignal;
}

/** What is needed to go through a plan. */
export interface SweepOptions {
  readonly plan: SweepPlan;
  /**
   * Takes one measurement and gives its figures, which must be JSON. What it throws is recorded, and the sweep goes on; an
   * interrupt ends it.
   */
  readonly runPoint: (step: SweepStep, context: PointContext) => Promise<StepLine["row"]>;
  /**
   * Whether a row holds nothing that was measured, and why, in one line: its measurement has failed then, and is taken again when
   * the sweep goes on. Default: never.
   */
  readonly emptiness?: ((row: StepLine["row"]) => string | null) | undefined;
  /** Null keeps nothing: the result is all there is. */
  readonly journal: SweepJournal | null;
  /**
   * Makes the system ready: starts the server that the step needs, waits until it is idle. Gives a signal that is aborted, with
   * the reason, when the system ends; null when that cannot be told.
   */
  readonly prepare?:
    | ((step: SweepStep, signal: AbortSignal | undefined) => Promise<AbortSignal | null>)
    | undefined;
  readonly onEvent?: ((event: SweepEvent) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  /** ms on a monotonic clock. */
  readonly now?: (() => number) | undefined;
  readonly wait?: ((ms: number, signal: AbortSignal | undefined) => Promise<unknown>) | undefined;
}

/** A sweep that has ended. */
export interface SweepResult {
  readonly interrupted: boolean;
  /** One line per measurement that was taken, in the order of the plan, those of earlier starts included. */
  readonly lines: readonly StepLine[];
  /** Measurements that failed. */
  readonly failed: number;
  /** Measurements that were not taken, because the sweep was interrupted. */
  readonly missing: number;
}

/**
 * Goes through the steps of a plan that its journal does not hold yet. Steps that failed in an earlier start are taken again.
 *
 * @throws {RunError} `OUTPUT_UNWRITABLE` when the journal cannot be written
 */
export async function runSweep(options: SweepOptions): Promise<SweepResult> {
  const { plan, journal, signal, runPoint } = options;
  const now = options.now ?? (() => performance.now());
  const wait = options.wait ?? ((ms, stop) => sleep(ms, undefined, { signal: stop }).catch(() => {}));
  const tell = (event: SweepEvent): void => options.onEvent?.(event);
  const lines = new Map<string, StepLine>();
  for (const { id } of plan.steps) {
    const line = journal?.done.get(id);
    if (line?.status === "ok") lines.set(id, line);
  }
  const waiting = plan.steps.filter(({ id }) => !lines.has(id));
  tell({ type: "sweep-started", steps: plan.steps.length, done: lines.size });
  const startedAt = now();
  let taken = 0;
  for (const step of waiting) {
    if (isAborted(signal)) break;
    const { cooldownS } = step.config.repetition;
    if (taken > 0 && cooldownS > 0) {
      tell({ type: "cooldown", seconds: cooldownS });
      await wait(cooldownS * 1000, signal);
      if (isAborted(signal)) break;
    }
    tell({ type: "step-started", step, index: lines.size, steps: plan.steps.length });
    const line = await takeStep(step, { ...options, runPoint }, now);
    if (line === null) break;
    lines.set(step.id, line);
    await journal?.append(line);
    taken++;
    const left = plan.steps.length - lines.size;
    tell({ type: "step-ended", line, leftS: ((now() - startedAt) / 1000 / taken) * left });
  }
  const inOrder = plan.steps.flatMap(({ id }) => lines.get(id) ?? []);
  const missing = plan.steps.length - inOrder.length;
  tell({ type: "sweep-ended", interrupted: missing > 0 });
  return {
    interrupted: missing > 0,
    lines: inOrder,
    failed: inOrder.filter(({ status }) => status === "failed").length,
    missing,
  };
}

/** Null when it was interrupted: an unfinished measurement is taken anew. */
async function takeStep(step: SweepStep, options: SweepOptions, now: () => number): Promise<StepLine | null> {
  const { signal, prepare, runPoint, emptiness } = options;
  const startedAt = new Date().toISOString();
  const started = now();
  const base = {
    type: "step" as const,
    id: step.id,
    boot: step.boot,
    rep: step.rep,
    values: step.point.values,
    startedAt,
  };
  const ended = (): number => (now() - started) / 1000;
  let died: AbortSignal | null = null;
  try {
    died = (await prepare?.(step, signal)) ?? null;
    const signals = [signal, died].filter((one) => one != null);
    const row = await runPoint(step, { signal: AbortSignal.any(signals) });
    if (isAborted(signal)) return null;
    const nothing = emptiness?.(row) ?? null;
    const failure =
      reasonOf(died) ?? (nothing === null ? null : { code: "NOTHING_MEASURED", message: nothing });
    // What was measured before the server ended stays in the row.
    if (failure !== null) return { ...base, status: "failed", error: failure, row, durationS: ended() };
    return { ...base, status: "ok", error: null, row, durationS: ended() };
  } catch (error) {
    if (isAborted(signal)) return null;
    const failure = reasonOf(died) ?? failureOf(error);
    return { ...base, status: "failed", error: failure, row: null, durationS: ended() };
  }
}

/** As a call, because the compiler takes a signal that was not aborted a line ago for one that never will be. */
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function reasonOf(died: AbortSignal | null): StepLine["error"] {
  return died?.aborted === true ? failureOf(died.reason) : null;
}

function failureOf(error: unknown): { code: string; message: string } {
  if (error instanceof RunError) return { code: error.code, message: error.message };
  return { code: codeOf(error), message: messageOf(error) };
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : "UNEXPECTED";
}
