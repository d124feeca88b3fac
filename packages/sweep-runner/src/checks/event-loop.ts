import { monitorEventLoopDelay, performance } from "node:perf_hooks";
import type { DelaySummary } from "../result.ts";

const RESOLUTION_MS = 5;

/** How a thread that stamps did while it was watched. */
export interface LoopReport extends DelaySummary {
  /** How long it was watched, s. */
  readonly watchedS: number;
  /** Share of the time in which it had something to do, 0 to 1. */
  readonly busyShare: number;
}

/** Watches how late this thread gets to its sockets. */
export interface EventLoopWatch {
  /** Ends the watch. */
  stop(): LoopReport;
}

export function watchEventLoop(): EventLoopWatch {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const before = performance.eventLoopUtilization();
  const startMs = performance.now();
  histogram.enable();
  return {
    stop() {
      histogram.disable();
      const watchedS = (performance.now() - startMs) / 1000;
      const busyShare = performance.eventLoopUtilization(before).utilization;
      if (histogram.count === 0) return { p50Ms: 0, p99Ms: 0, maxMs: 0, watchedS, busyShare };
      // The histogram holds whole intervals between ticks; what exceeds the resolution is the delay.
      const delay = (ns: number): number => Math.max(0, ns / 1e6 - RESOLUTION_MS);
      return {
        p50Ms: delay(histogram.percentile(50)),
        p99Ms: delay(histogram.percentile(99)),
        maxMs: delay(histogram.max),
        watchedS,
        busyShare,
      };
    },
  };
}
