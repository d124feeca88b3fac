import { ValueSink } from "../figures/value-sink.ts";
import type { DelaySummary } from "../result.ts";

/** How late starts were taken up while there was room for them: what a client adds to its own schedule. */
export class ScheduleError {
  readonly #lateMs = new ValueSink();

  add(lateNs: number): void {
    this.#lateMs.add(Math.max(0, lateNs) / 1e6);
  }

  /** Null when no start had a time. */
  summary(): DelaySummary | null {
    const late = this.#lateMs.distribution();
    return late === null ? null : { p50Ms: late.p50, p99Ms: late.p99, maxMs: late.max };
  }
}
