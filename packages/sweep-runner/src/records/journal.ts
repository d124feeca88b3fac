import { randomUUID } from "node:crypto";
import { mkdir, open, readFile, rm, type FileHandle } from "node:fs/promises";
import { cpus, hostname, totalmem } from "node:os";
import { dirname } from "node:path";
import { messageOf, RunError, systemCode } from "../errors.ts";
import type { HostFacts, JournalEnd, JournalHeader } from "./journal-format.ts";
import type { RequestRecord } from "../record.ts";

/** A records file that is being written. Appends only; one run at a time. */
export interface Journal {
  readonly path: string;
  readonly runId: string;
  /** Writes the header; the file is created now if there is none. */
  begin(header: Omit<JournalHeader, "type" | "runId">): Promise<void>;
  /** Appends one line. Does not wait for the disk; a failure ends in `onFailure` and in `finish`. */
  append(record: RequestRecord): void;
  /**
   * Writes the last line and closes the file.
   *
   * @throws {RunError} `OUTPUT_UNWRITABLE` when a line could not be written
   */
  finish(interrupted: boolean): Promise<void>;
  /** Gives the file back, whatever happened. Idempotent. */
  release(): Promise<void>;
}

/**
 * Takes a records file for one run by an exclusive marker beside it (`<path>.lock`). The marker of a process of this
 * host that is gone is taken over.
 *
 * @param onFailure called once when a line cannot be written (disk full): a run that loses records should end
 * @throws {RunError} `OUTPUT_UNWRITABLE` naming the path and the reason
 */
export async function openJournal(path: string, onFailure: () => void): Promise<Journal> {
  const lock = `${path}.lock`;
  try {
    await mkdir(dirname(path), { recursive: true });
    await takeLock(lock, path);
  } catch (error) {
    throw unwritable(path, error);
  }

  const runId = randomUUID();
  let file: FileHandle | null = null;
  let failure: unknown = null;
  let records = 0;
  let waiting: string[] = [];
  let writing: Promise<void> = Promise.resolve();

  const flush = async (): Promise<void> => {
    const lines = waiting;
    waiting = [];
    if (lines.length === 0 || file === null || failure !== null) return;
    try {
      await file.appendFile(lines.join(""));
    } catch (error) {
      failure = error;
      onFailure();
    }
  };
  const write = (line: RequestRecord | JournalHeader | JournalEnd): void => {
    waiting.push(`${JSON.stringify(line)}\n`);
    // Lines that pile up while the disk is busy go out together.
    if (waiting.length === 1) writing = writing.then(flush);
  };
  const release = async (): Promise<void> => {
    const open = file;
    file = null;
    await open?.close().catch(() => {});
    await rm(lock, { force: true });
  };

  return {
    path,
    runId,
    async begin(header) {
      try {
        file = await open(path, "a+");
        if (!(await endsWithLineEnd(file))) waiting.push("\n");
        write({ type: "header", runId, ...header });
        // The line break of a torn last line counts as waiting: start the writer by hand.
        writing = writing.then(flush);
      } catch (error) {
        throw unwritable(path, error);
      }
      await writing;
      if (failure !== null) throw unwritable(path, failure);
    },
    append(record) {
      records++;
      write(record);
    },
    async finish(interrupted) {
      write({ type: "end", runId, interrupted, records });
      await writing;
      if (failure === null) {
        try {
          await file?.datasync();
        } catch (error) {
          failure = error;
        }
      }
      if (failure !== null) throw unwritable(path, failure);
    },
    release,
  };
}

/** Facts about the client's machine. */
export function hostFacts(): HostFacts {
  const processors = cpus();
  return {
    node: process.version,
    platform: process.platform,
    arch: process.arch,
    cpus: processors.length,
    cpuModel: processors[0]?.model ?? null,
    memoryBytes: totalmem(),
  };
}

async function takeLock(lock: string, path: string): Promise<void> {
  const mark = JSON.stringify({ host: hostname(), pid: process.pid });
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const file = await open(lock, "wx");
      try {
        return await file.writeFile(mark);
      } catch (error) {
        await rm(lock, { force: true });
        throw error;
      } finally {
        await file.close();
      }
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
    const holder = await readHolder(lock);
    if (holder.alive) {
      throw new RunError(
        "OUTPUT_UNWRITABLE",
        `another run (${holder.name}) is writing ${path}: choose another --output, or delete ${lock} if that run is gone`,
      );
    }
    await rm(lock, { force: true });
  }
  throw new RunError("OUTPUT_UNWRITABLE", `cannot take ${lock}: another run took it at the same time`);
}

async function readHolder(lock: string): Promise<{ readonly alive: boolean; readonly name: string }> {
  try {
    const mark: unknown = JSON.parse(await readFile(lock, "utf8"));
    if (typeof mark !== "object" || mark === null) return { alive: true, name: "unknown" };
    const { host, pid } = mark as { readonly host?: unknown; readonly pid?: unknown };
    if (typeof pid !== "number") return { alive: true, name: "unknown" };
    if (host !== hostname()) return { alive: true, name: `process ${pid} on ${String(host)}` };
    return { alive: isAlive(pid), name: `process ${pid}` };
  } catch (error) {
    // Gone in the meantime, or not written yet by the run that has just taken it.
    return { alive: systemCode(error) !== "ENOENT", name: "just started" };
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === "EPERM";
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
