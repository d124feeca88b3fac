import path from "node:path";

import {
  chartsOf,
  concurrencyLadderCsv,
  contextLadderCsv,
  isConcurrencyLadder,
  joinResults,
  ParquetTable,
  renderHtml,
  renderResultReport,
  renderTerminalReport,
  resultMarkdown,
  resultToJson,
  runMarkdown,
  standaloneSvg,
  vllmServeJson,
  type Chart,
  type ChartTheme,
  type ReportedResult,
  type Result,
} from "@onpar/bench-report";
import { Option, type Command } from "commander";

import type { Env } from "../env.ts";
import { exitCodes, type ExitCode } from "../exit-codes.ts";
import { renderOptions } from "../output.ts";
import { loadResult, type LoadedResult } from "../results/load-results.ts";
import { loadPngDrawer } from "../results/png.ts";
import { openRecords } from "../results/record-lines.ts";
import { makeFolder, writeReportFile } from "../results/write-file.ts";
import { UsageError } from "../usage-error.ts";

interface ReportFlags {
  readonly html?: string;
  readonly md?: boolean | string;
  readonly csv?: boolean | string;
  readonly json?: boolean | string;
  readonly vllm?: boolean | string;
  readonly svg?: string;
  readonly png?: string;
  readonly theme?: ChartTheme;
  readonly parquet?: string;
  readonly records: boolean;
  readonly overwrite?: boolean;
}

const examples = `
Several results that are rungs of one ladder make one report. Records that a result names are read where they are there: they
give the distributions, the timeline and the values of single requests. A file of records is a result, too.

Examples:
  onpar report result.json
  onpar report rung-512.json rung-4096.json --csv ladder.csv --html ladder.html
  onpar report published.csv --svg charts --png pictures
  onpar report records.jsonl --md --parquet records.parquet`;

/** `onpar report`: results of any harness, for people and for other programs. */
export function addReportCommand(program: Command, env: Env, done: (code: ExitCode) => void): void {
  program
    .command("report")
    .summary("report results of this program and of other harnesses")
    .description("Prints a report of results, or writes it as HTML, Markdown, CSV, charts or Parquet.")
    .argument("<RESULTS...>", "result files: of onpar run, of other harnesses, or records")
    .option("--html <FILE>", "Write one HTML file with tables and charts, which needs no network.")
    .option("--md [FILE]", "Markdown, on standard output or into a file.")
    .option(
      "--csv [FILE]",
      "One row per point with the comparator's columns, on standard output or into a file.",
    )
    .option("--json [FILE]", "The result as onpar.result/1, on standard output or into a file.")
    .option(
      "--vllm [FILE]",
      "One point under the keys of vllm bench serve, on standard output or into a file.",
    )
    .option("--svg <DIR>", "Write each chart as an SVG file into this folder.")
    .option(
      "--png <DIR>",
      "Write each chart as a PNG file into this folder (needs the package @resvg/resvg-js).",
    )
    .addOption(new Option("--theme <NAME>", "Colours of --png. Default: light.").choices(["light", "dark"]))
    .option("--parquet <FILE>", "Write one row per request as Parquet.")
    .addOption(new Option("--no-records", "Do not read the records that a result names."))
    .option("--overwrite", "Replace files that are there already.")
    .addHelpText("after", examples)
    .action(async (files: readonly string[], flags: ReportFlags) => {
      if (flags.theme !== undefined && flags.png === undefined)
        throw new UsageError("--theme: is about the pictures of --png, and none are asked for");
      const loaded = files.map((file) => loadResult(file, { withRecords: flags.records }));
      const result = resultOf(loaded);
      const out = (flag: string, to: boolean | string, content: string): void => {
        if (typeof to === "string") writeReportFile(flag, to, content, flags.overwrite === true);
        else env.stdout.write(content);
      };
      let wrote = false;
      for (const [flag, to, content] of outputsOf(flags, loaded, result)) {
        out(flag, to, content());
        wrote = true;
      }
      if (flags.svg !== undefined) {
        const charts = drawnCharts("--svg", reportedOf(loaded, result));
        writeCharts("--svg", flags.svg, charts, "svg", standaloneSvg, flags.overwrite === true);
        wrote = true;
      }
      if (flags.png !== undefined) {
        const charts = drawnCharts("--png", reportedOf(loaded, result));
        const { draw } = await loadPngDrawer();
        const drawn = (svg: string): Uint8Array => draw(svg, flags.theme ?? "light");
        writeCharts("--png", flags.png, charts, "png", drawn, flags.overwrite === true);
        wrote = true;
      }
      if (flags.parquet !== undefined) {
        writeReportFile("--parquet", flags.parquet, parquetOf(loaded), flags.overwrite === true);
        wrote = true;
      }
      if (!wrote) env.stdout.write(terminalText(loaded, result, env));
      done(exitCodes.ok.code);
    });
}

type OutputOf = readonly [flag: string, to: boolean | string, content: () => string];

function outputsOf(flags: ReportFlags, loaded: readonly LoadedResult[], result: Result): OutputOf[] {
  const outputs: (readonly [string, boolean | string | undefined, () => string])[] = [
    ["--html", flags.html, () => renderHtml(reportedOf(loaded, result))],
    ["--md", flags.md, () => markdownOf(loaded, result)],
    [
      "--csv",
      flags.csv,
      () => (isConcurrencyLadder(result) ? concurrencyLadderCsv(result) : contextLadderCsv(result)),
    ],
    ["--json", flags.json, () => resultToJson(result)],
    ["--vllm", flags.vllm, () => vllmOf(result)],
  ];
  return outputs.flatMap(([flag, to, content]) =>
    to === undefined || to === false ? [] : [[flag, to, content] as const],
  );
}

/** The run and its records belong to the report only where there is one. */
function reportedOf(loaded: readonly LoadedResult[], result: Result): ReportedResult {
  const [only] = loaded;
  return loaded.length === 1 && only !== undefined
    ? { result, run: only.run, digest: only.digest }
    : { result };
}

/** @throws {UsageError} where there is nothing to draw */
function drawnCharts(flag: string, reported: ReportedResult): Chart[] {
  const charts = chartsOf(reported);
  if (charts.length > 0) return charts;
  throw new UsageError(
    `${flag}: nothing to draw: a chart takes several rungs, records, or acceptance by position`,
  );
}

function writeCharts(
  flag: string,
  folder: string,
  charts: readonly Chart[],
  extension: string,
  draw: (svg: string) => string | Uint8Array,
  overwrite: boolean,
): void {
  makeFolder(flag, folder);
  for (const { id, svg } of charts)
    writeReportFile(flag, path.join(folder, `${id}.${extension}`), draw(svg), overwrite);
}

function resultOf(loaded: readonly LoadedResult[]): Result {
  const [first, ...rest] = loaded.map(({ result }) => result);
  if (first === undefined) throw new UsageError("onpar report needs a file");
  return rest.length === 0 ? first : joinResults([first, ...rest], loaded.map(({ file }) => file).join(", "));
}

function terminalText(loaded: readonly LoadedResult[], result: Result, env: Env): string {
  const options = renderOptions(env.stdout, env);
  const [only] = loaded;
  return loaded.length === 1 && only?.run != null
    ? renderTerminalReport(only.run, options)
    : renderResultReport(result, options);
}

function markdownOf(loaded: readonly LoadedResult[], result: Result): string {
  const [only] = loaded;
  return loaded.length === 1 && only?.run != null ? runMarkdown(only.run) : resultMarkdown(result);
}

function vllmOf(result: Result): string {
  const [point, ...more] = result.points;
  if (point === undefined || more.length > 0)
    throw new UsageError(`--vllm: takes a result with one point, and this one has ${result.points.length}`);
  return `${JSON.stringify(vllmServeJson(result, point), null, 2)}\n`;
}

function parquetOf(loaded: readonly LoadedResult[]): Uint8Array {
  const table = new ParquetTable();
  for (const { file, recordsFile } of loaded) {
    if (recordsFile === null)
      throw new UsageError(`--parquet: ${file} has no records, or they are not there`);
    for (const record of openRecords(recordsFile).records()) table.add(record);
  }
  return table.bytes();
}
