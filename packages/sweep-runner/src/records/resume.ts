import { stat } from "node:fs/promises";
import type { BenchConfig } from "@onpar/bench-config";
import { systemCode, RunError } from "../errors.ts";
import type { RequestRecord } from "../record.ts";
import type { JournalHeader } from "./journal-format.ts";
import { scanRecords } from "./read-records.ts";

/** A run that was cut short, as its records file tells it. */
export interface ResumeState {
  readonly runId: string;
  readonly header: JournalHeader;
  /** Ids of measured requests that came to their own end; they are not sent again. */
  readonly done: ReadonlySet<string>;
  /** Where new records begin, ns since the start of the run: after all that are there. */
  readonly continueAtNs: number;
  /** Warm-up requests that are recorded already. */
  readonly warmups: number;
}

/** Settings that may differ between the parts of a run: they say where results go, and change no figure. */
const FREE_SETTINGS = new Set(["outputJson", "outputCsv", "outputMarkdown", "outputHtml", "slos", "client"]);

/**
 * Looks whether the last run of a records file was cut short and can go on. Null when there is no file.
 *
 * @throws {RunError} `RECORDS_INVALID` when the last run came to its end, when its load goes by time, so that nobody can say what
 * is left of it, and when it was taken under another configuration, which would be another run
 */
export async function readResumeState(path: string, config: BenchConfig): Promise<ResumeState | null> {
  if (!(await exists(path))) return null;
  let header: JournalHeader | null = null;
  let finished = false;
  let done = new Set<string>();
  let lastNs = 0;
  let warmups = 0;
  await scanRecords(path, {
    header(next) {
      header = next;
      finished = false;
      done = new Set();
      warmups = 0;
      lastNs = 0;
    },
    record(record) {
      lastNs = Math.max(lastNs, record.endNs);
      if (record.phase === "warmup") warmups++;
      if (isDone(record)) done.add(record.id);
    },
    resumed({ atNs }) {
      finished = false;
      lastNs = Math.max(lastNs, atNs);
    },
    end({ interrupted }) {
      finished = !interrupted;
    },
  });
  // Assigned in a callback, which the compiler does not follow.
  const last = header as JournalHeader | null;
  if (last === null) return null;
  if (finished) {
    throw new RunError(
      "RECORDS_INVALID",
      `${path}: its last run came to its end, so that nothing is left to go on with: leave out --resume to append another run`,
    );
  }
  if (config.load.durationS !== null || config.load.kind === "ramp") {
    throw new RunError(
      "RECORDS_INVALID",
      `${path}: a load that goes by time (${config.load.kind}) cannot go on after a pause: leave out --resume to measure anew`,
    );
  }
  const differs = firstDifference(last.config, config);
  if (differs !== null) {
    throw new RunError(
      "RECORDS_INVALID",
      `${path}: the run that was cut short had another value for ${differs}: go on with the same settings, or choose another --output`,
    );
  }
  return { runId: last.runId, header: last, done, continueAtNs: lastNs, warmups };
}

/** Whether a request came to its own end, well or not: a failure is an answer too, and is not asked for twice. */
export function isDone({ phase, state }: RequestRecord): boolean {
  return phase === "measure" && state !== "aborted";
}

/** The records of one run of a file, without the requests that were cut off and are sent again. */
export async function replayRun(
  path: string,
  runId: string,
  take: (record: RequestRecord) => void,
): Promise<void> {
  let current = "";
  await scanRecords(path, {
    header(header) {
      current = header.runId;
    },
    record(record) {
      if (current === runId && isDone(record)) take(record);
    },
  });
}

/** The first setting, by its path, in which two configurations differ; null when none does. */
function firstDifference(before: BenchConfig, now: BenchConfig): string | null {
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
  for (const key of keys) {
    if (FREE_SETTINGS.has(key)) continue;
    const [a, b] = [Reflect.get(before, key) as unknown, Reflect.get(now, key) as unknown];
    if (JSON.stringify(a) !== JSON.stringify(b)) return key;
  }
  return null;
}

async function exists(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if (systemCode(error) === "ENOENT") return false;
    throw error;
  }
}
