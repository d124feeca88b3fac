export type { AxisComparison } from "./axes.ts";
export { judgeDifference, renderDifference, type DifferenceVerdict, type Verdict } from "./difference.ts";
export { renderOneShotReport, type OneShot } from "./one-shot-report.ts";
export { breachesOf } from "./breaches.ts";
export { ReportError, type ReportErrorCode } from "./errors.ts";
export type { RenderOptions } from "./paint.ts";
export { renderTerminalReport } from "./terminal-report.ts";
export { renderResultReport } from "./result-report.ts";

export { FIGURES, FIGURE_NAMES, type FigureInfo, type FigureName } from "./result/figures.ts";
export {
  RESULT_SCHEMA,
  resultJsonSchema,
  resultSchema,
  type Coordinates,
  type Figure,
  type Point,
  type PointAcceptance,
  type Result,
} from "./result/schema.ts";
export { runJsonSchema, runSchema } from "./result/run-schema.ts";
export { joinResults, resultOfRecords, resultOfRun, type RequestValues } from "./result/from-run.ts";
export { parseJson, readResult, readRun, resultToJson, schemaOf } from "./result/read.ts";

export {
  CONCURRENCY_COLUMNS,
  concurrencyLadderCsv,
  CONTEXT_COLUMNS,
  contextLadderCsv,
  isConcurrencyLadder,
} from "./files/ladder-csv.ts";
export { junitXml, type Check } from "./files/junit.ts";
export { ParquetTable, recordsParquet } from "./files/parquet.ts";
export { resultMarkdown } from "./files/result-markdown.ts";
export { runMarkdown, runSummaryMarkdown } from "./files/run-markdown.ts";
export { vllmServeJson } from "./files/vllm-json.ts";

export { IMPORT_FORMATS, importResult, type ImportFormat } from "./import/import-result.ts";

export {
  compareResults,
  COMPARISON_SCHEMA,
  type Change,
  type CompareOptions,
  type Comparison,
  type FigureComparison,
  type RungComparison,
} from "./compare/compare.ts";
export { comparisonMarkdown } from "./compare/comparison-markdown.ts";
export { renderComparison } from "./compare/comparison-text.ts";
export { checkRegressions, checkRequired, parseFailOn, type FailOn } from "./compare/fail-on.ts";
export type { Ratio, RatioMethod, SideFigure } from "./compare/ratio.ts";
export type { Side } from "./compare/rungs.ts";

export { RunDigester, type PromptAcceptance, type RunDigest } from "./digest/run-digest.ts";
export type { HistogramBin } from "./digest/log-histogram.ts";
export type { TimelineBin } from "./digest/timeline.ts";
export { gateRun, type GateRules } from "./gate/gate.ts";

export type { Chart, ChartTable } from "./charts/chart.ts";
export { paintedSvg, standaloneSvg, type ChartTheme } from "./charts/svg.ts";
export { chartsOf, renderHtml, type ReportedResult } from "./html/report-html.ts";
export { renderComparisonHtml } from "./html/comparison-html.ts";

export { LiveRun, type LiveEnd, type LiveState } from "./live/live-run.ts";
export { liveView, type LiveView } from "./live/live-view.ts";
export { LIVE_POLICY, livePage } from "./live/live-page.ts";
