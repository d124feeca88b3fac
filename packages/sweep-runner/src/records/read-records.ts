import { messageOf, RunError } from "../errors.ts";
import { LineTooLongError, readLines } from "../read-lines.ts";
import type { RequestRecord } from "../record.ts";
import {
  endSchema,
  headerSchema,
  record1Schema,
  RECORDS_SCHEMA,
  recordSchema,
  resumedSchema,
  type JournalEnd,
  type JournalHeader,
  type JournalResumed,
  type JournalRun,
} from "./journal-format.ts";
import { isRecordShape } from "./record-shape.ts";

/** Bound on one record, bytes. A chunk takes about 15. */
const LINE_LIMIT = 256 * 2 ** 20;

/** Is told the lines of a records file, in order. */
export interface RecordVisitor {
  header?(header: JournalHeader): void;
  record?(record: RequestRecord): void;
  /** The run goes on after it was cut short. */
  resumed?(line: JournalResumed): void;
  end?(end: JournalEnd): void;
  /** The line before was cut off in the middle, and is left out. */
  torn?(): void;
}

/**
 * Reads a records file line by line: no more than one record is in memory, so a file of a million of them is no more work
 * than time. The last line of each run may be cut off (a run that was killed): it is left out and said.
 *
 * @throws {RunError} `RECORDS_INVALID` naming file and line
 */
export async function scanRecords(path: string, visitor: RecordVisitor): Promise<void> {
  const scan = new Scan(path, visitor);
  try {
    for await (const { number, text } of readLines(path, LINE_LIMIT)) {
      if (text !== "" && text.trim() !== "") scan.take(number, text);
    }
  } catch (error) {
    if (error instanceof RunError) throw error;
    if (error instanceof LineTooLongError) throw scan.refuse(error.line, error.message);
    throw new RunError("RECORDS_INVALID", `cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
  scan.close();
}

/** The runs of a records file, with all their records in memory; see {@link scanRecords}. */
export async function readRecords(path: string): Promise<JournalRun[]> {
  const runs: { header: JournalHeader; records: RequestRecord[]; end: JournalEnd | null; torn: boolean }[] =
    [];
  await scanRecords(path, {
    header: (header) => runs.push({ header, records: [], end: null, torn: false }),
    record: (record) => runs.at(-1)?.records.push(record),
    resumed() {
      const run = runs.at(-1);
      if (run !== undefined) run.end = null;
    },
    end(end) {
      const run = runs.at(-1);
      if (run !== undefined) run.end = end;
    },
    torn() {
      const run = runs.at(-1);
      if (run !== undefined) run.torn = true;
    },
  });
  return runs;
}

class Scan {
  readonly #path: string;
  readonly #visitor: RecordVisitor;
  #header: JournalHeader | null = null;
  /** A line that is no JSON: forgiven when it turns out to be the last of its run, or of the part before it went on. */
  #broken: { readonly line: number; readonly message: string } | null = null;

  constructor(path: string, visitor: RecordVisitor) {
    this.#path = path;
    this.#visitor = visitor;
  }

  refuse(line: number, what: string): RunError {
    return new RunError("RECORDS_INVALID", `${this.#path}:${line}: ${what}`);
  }

  take(number: number, text: string): void {
    const value = parse(text);
    if (value instanceof Error) {
      this.#refuseBroken();
      this.#broken = { line: number, message: `not JSON: ${messageOf(value)}` };
      return;
    }
    const header = this.#header;
    if (
      header !== null &&
      this.#broken === null &&
      header.schema === RECORDS_SCHEMA &&
      isRecordShape(value)
    ) {
      this.#visitor.record?.(value);
      return;
    }
    this.#takeOther(number, value);
  }

  close(): void {
    if (this.#broken === null) return;
    if (this.#header === null) this.#refuseBroken();
    this.#broken = null;
    this.#visitor.torn?.();
  }

  #takeOther(number: number, value: unknown): void {
    if (isHeader(value)) {
      this.close();
      this.#header = value;
      this.#visitor.header?.(value);
      return;
    }
    if (isResumed(value) && this.#header !== null) {
      if (value.runId !== this.#header.runId)
        throw this.refuse(number, "a run goes on that does not stand before this line");
      this.close();
      this.#visitor.resumed?.(value);
      return;
    }
    this.#refuseBroken();
    if (this.#header === null)
      throw this.refuse(number, "records must begin with a header line of schema onpar.records/1 or /2");
    const record = readRecord(value, this.#header.schema);
    if (record !== null) this.#visitor.record?.(record);
    else if (isEnd(value)) this.#visitor.end?.(value);
    else throw this.refuse(number, `not a record: ${firstIssue(value, this.#header.schema)}`);
  }

  #refuseBroken(): void {
    if (this.#broken !== null) throw this.refuse(this.#broken.line, this.#broken.message);
  }
}

function isHeader(value: unknown): value is JournalHeader {
  return headerSchema.safeParse(value).success;
}

function isResumed(value: unknown): value is JournalResumed {
  return resumedSchema.safeParse(value).success;
}

/** Null when it is none. */
function readRecord(value: unknown, schema: JournalHeader["schema"]): RequestRecord | null {
  if (schema === RECORDS_SCHEMA) return isRecordShape(value) ? value : null;
  const parsed = record1Schema.safeParse(value);
  return parsed.success && isRecordShape(parsed.data) ? parsed.data : null;
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
