import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Finding } from "../result.ts";

const RESOLUTION_MS = 5;
/** Delay of the event loop, p99, above which time stamps may be late by as much. */
export const EVENT_LOOP_LIMIT_MS = 25;

/** Watches how late this process gets to its sockets. */
export interface EventLoopWatch {
  /** Ends the watch. */
  stop(): EventLoopDelay;
}

export interface EventLoopDelay {
  readonly p99Ms: number;
  readonly maxMs: number;
}

export function watchEventLoop(): EventLoopWatch {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return {
    stop() {
      histogram.disable();
      if (histogram.count === 0) return { p99Ms: 0, maxMs: 0 };
      // The histogram holds whole intervals between ticks; what exceeds the resolution is the delay.
      const delay = (ns: number): number => Math.max(0, ns / 1e6 - RESOLUTION_MS);
      return { p99Ms: delay(histogram.percentile(99)), maxMs: delay(histogram.max) };
    },
  };
}

/** A finding when the client itself was slow; empty otherwise. */
export function auditEventLoop({ p99Ms, maxMs }: EventLoopDelay): Finding[] {
  if (p99Ms <= EVENT_LOOP_LIMIT_MS) return [];
  const message =
    `this client was busy: its event loop was late by ${p99Ms.toFixed(0)} ms at p99 (limit ${EVENT_LOOP_LIMIT_MS} ms, ` +
    `worst ${maxMs.toFixed(0)} ms), so arrival times may be late by as much`;
  return [{ severity: "warning", code: "client-bound", message }];
}
