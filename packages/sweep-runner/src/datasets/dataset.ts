import { isUtf8 } from "node:buffer";
import { open, readFile, stat } from "node:fs/promises";
import { readRow, type DatasetRow, type RowReading } from "./dataset-rows.ts";
import { RowError } from "./row-error.ts";
import { messageOf, oneLine, RunError, systemCode } from "../errors.ts";
import { LineEncodingError, LineTooLongError, readLines } from "../read-lines.ts";

/** Bound on a dataset that is one JSON document and has to be in memory as a whole, bytes. */
const DOCUMENT_LIMIT = 512 * 2 ** 20;
const LF = 0x0a;

/** Bound on one line of a JSONL dataset, bytes. */
const LINE_LIMIT = 64 * 2 ** 20;

const UNREADABLE: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  ENOTDIR: "no such file",
  EISDIR: "it is a folder; name a file in it",
  EACCES: "this user may not read it",
};

export type PromptRow = Exclude<DatasetRow, { kind: "nothing" }>;

export interface Dataset {
  readonly rows: readonly PromptRow[];
  /** Conversations that held nothing to send. */
  readonly skipped: number;
}

/**
 * Reads the first `wanted` rows of a dataset: JSON lines, or one JSON list (ShareGPT). Told apart by the first
 * character. Rows after the wanted ones are not read. Ids that rows give themselves must differ: a record is found again
 * by the id of its prompt.
 *
 * @throws {RunError} `DATASET_INVALID` naming file, line (or entry) and what is wrong there
 */
export async function readDataset(
  path: string,
  wanted: number,
  reading: Partial<RowReading> = {},
): Promise<Dataset> {
  try {
    return (await firstCharacter(path)) === "["
      ? await readDocument(path, wanted, reading)
      : await readRows(path, wanted, reading);
  } catch (error) {
    if (error instanceof RunError) throw error;
    const why = UNREADABLE[systemCode(error) ?? ""] ?? messageOf(error);
    throw new RunError("DATASET_INVALID", `cannot read the dataset ${path}: ${why}`, { cause: error });
  }
}

/** Takes rows as they are read. */
class RowCollector {
  readonly rows: PromptRow[] = [];
  skipped = 0;
  readonly #path: string;
  /** Where each id that a row gives itself was first seen. */
  readonly #seen = new Map<string, string>();

  constructor(path: string) {
    this.#path = path;
  }

  /** `place` stands after the path: `:3`, `: entry 3`. */
  add(place: string, read: () => DatasetRow): void {
    const where = `${this.#path}${place}`;
    const row = rowAt(where, read);
    if (row.kind === "nothing") {
      this.skipped++;
      return;
    }
    if (row.id !== null) {
      const first = this.#seen.get(row.id);
      if (first !== undefined)
        throw invalid(where, `the id ${JSON.stringify(oneLine(row.id, 80))} stands at ${first} already`);
      this.#seen.set(row.id, place.replace(/^:(?=\d)/, "line ").replace(/^: /, ""));
    }
    this.rows.push(row);
  }
}

async function readRows(path: string, wanted: number, reading: Partial<RowReading>): Promise<Dataset> {
  const collector = new RowCollector(path);
  try {
    for await (const { number, text } of readLines(path, LINE_LIMIT, { strict: true })) {
      if (text.trim() === "") continue;
      collector.add(`:${number}`, () => readRow(parseLine(text), reading));
      if (collector.rows.length === wanted) break;
    }
  } catch (error) {
    if (error instanceof LineTooLongError || error instanceof LineEncodingError)
      throw invalid(`${path}:${error.line}`, error.message);
    throw error;
  }
  return collector;
}

async function readDocument(path: string, wanted: number, reading: Partial<RowReading>): Promise<Dataset> {
  const { size } = await stat(path);
  if (size > DOCUMENT_LIMIT) {
    throw invalid(
      path,
      `${size} bytes in one JSON list; lists over ${DOCUMENT_LIMIT} bytes must be given as JSON lines`,
    );
  }
  const bytes = await readFile(path);
  if (!isUtf8(bytes)) {
    const fault = new LineEncodingError(firstLineNotUtf8(bytes));
    throw invalid(`${path}:${fault.line}`, fault.message);
  }
  const text = bytes.toString("utf8").replace(/^\uFEFF/, "");
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    throw invalid(`${path}${lineOfJsonError(text, error)}`, `not JSON: ${messageOf(error)}`);
  }
  if (!isList(list)) throw invalid(path, "not a JSON list");
  const collector = new RowCollector(path);
  for (const [index, value] of list.entries()) {
    collector.add(`: entry ${index}`, () => readRow(value, reading));
    if (collector.rows.length === wanted) break;
  }
  return collector;
}

/** From 1. No character of more than one byte holds the byte LF, so every line can be looked at alone. */
function firstLineNotUtf8(bytes: Buffer): number {
  let line = 1;
  for (let start = 0; ; line++) {
    const end = bytes.indexOf(LF, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return line;
    start = end + 1;
  }
}

function parseLine(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new RowError(`not JSON: ${messageOf(error)}`);
  }
}

function rowAt(where: string, read: () => DatasetRow): DatasetRow {
  try {
    return read();
  } catch (error) {
    if (error instanceof RowError) throw invalid(where, error.message);
    throw error;
  }
}

function invalid(where: string, what: string): RunError {
  return new RunError("DATASET_INVALID", `${where}: ${oneLine(what, 300)}`);
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/**
 * ":3" for the line where JSON breaks, or nothing. V8 names a position ("at position 12") or quotes the text around it
 * (`..."sations": oops} ]" is not valid JSON`), which tells the line where that text stands only once.
 */
function lineOfJsonError(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  const position = /position (\d+)/.exec(message)?.[1];
  const quoted = /(?:\.{3})?"([^]+)"(?:\.{3})? is not valid JSON$/.exec(message)?.[1];
  const found = quoted === undefined ? -1 : text.indexOf(quoted);
  const unique = found !== -1 && text.indexOf(quoted ?? "", found + 1) === -1;
  const at = position === undefined ? (unique ? found + (quoted?.length ?? 0) / 2 : -1) : Number(position);
  return at === -1 ? "" : `:${text.slice(0, at).split("\n").length}`;
}

async function firstCharacter(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
    return buffer
      .toString("utf8", 0, bytesRead)
      .replace(/^\uFEFF/, "")
      .trimStart()
      .charAt(0);
  } finally {
    await file.close();
  }
}
