import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";

import {
  importResult,
  parseJson,
  readRun,
  resultOfRecords,
  resultOfRun,
  RunDigester,
  schemaOf,
  type ImportFormat,
  type Result,
  type RunDigest,
} from "@onpar/bench-report";
import { summarize, type RunResult } from "@onpar/sweep-runner";

import { UsageError } from "../usage-error.ts";
import { isRecordsFile, openRecords } from "./record-lines.ts";

/** A result file with everything that could be read of it. */
export interface LoadedResult {
  readonly file: string;
  readonly result: Result;
  /** The run itself; null for other harnesses' results, and for records alone. */
  readonly run: RunResult | null;
  /** Of the run's records, where they are there. */
  readonly digest: RunDigest | null;
  readonly recordsFile: string | null;
}

export interface LoadOptions {
  readonly format?: ImportFormat | null;
  /** Read the records that a run names, if they are there. */
  readonly withRecords?: boolean;
}

/** Longest text that is read whole; records are read line by line, whatever their length. */
const MOST_BYTES = 500 * 2 ** 20;

/** @throws {UsageError} or ReportError, naming the file */
export function loadResult(
  fileOrFolder: string,
  { format = null, withRecords = true }: LoadOptions = {},
): LoadedResult {
  const file = journalIn(fileOrFolder) ?? fileOrFolder;
  const size = sizeOf(file);
  if (format === null && isRecordsFile(file)) return loadRecords(file);
  if (size > MOST_BYTES) throw new UsageError(`${file}: has more than ${MOST_BYTES} bytes`);
  const text = readFileSync(file, "utf8");
  const name = path.basename(file);
  if (
    format === null &&
    text.trimStart().startsWith("{") &&
    /"schema"\s*:\s*"onpar\.run\//.test(text.slice(0, 4096))
  ) {
    const value = parseJson(text, file);
    if (schemaOf(value)?.startsWith("onpar.run/") === true)
      return loadRun(file, readRun(value, file), withRecords);
  }
  const result = named(() => importResult(text, name, format), file, name);
  return { file, result, run: null, digest: null, recordsFile: null };
}

function loadRun(file: string, run: RunResult, withRecords: boolean): LoadedResult {
  const recordsFile = withRecords ? recordsOf(file, run) : null;
  const digest = recordsFile === null ? null : digestOf(recordsFile, run);
  const title = path.basename(file);
  const result = resultOfRun(run, title, digest?.values ?? undefined);
  return { file, result, run, digest, recordsFile };
}

/** The records that a run names: as it names them, or beside the result. */
function recordsOf(file: string, run: RunResult): string | null {
  if (run.recordsPath === null) return null;
  const beside = path.join(path.dirname(file), path.basename(run.recordsPath));
  return (
    [run.recordsPath, beside].find((candidate) => existsSync(candidate) && isRecordsFile(candidate)) ?? null
  );
}

/** Null where the records are those of another run. */
function digestOf(recordsFile: string, run: RunResult): RunDigest | null {
  const lines = openRecords(recordsFile);
  if (lines.header.startedAt !== run.startedAt) return null;
  const digester = new RunDigester();
  for (const record of lines.records()) digester.add(record);
  return digester.digest();
}

/** Figures and digest in one pass over the file. */
function loadRecords(file: string): LoadedResult {
  const lines = openRecords(file);
  const { header, end } = lines;
  const digester = new RunDigester();
  const facts = end?.facts;
  const seen = (function* () {
    for (const record of lines.records()) {
      digester.add(record);
      yield record;
    }
  })();
  const summary = summarize(seen, {
    asked: facts?.asked ?? header.asked,
    cap: facts?.cap ?? header.config.maxTokens ?? header.config.outputLen,
    acceptance: facts?.acceptance ?? null,
    acceptanceMissing: facts?.acceptanceMissing ?? "the records do not hold it",
    concurrency: facts?.concurrency ?? null,
    client: facts?.client ?? null,
  });
  const digest = digester.digest();
  const result = resultOfRecords(header, summary, {
    title: path.basename(file),
    interrupted: end === null ? true : end.interrupted,
    requests: digest.values ?? undefined,
  });
  return { file, result, run: null, digest, recordsFile: file };
}

/** The journal of a sweep's folder; null for what is no such folder. */
function journalIn(folder: string): string | null {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return null;
  const journal = path.join(folder, "sweep.jsonl");
  return existsSync(journal) ? journal : null;
}

function sizeOf(file: string): number {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) throw new UsageError(`${file}: is not there`);
  if (stats.isDirectory()) throw new UsageError(`${file}: is a folder; name a file`);
  return stats.size;
}

/** Messages name the whole path, titles the file alone. */
function named(read: () => Result, file: string, name: string): Result {
  try {
    return read();
  } catch (error) {
    if (error instanceof Error && error.message.startsWith(name) && file !== name)
      error.message = file + error.message.slice(name.length);
    throw error;
  }
}
