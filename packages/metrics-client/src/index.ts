export { counterIncrease, deltaSnapshots, type MetricsDelta } from "./delta/delta.ts";
export { type ForeignTraffic, foreignTraffic, type OwnTraffic } from "./delta/foreign.ts";
export {
  judgeSettled,
  settleMetrics,
  type Settled,
  type SettleOptions,
  type SettleVerdict,
} from "./delta/settle.ts";
export type { ResetSign } from "./delta/compare.ts";
export { measureWindow, type MetricsWindow, type WindowOptions } from "./delta/window.ts";
export { detectEngine, type Detection } from "./detect.ts";
export { diagnoseMetrics, type Diagnosis } from "./diagnose.ts";
export type { Dialect } from "./dialects/dialect.ts";
export { dialectByNames, dialectOf, DIALECTS } from "./dialects/registry.ts";
export type { ServerFacts } from "./dialects/server-facts.ts";
export type {
  CounterId,
  DraftBudget,
  EngineName,
  HistogramId,
  HistogramSource,
  SeriesSource,
  Staleness,
} from "./dialects/sources.ts";
export { MetricsError, type MetricsErrorCode, type MetricsErrorDetails } from "./errors.ts";
export { type IterationStats, pageOfIterations, parseIterationStats } from "./exposition/iteration-stats.ts";
export type { ExpositionLimits } from "./exposition/limits.ts";
export { type ExpositionOptions, parseExposition, parseMetricsPage } from "./exposition/page.ts";
export type {
  Exemplar,
  ExpositionFormat,
  MetricFamily,
  MetricSample,
  MetricsPage,
  MetricType,
} from "./exposition/sample.ts";
export { type ExpositionStreamOptions, streamExposition } from "./exposition/stream.ts";
export type { AcceptanceContext, AcceptanceOutcome, AcceptanceReading } from "./normal/acceptance-reading.ts";
export {
  type Acceptance,
  acceptanceFrom,
  type AcceptanceSource,
  type SpecDecodeCounts,
  specDecodeCountsOf,
  sumSpecDecodeCounts,
} from "./normal/acceptance.ts";
export type { CounterEntry, CounterValues } from "./normal/counter-values.ts";
export type { Counts } from "./normal/counters.ts";
export { type Figure, FIGURE_SOURCES, type FigureSource, type FigureWindow } from "./normal/figure.ts";
export { type FormulaId, FORMULAS } from "./normal/formulas.ts";
export {
  type Histogram,
  histogramOf,
  meanOf,
  type QuantileEstimate,
  quantileOf,
  subtractHistograms,
} from "./normal/histogram.ts";
export { checkSpecDecodeInvariants } from "./normal/invariants.ts";
export type { Distribution, Distributions } from "./normal/latencies.ts";
export type { BusyState, KvUsage } from "./normal/load.ts";
export { type NormalReading, type ReadingOptions, readNormal } from "./normal/normal-reading.ts";
export { PageIndex, type SeriesSelection } from "./normal/page-index.ts";
export type { Quantity } from "./normal/quantity.ts";
export {
  readServerCounters,
  readServerLoad,
  readSpecDecodeCounts,
  type ServerCounters,
  type ServerLoad,
} from "./normal/readings.ts";
export type { RequestAcceptance } from "./per-request/request-acceptance.ts";
export { acceptanceFromResponse, readRequestAcceptance } from "./per-request/response.ts";
export { bestAcceptance, sumRequestAcceptance } from "./per-request/sum.ts";
export { probeServer } from "./probe.ts";
export { addDrained } from "./scrape/drain.ts";
export { mergeSnapshots } from "./scrape/merge.ts";
export { fetchMetricsText, scrapeAllMetrics, scrapeMetrics, type ScrapeOptions } from "./scrape/scrape.ts";
export type { FetchedText } from "./scrape/fetch-text.ts";
export type { MetricsSnapshot } from "./scrape/snapshot.ts";
export { systemClock, type WatchClock } from "./watch/clock.ts";
export { averageGauges, type GaugeSample } from "./watch/gauge-average.ts";
export { Ring } from "./watch/ring.ts";
export { sampleEvery, type SamplerOptions, type Tick } from "./watch/sampler.ts";
export {
  type Watch,
  watchMetrics,
  type WatchOptions,
  type WatchPoint,
  type WatchTotal,
} from "./watch/watch.ts";
