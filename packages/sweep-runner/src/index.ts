export { runBench, type RunBenchOptions } from "./run-bench.ts";
export { completeOnce, type Completion, type CompleteOnceOptions } from "./complete-once.ts";
export type { OnText } from "./load/recorder.ts";
export {
  selftest,
  type ErrorFigures,
  type SelftestLevel,
  type SelftestOptions,
  type SelftestResult,
} from "./selftest/selftest.ts";
export { startTimetableServer, type TimetableProcess } from "./selftest/timetable-process.ts";
export type { Timetable, TimetableReport } from "./selftest/timetable.ts";
export { RunError, type RunErrorCode } from "./errors.ts";
export type { RunEvent, RunObserver } from "./events.ts";
export { monotonicClock, startTimeline, type Clock, type Timeline } from "./clock.ts";

export {
  summarize,
  countRequests,
  effectiveTokensPerStep,
  type SummaryContext,
} from "./figures/summarize.ts";
export { audit, type AuditInput } from "./checks/audit.ts";
export { distribution, quantileType7 } from "./figures/percentiles.ts";
export {
  clientQueueMs,
  decodeRateCtxsweep,
  decodeRateVllm,
  e2elFromScheduleMs,
  e2elMs,
  itlChunkGapsMs,
  itlTokenGapsMs,
  ratePerS,
  runDurationS,
  streamEndMs,
  timeToFirstAnswerMs,
  tpotVllm,
  tpotVllmMs,
  ttftFromScheduleMs,
  ttftMs,
} from "./figures/request-figures.ts";
export { carriesTokens, ChunkBuilder, chunkMarks, packChunks } from "./records/chunk-series.ts";
export { readRecords } from "./records/read-records.ts";
export type { HostFacts, JournalEnd, JournalHeader, JournalRun } from "./records/journal-format.ts";

export type {
  ChunkKind,
  ChunkMark,
  ChunkSeries,
  ErrorKind,
  FinishKind,
  RecordedError,
  RecordedUsage,
  RequestRecord,
  RequestState,
  TokenSource,
} from "./record.ts";
export { RUN_SCHEMA } from "./result.ts";
export type {
  AcceptanceSummary,
  ClientCheck,
  DelaySummary,
  Distribution,
  DistributionIntervals,
  Finding,
  GoodputSummary,
  Interval,
  LatencySummary,
  Modality,
  OutputSummary,
  RateSummary,
  RequestCounts,
  RunResult,
  RunSummary,
  SloResult,
  SpreadFigure,
  SpreadSummary,
  SteadyWindow,
  SystemUnderTest,
} from "./result.ts";
