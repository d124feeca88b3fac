import type { PreparingStep, RunEvent, RunObserver } from "@onpar/sweep-runner";

import type { Env } from "./env.ts";

const REDRAW_MS = 200;
const CLEAR_LINE = "\r\u001b[K";

/** A progress line on standard error; nothing at all where that is no terminal. */
export interface Progress extends RunObserver {
  /** Says what is being done before there is anything to count. */
  announce(text: string): void;
  /** Takes the line away. Idempotent. */
  end(): void;
}

const PREPARING: Readonly<Record<PreparingStep, string>> = {
  caps: "counting recorded answers",
  prompts: "making prompts",
  requests: "building requests",
};

const SILENT: Progress = { announce: () => {}, onEvent: () => {}, end: () => {} };

/**
 * Events only note what happened; a timer draws, so that drawing never stands in the way of a request.
 */
export function createProgress(env: Env, isWanted: boolean): Progress {
  const { stderr } = env;
  if (!isWanted || !stderr.isTerminal) return SILENT;

  let phase: Phase | null = null;
  let failed = 0;
  const show = (text: string) => {
    stderr.write(`${CLEAR_LINE}${text.slice(0, Math.max(20, (stderr.columns ?? 80) - 1))}`);
  };
  const draw = () => {
    if (phase !== null) show(progressLine(phase, failed, env.nowMs()));
  };
  const timer = setInterval(draw, REDRAW_MS);
  timer.unref();

  const end = () => {
    clearInterval(timer);
    stderr.write(CLEAR_LINE);
  };
  return {
    announce: show,
    onEvent(event: RunEvent) {
      if (event.type === "preparing") {
        const name = PREPARING[event.step];
        if (phase?.name !== name) phase = { name, unit: null, startedAtMs: env.nowMs(), done: 0, total: 0 };
        phase.done = event.done;
        phase.total = event.total;
      } else if (event.type === "phase-started") {
        const name = event.phase === "warmup" ? "warm-up" : "measuring";
        phase = { name, unit: "req/s", startedAtMs: env.nowMs(), done: 0, total: event.total };
        failed = 0;
        draw();
      } else if (event.type === "request-finished" && phase !== null) {
        phase.done = event.done;
        phase.total = event.total;
        if (event.record.state === "failed") failed += 1;
      }
    },
    end,
  };
}

/** What the line counts. */
export interface Phase {
  readonly name: string;
  /** Unit of the rate; null where the rate says nothing about the system that is measured. */
  readonly unit: string | null;
  readonly startedAtMs: number;
  done: number;
  total: number;
}

/** `measuring 12/50, 3.41 req/s, 11 s left, 1 failed`. */
export function progressLine(phase: Readonly<Phase>, failed: number, nowMs: number): string {
  const seconds = (nowMs - phase.startedAtMs) / 1000;
  const parts = [`${phase.name} ${phase.done}/${phase.total}`];
  if (phase.done > 0 && seconds > 0) {
    const rate = phase.done / seconds;
    if (phase.unit !== null) parts.push(`${rate.toFixed(2)} ${phase.unit}`);
    parts.push(`${duration((phase.total - phase.done) / rate)} left`);
  }
  if (failed > 0) parts.push(`${failed} failed`);
  return parts.join(", ");
}

/** `41 s`, `3 min 5 s`, `2 h 10 min`. */
export function duration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes} min ${whole % 60} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
