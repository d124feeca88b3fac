import { randomUUID } from "node:crypto";
import { mkdir, open, rm, type FileHandle } from "node:fs/promises";
import { dirname } from "node:path";
import { messageOf, RunError } from "../errors.ts";
import type { RequestRecord } from "../record.ts";
import type { JournalEnd, JournalHeader, JournalResumed, RunFacts } from "./journal-format.ts";
import { takeLock } from "./journal-lock.ts";

/** A records file that is being written. Appends only; one run at a time. */
export interface Journal {
  readonly path: string;
  readonly runId: string;
  /**
   * Writes the header; the file is created now if there is none. Of a run that is continued, a line that says so instead:
   * `atNs` is where its new records begin, after all that are there.
   */
  begin(header: Omit<JournalHeader, "type" | "runId">, atNs?: number): Promise<void>;
  /** Appends one line. Does not wait for the disk; a failure ends in `onFailure` and in `finish`. */
  append(record: RequestRecord): void;
  /**
   * Writes the last line and syncs the file.
   *
   * @param facts what the records do not hold and figures need
   * @throws {RunError} `OUTPUT_UNWRITABLE` when a line could not be written
   */
  finish(interrupted: boolean, facts?: RunFacts): Promise<void>;
  /** Gives the file back, whatever happened. Idempotent. */
  release(): Promise<void>;
}

/** How records get to the disk. */
export interface JournalOptions {
  /**
   * When the file is synced: after every batch of lines (`always`), at most once in so many ms, or only at the end. What is
   * not synced outlives the end of this process, and not that of the machine. Default 1000.
   */
  readonly fsync?: "always" | "end" | number | undefined;
  /** The run of this file to be continued; default a new one. */
  readonly continues?: string | undefined;
}

const FSYNC_MS = 1000;

/**
 * Takes a records file for one run by an exclusive marker beside it (`<path>.lock`). The marker of a process of this
 * host that is gone is taken over.
 *
 * @param onFailure called once when a line cannot be written (disk full): a run that loses records should end
 * @throws {RunError} `OUTPUT_UNWRITABLE` naming the path and the reason
 */
export async function openJournal(
  path: string,
  onFailure: () => void,
  options: JournalOptions = {},
): Promise<Journal> {
  const lock = `${path}.lock`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await takeLock(lock, path);
  } catch (error) {
    throw unwritable(path, error);
  }
  return new FileJournal(path, lock, onFailure, options);
}

class FileJournal implements Journal {
  readonly path: string;
  readonly runId: string;
  readonly #lock: string;
  readonly #onFailure: () => void;
  readonly #continues: boolean;
  readonly #syncEveryMs: number;
  #file: FileHandle | null = null;
  #failure: unknown = null;
  #records = 0;
  #waiting: string[] = [];
  #writing: Promise<void> = Promise.resolve();
  #syncedAt = performance.now();

  constructor(path: string, lock: string, onFailure: () => void, options: JournalOptions) {
    const { fsync = FSYNC_MS, continues } = options;
    this.path = path;
    this.runId = continues ?? randomUUID();
    this.#lock = lock;
    this.#onFailure = onFailure;
    this.#continues = continues !== undefined;
    this.#syncEveryMs = fsync === "always" ? 0 : fsync === "end" ? Infinity : fsync;
  }

  async begin(header: Omit<JournalHeader, "type" | "runId">, atNs = 0): Promise<void> {
    try {
      this.#file = await open(this.path, "a+");
      if (!(await endsWithLineEnd(this.#file))) this.#waiting.push("\n");
      const { runId } = this;
      const { startedAt, tool, host } = header;
      this.#write(
        this.#continues
          ? { type: "resumed", runId, startedAt, tool, host, atNs }
          : { type: "header", runId, ...header },
      );
      // The line break of a torn last line counts as waiting: start the writer by hand.
      this.#writing = this.#writing.then(() => this.#flush());
    } catch (error) {
      throw unwritable(this.path, error);
    }
    await this.#writing;
    if (this.#failure !== null) throw unwritable(this.path, this.#failure);
  }

  append(record: RequestRecord): void {
    this.#records++;
    this.#write(record);
  }

  async finish(interrupted: boolean, facts?: RunFacts): Promise<void> {
    const { runId } = this;
    const line = { type: "end" as const, runId, interrupted, records: this.#records };
    this.#write(facts === undefined ? line : { ...line, facts });
    await this.#writing;
    await this.#sync();
    if (this.#failure !== null) throw unwritable(this.path, this.#failure);
  }

  async release(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close().catch(() => {});
    await rm(this.#lock, { force: true });
  }

  #write(line: RequestRecord | JournalHeader | JournalResumed | JournalEnd): void {
    this.#waiting.push(`${JSON.stringify(line)}\n`);
    // Lines that pile up while the disk is busy go out together.
    if (this.#waiting.length === 1) this.#writing = this.#writing.then(() => this.#flush());
  }

  async #flush(): Promise<void> {
    const lines = this.#waiting;
    this.#waiting = [];
    if (lines.length === 0 || this.#file === null || this.#failure !== null) return;
    try {
      await this.#file.appendFile(lines.join(""));
    } catch (error) {
      this.#failure = error;
      this.#onFailure();
      return;
    }
    if (performance.now() - this.#syncedAt >= this.#syncEveryMs) await this.#sync();
  }

  async #sync(): Promise<void> {
    if (this.#failure !== null) return;
    try {
      await this.#file?.datasync();
      this.#syncedAt = performance.now();
    } catch (error) {
      this.#failure = error;
      this.#onFailure();
    }
  }
}

async function endsWithLineEnd(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return true;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

function unwritable(path: string, error: unknown): RunError {
  if (error instanceof RunError) return error;
  return new RunError("OUTPUT_UNWRITABLE", `cannot write the records to ${path}: ${messageOf(error)}`, {
    cause: error,
  });
}
