export {
  type Acceptance,
  acceptanceFrom,
  type AcceptanceSource,
  type SpecDecodeCounts,
  sumSpecDecodeCounts,
} from "./acceptance.ts";
export { counterIncrease, deltaSnapshots, type MetricsDelta, type ResetSign } from "./delta.ts";
export { MetricsError, type MetricsErrorCode, type MetricsErrorDetails } from "./errors.ts";
export { type ExpositionLimits, parseExposition, parseMetricsPage } from "./exposition.ts";
export { checkSpecDecodeInvariants } from "./invariants.ts";
export { acceptanceFromResponse } from "./per-request.ts";
export {
  readServerCounters,
  readServerLoad,
  readSpecDecodeCounts,
  type ServerCounters,
  type ServerLoad,
} from "./readings.ts";
export type { MetricFamily, MetricSample, MetricsPage, MetricType } from "./sample.ts";
export { scrapeMetrics, type ScrapeOptions } from "./scrape.ts";
export type { SeriesSelection } from "./series.ts";
export type { MetricsSnapshot } from "./snapshot.ts";
