export type {
  ChunkKind,
  ChunkMark,
  ErrorKind,
  FinishKind,
  RecordedError,
  RecordedUsage,
  RequestRecord,
  TokenSource,
} from "./record.ts";
export type {
  AcceptanceSummary,
  Distribution,
  Finding,
  LatencySummary,
  OutputSummary,
  RateSummary,
  RequestCounts,
  RunResult,
  RunSummary,
  SystemUnderTest,
} from "./result.ts";
