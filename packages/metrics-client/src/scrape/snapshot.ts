import type { MetricsPage } from "../exposition/sample.ts";

/** A metrics page with where and when it was taken. */
export interface MetricsSnapshot extends MetricsPage {
  readonly url: string;
  /** ISO 8601, wall clock: for people and for telling snapshots apart, never for a rate. */
  readonly takenAt: string;
  /**
   * An opaque token that changes when the server restarts (llama.cpp's header `Process-Start-Time-Unix`); null when the
   * server sends none.
   */
  readonly startToken: string | null;
  /**
   * True when reading has taken the figures away from the server (TensorRT-LLM's JSON statistics): its counters then hold
   * what happened since somebody last read them, not since the start.
   */
  readonly drained?: boolean;
  /** Offset on a monotonic clock, ms, for spans between snapshots; left out where it was not taken. */
  readonly monotonicMs?: number;
}
