import { messageOf, RunError } from "../errors.ts";
import {
  endSchema,
  headerSchema,
  record1Schema,
  RECORDS_SCHEMA,
  recordSchema,
  type JournalEnd,
  type JournalHeader,
  type JournalRun,
} from "./journal-format.ts";
import { LineTooLongError, readLines } from "../read-lines.ts";
import type { RequestRecord } from "../record.ts";

/** Bound on one record, bytes. A chunk takes about 40. */
const LINE_LIMIT = 256 * 2 ** 20;

interface OpenRun {
  header: JournalHeader;
  records: RequestRecord[];
  end: JournalEnd | null;
  torn: boolean;
}

/**
 * Reads the runs of a records file. The last line of each run may be cut off (a run that was killed): it is left out
 * and the run says `torn`.
 *
 * @throws {RunError} `RECORDS_INVALID` naming file and line
 */
export async function readRecords(path: string): Promise<JournalRun[]> {
  const runs: OpenRun[] = [];
  /** A line that is no JSON: forgiven when it turns out to be the last of its run. */
  let broken: { readonly line: number; readonly message: string } | null = null;
  let number = 0;

  const refuse = (line: number, what: string): RunError =>
    new RunError("RECORDS_INVALID", `${path}:${line}: ${what}`);
  const take = (text: string): void => {
    const value = parse(text);
    if (value instanceof Error) {
      if (broken !== null) throw refuse(broken.line, broken.message);
      broken = { line: number, message: `not JSON: ${messageOf(value)}` };
      return;
    }
    if (isHeader(value)) {
      closeTorn();
      runs.push({ header: value, records: [], end: null, torn: false });
      return;
    }
    if (broken !== null) throw refuse(broken.line, broken.message);
    const run = runs.at(-1);
    if (run === undefined)
      throw refuse(number, "records must begin with a header line of schema onpar.records/1 or /2");
    const record = readRecord(value, run.header.schema);
    if (record !== null) run.records.push(record);
    else if (isEnd(value)) run.end = value;
    else throw refuse(number, `not a record: ${firstIssue(value, run.header.schema)}`);
  };
  const closeTorn = (): void => {
    if (broken === null) return;
    const run = runs.at(-1);
    if (run === undefined) throw refuse(broken.line, broken.message);
    run.torn = true;
    broken = null;
  };

  try {
    for await (const line of readLines(path, LINE_LIMIT)) {
      number = line.number;
      if (line.text.trim() !== "") take(line.text);
    }
  } catch (error) {
    if (error instanceof RunError) throw error;
    if (error instanceof LineTooLongError) throw refuse(error.line, error.message);
    throw new RunError("RECORDS_INVALID", `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
  closeTorn();
  return runs;
}

function isHeader(value: unknown): value is JournalHeader {
  return headerSchema.safeParse(value).success;
}

/** Null when it is none. */
function readRecord(value: unknown, schema: JournalHeader["schema"]): RequestRecord | null {
  if (schema === RECORDS_SCHEMA) return isRecord(value) ? value : null;
  const parsed = record1Schema.safeParse(value);
  return parsed.success && isRecord(parsed.data) ? parsed.data : null;
}

function isRecord(value: unknown): value is RequestRecord {
  return recordSchema.safeParse(value).success;
}

function isEnd(value: unknown): value is JournalEnd {
  return endSchema.safeParse(value).success;
}

function firstIssue(value: unknown, schema: JournalHeader["schema"]): string {
  const line = schema === RECORDS_SCHEMA ? recordSchema : record1Schema;
  const issue = line.safeParse(value).error?.issues[0];
  return issue === undefined ? "unknown line" : `${issue.path.join(".")}: ${issue.message}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
