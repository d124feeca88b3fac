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
export type { GgufTokenizerLoader } from "./local-tokenizer.ts";
export { startTimetableServer, type TimetableProcess } from "./selftest/timetable-process.ts";
export type { Timetable, TimetableReport } from "./selftest/timetable.ts";
export { RunError, type RunErrorCode } from "./errors.ts";
export type { AcceptanceReading } from "./acceptance-source.ts";
export type { PreparingStep, RunEvent, RunObserver, RunView } from "./events.ts";
export { monotonicClock, startTimeline, type Clock, type Timeline } from "./clock.ts";

export {
  summarize,
  countRequests,
  effectiveTokensPerStep,
  type SummaryContext,
} from "./figures/summarize.ts";
export { createConvention, figuresByConvention } from "./figures/conventions/index.ts";
export {
  CONVENTIONS,
  type Convention,
  type ConventionFigures,
  type ConventionName,
  type ConventionOptions,
} from "./figures/conventions/convention.ts";
export { audit, type AuditInput } from "./checks/audit.ts";
export { modality } from "./figures/modality.ts";
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
export { streamTimes, type StreamTimes } from "./figures/stream-times.ts";
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
  EngineSetup,
  SystemUnderTest,
} from "./result.ts";

export {
  planSweep,
  type AxisValue,
  type SweepAxis,
  type SweepPlan,
  type SweepPoint,
  type SweepStep,
} from "./sweep/sweep-plan.ts";
export {
  openSweepJournal,
  readSweepJournal,
  SWEEP_SCHEMA,
  sweepJournalPath,
  type StepLine,
  type SweepJournal,
  type SweepJournalContent,
  type SweepJournalOptions,
} from "./sweep/sweep-journal.ts";
export {
  runSweep,
  type PointContext,
  type SweepEvent,
  type SweepOptions,
  type SweepResult,
} from "./sweep/run-sweep.ts";
export { requestsOnPage, waitUntilIdle, type IdleWait, type IdleWaitOptions } from "./sweep/wait-idle.ts";
export {
  startManagedServer,
  type ManagedServer,
  type ManagedServerOptions,
} from "./managed/managed-server.ts";
export { serverCommand } from "./managed/server-command.ts";
export { createServerKeeper, type ServerKeeper } from "./managed/server-keeper.ts";
export {
  measureConcurrencyRung,
  measureContextRung,
  measureRun,
  type LadderContext,
} from "./ladders/points.ts";
export { withSystemFacts, type SystemFacts } from "./ladders/system-facts.ts";
export type { RungPrompt, RungSystem } from "./ladders/rung.ts";
export { CONTEXT_MARGIN, fitRungs } from "./ladders/context-prompt.ts";
export type { ContextRow } from "./ladders/context-row.ts";
export type { ConcurrencyRow } from "./ladders/concurrency-row.ts";
export type { RunRow } from "./ladders/run-row.ts";
export type { RungAcceptance, RungFindings, RungOrigin } from "./ladders/row-figures.ts";
export { nothingMeasured } from "./ladders/nothing-measured.ts";
export { ladderCsv } from "./ladders/ladder-csv.ts";
export {
  searchSaturation,
  type SaturationOptions,
  type SaturationResult,
  type SaturationTrial,
} from "./ladders/saturation.ts";
export {
  checkCopy,
  measureFixedOutput,
  type CopyCheck,
  type FixedOutputRow,
} from "./experiments/fixed-output.ts";
export { CONTENT_TYPES, type ContentType } from "./experiments/content-prompts.ts";
export { CONTENT_AXIS, contentPrompts, measureContent, type ContentRow } from "./experiments/content.ts";
export {
  eosBias,
  type BeforeAfter,
  type EosBiasFigures,
  type EosBiasResult,
  type EosPair,
} from "./experiments/eos-bias.ts";
export type { EstimatedFigure } from "./experiments/paired-ratio.ts";
export { EOS_RULES, measureEosArm, readEosBias } from "./experiments/measure-eos-bias.ts";
export { armToText, readArm, type LosslessArm, type LosslessOutput } from "./experiments/lossless/arm.ts";
export {
  compareArms,
  NEAR_TIE,
  type ArmComparison,
  type Divergence,
} from "./experiments/lossless/compare-arms.ts";
export { collectArm, type CollectOptions } from "./experiments/lossless/collect.ts";
export {
  LOSSLESS_ARMS,
  losslessAxis,
  losslessPrompts,
  measureLosslessArm,
  readLossless,
  type LosslessArmName,
  type LosslessRow,
  type LosslessSettings,
} from "./experiments/lossless/measure-lossless.ts";
export { probeServer, type ProbeOptions } from "./probe/probe-server.ts";
export { PROBE_SCHEMA, type ProbeCheck, type ProbeResult, type ProbeStatus } from "./probe/probe-result.ts";
