import { isAscii } from "node:buffer";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

import type { JournalEnd, JournalHeader, RequestRecord } from "@onpar/sweep-runner";

import { UsageError } from "../usage-error.ts";

const BLOCK_BYTES = 4 * 2 ** 20;
/** Longest line that is one record. */
const LINE_BYTES = 256 * 2 ** 20;
/** What the end of a run says of it. */
const TAIL_BYTES = 2 ** 20;

/** The records of a run in a file, and the lines around them. */
export interface RecordLines {
  readonly header: JournalHeader;
  /** Null when the run was killed before it could say that it ended. */
  readonly end: JournalEnd | null;
  /** Reads the file once more, a block at a time; no more than one record is in memory. */
  records(): Iterable<RequestRecord>;
}

/** Whether a file begins as records do. */
export function isRecordsFile(file: string): boolean {
  const [line] = firstLine(file);
  return line !== undefined && /^\{"type":"header",.*"schema":"onpar\.records\//.test(line);
}

/** @throws {UsageError} naming file and line */
export function openRecords(file: string): RecordLines {
  const [line = ""] = firstLine(file);
  const header = parse(file, 1, line);
  if (!isHeader(header)) throw new UsageError(`${file}: does not begin with the header of onpar.records/2`);
  return { header, end: endOf(file), records: () => recordsOf(file) };
}

function* recordsOf(file: string): Generator<RequestRecord> {
  let number = 0;
  let broken: UsageError | null = null;
  for (const line of linesOf(file)) {
    number++;
    if (line === "") continue;
    if (broken !== null) throw broken;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      // The last line of a run that was killed may be cut off.
      broken = new UsageError(`${file}:${number}: is no JSON`);
      continue;
    }
    if (isRecord(value)) yield value;
    else if (number > 1 && isHeader(value))
      throw new UsageError(
        `${file}:${number}: a second run begins here; report runs from files of their own`,
      );
    else if (!isOtherLine(value)) throw new UsageError(`${file}:${number}: is no record of onpar.records/2`);
  }
}

function* linesOf(file: string): Generator<string> {
  const descriptor = openSync(file, "r");
  try {
    const block = Buffer.alloc(BLOCK_BYTES);
    let rest: Buffer[] = [];
    let length = 0;
    for (;;) {
      const read = readSync(descriptor, block, 0, BLOCK_BYTES, null);
      if (read === 0) break;
      let from = 0;
      for (let to = block.indexOf(10, from); to >= 0 && to < read; to = block.indexOf(10, from)) {
        const part = block.subarray(from, to);
        yield textOf(rest.length === 0 ? part : Buffer.concat([...rest, part]));
        rest = [];
        length = 0;
        from = to + 1;
      }
      if (from < read) {
        length += read - from;
        if (length > LINE_BYTES) throw new UsageError(`${file}: a line is longer than ${LINE_BYTES} bytes`);
        rest.push(Buffer.from(block.subarray(from, read)));
      }
    }
    if (rest.length > 0) yield textOf(Buffer.concat(rest));
  } finally {
    closeSync(descriptor);
  }
}

/** Most lines are ASCII, which needs no decoding. */
function textOf(bytes: Buffer): string {
  return bytes.toString(isAscii(bytes) ? "latin1" : "utf8");
}

function firstLine(file: string): [string?] {
  for (const line of linesOf(file)) return [line];
  return [];
}

function endOf(file: string): JournalEnd | null {
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(TAIL_BYTES);
    const { size } = fstatSync(descriptor);
    const read = readSync(descriptor, bytes, 0, TAIL_BYTES, Math.max(0, size - TAIL_BYTES));
    const last = bytes.toString("utf8", 0, read).trimEnd().split("\n").at(-1) ?? "";
    const value: unknown = last.startsWith('{"type":"end"') ? JSON.parse(last) : null;
    return isEnd(value) ? value : null;
  } finally {
    closeSync(descriptor);
  }
}

function parse(file: string, number: number, line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    throw new UsageError(`${file}:${number}: is no JSON`);
  }
}

function typeOf(value: unknown): unknown {
  return typeof value === "object" && value !== null && "type" in value ? value.type : undefined;
}

function isHeader(value: unknown): value is JournalHeader {
  return (
    typeOf(value) === "header" &&
    typeof value === "object" &&
    value !== null &&
    "schema" in value &&
    value.schema === "onpar.records/2" &&
    "config" in value
  );
}

function isEnd(value: unknown): value is JournalEnd {
  return typeOf(value) === "end";
}

function isOtherLine(value: unknown): boolean {
  const type = typeOf(value);
  return type === "header" || type === "end" || type === "resumed";
}

/** What every figure reads; the runner's own reader looks at every field. */
function isRecord(value: unknown): value is RequestRecord {
  if (typeOf(value) !== "request" || typeof value !== "object" || value === null) return false;
  if (!("chunks" in value) || !("endNs" in value) || !("state" in value) || !("phase" in value)) return false;
  const { chunks } = value;
  return (
    typeof value.endNs === "number" &&
    typeof chunks === "object" &&
    chunks !== null &&
    "kinds" in chunks &&
    typeof chunks.kinds === "string" &&
    "gapsNs" in chunks &&
    Array.isArray(chunks.gapsNs) &&
    chunks.gapsNs.length === chunks.kinds.length
  );
}
