import type { MetricsPage } from "./sample.ts";

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
}
