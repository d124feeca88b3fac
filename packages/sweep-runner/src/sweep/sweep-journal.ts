import { randomUUID } from "node:crypto";
import { mkdir, open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { messageOf, RunError, systemCode } from "../errors.ts";
import { readLines } from "../read-lines.ts";
import { hostFacts } from "../records/host-facts.ts";
import { takeLock } from "../records/journal-lock.ts";
import type { SweepPlan, SweepStep } from "./sweep-plan.ts";
import { parseJson } from "../stream/server-message.ts";

/** Version of the lines of a sweep's journal. */
export const SWEEP_SCHEMA = "onpar.sweep/1";

const axisValue = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const headerSchema = z.looseObject({
  type: z.literal("sweep"),
  schema: z.literal(SWEEP_SCHEMA),
  kind: z.string(),
  sweepId: z.string(),
  planHash: z.string(),
});

const stepSchema = z.looseObject({
  type: z.literal("step"),
  id: z.string(),
  boot: z.int(),
  rep: z.int().nullable(),
  values: z.record(z.string(), axisValue),
  status: z.enum(["ok", "failed"]),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  row: z.json(),
  startedAt: z.string(),
  durationS: z.number(),
});

/** What became of one measurement: a line of the journal. */
export interface StepLine {
  readonly type: "step";
  readonly id: string;
  readonly boot: number;
  readonly rep: number | null;
  readonly values: SweepStep["point"]["values"];
  /** `failed`: nothing could be measured, and `error` says why. Requests that failed stand in the row. */
  readonly status: "ok" | "failed";
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The figures; null where there are none. */
  readonly row: z.infer<ReturnType<typeof z.json>>;
  readonly startedAt: string;
  readonly durationS: number;
}

/** The journal of a sweep: one line per measurement that has ended, in a folder of its own. */
export interface SweepJournal {
  readonly folder: string;
  /** Lines of earlier starts of this sweep, by step; the last one of each. */
  readonly done: ReadonlyMap<string, StepLine>;
  /** Appends and syncs one line. */
  append(line: StepLine): Promise<void>;
  release(): Promise<void>;
}

/** How a journal is opened. */
export interface SweepJournalOptions {
  /** What kind of sweep: `context`, `concurrency`, …; a journal belongs to one kind. */
  readonly kind: string;
  /** Go on with what the folder holds; without it a folder with a journal is refused. */
  readonly resume: boolean;
  readonly toolVersion: string;
}

/** Lines of a journal hold figures, not records. */
const LINE_LIMIT = 4 * 2 ** 20;

/** Where the journal of a folder is. */
export function sweepJournalPath(folder: string): string {
  return join(folder, "sweep.jsonl");
}

/**
 * Takes a folder for a sweep. A torn last line, left by a kill in the middle of writing, is left out.
 *
 * @throws {RunError} `OUTPUT_UNWRITABLE`, also where another sweep writes there or a journal is there and `resume` is not
 * asked for; `SWEEP_INVALID` where the journal is that of another plan
 */
export async function openSweepJournal(
  folder: string,
  plan: SweepPlan,
  options: SweepJournalOptions,
): Promise<SweepJournal> {
  const path = sweepJournalPath(folder);
  try {
    await mkdir(folder, { recursive: true });
    await takeLock(`${path}.lock`, path);
  } catch (error) {
    throw unwritable(path, error);
  }
  try {
    const before = await readSweepJournal(path);
    if (before !== null) requireSamePlan(path, before, plan, options);
    const file = await open(path, "a+");
    const journal = new FileSweepJournal(folder, path, file, before?.steps ?? new Map<string, StepLine>());
    await journal.begin(before === null, plan, options);
    return journal;
  } catch (error) {
    await rm(`${path}.lock`, { force: true });
    throw unwritable(path, error);
  }
}

/** What a journal says. */
export interface SweepJournalContent {
  readonly kind: string;
  readonly planHash: string;
  readonly steps: ReadonlyMap<string, StepLine>;
}

/**
 * Reads the journal of a sweep; null when there is none.
 *
 * @throws {RunError} `RECORDS_INVALID` with the line that is no line of a journal, but for a torn last one
 */
export async function readSweepJournal(path: string): Promise<SweepJournalContent | null> {
  let header: z.infer<typeof headerSchema> | null = null;
  const steps = new Map<string, StepLine>();
  let torn: number | null = null;
  try {
    for await (const { number, text } of readLines(path, LINE_LIMIT)) {
      if (text.trim() === "") continue;
      const value = parseJson(text);
      // A kill tears a line, and the start that goes on after it begins a new one.
      if (torn !== null && !isResumption(value)) throw broken(path, torn, "no line of a sweep's journal");
      torn = null;
      if (header === null) {
        const parsed = headerSchema.safeParse(value);
        if (!parsed.success) throw broken(path, number, `not the first line of a journal of ${SWEEP_SCHEMA}`);
        header = parsed.data;
        continue;
      }
      const step = stepSchema.safeParse(value);
      if (step.success) steps.set(step.data.id, step.data);
      else if (!isResumption(value)) torn = number;
    }
  } catch (error) {
    if (systemCode(error) === "ENOENT") return null;
    throw error;
  }
  return header === null ? null : { kind: header.kind, planHash: header.planHash, steps };
}

class FileSweepJournal implements SweepJournal {
  readonly folder: string;
  readonly done: ReadonlyMap<string, StepLine>;
  readonly #path: string;
  readonly #file: FileHandle;

  constructor(folder: string, path: string, file: FileHandle, done: ReadonlyMap<string, StepLine>) {
    this.folder = folder;
    this.#path = path;
    this.#file = file;
    this.done = done;
  }

  async begin(isNew: boolean, plan: SweepPlan, { kind, toolVersion }: SweepJournalOptions): Promise<void> {
    const common = {
      startedAt: new Date().toISOString(),
      tool: { name: "onpar", version: toolVersion },
      host: hostFacts(),
    };
    if (!isNew) return this.#write({ type: "resumed", ...common });
    const { hash, config, axes, steps } = plan;
    await this.#write({
      type: "sweep",
      schema: SWEEP_SCHEMA,
      kind,
      sweepId: randomUUID(),
      planHash: hash,
      ...common,
      config,
      axes,
      steps: steps.map(({ id }) => id),
    });
  }

  append(line: StepLine): Promise<void> {
    return this.#write(line);
  }

  async release(): Promise<void> {
    await this.#file.close();
    await rm(`${this.#path}.lock`, { force: true });
  }

  async #write(line: object): Promise<void> {
    try {
      await this.#file.appendFile(`${(await this.#isTorn()) ? "\n" : ""}${JSON.stringify(line)}\n`);
      await this.#file.datasync();
    } catch (error) {
      throw unwritable(this.#path, error);
    }
  }

  async #isTorn(): Promise<boolean> {
    const { size } = await this.#file.stat();
    if (size === 0) return false;
    const { buffer } = await this.#file.read(Buffer.alloc(1), 0, 1, size - 1);
    return buffer[0] !== 0x0a;
  }
}

function requireSamePlan(
  path: string,
  before: SweepJournalContent,
  plan: SweepPlan,
  { kind, resume }: SweepJournalOptions,
): void {
  if (!resume) {
    throw new RunError(
      "OUTPUT_UNWRITABLE",
      `${path} holds a sweep already: add --resume to go on with it, or choose another --output-dir`,
    );
  }
  if (before.kind === kind && before.planHash === plan.hash) return;
  throw new RunError(
    "SWEEP_INVALID",
    `${path} belongs to a sweep with ${before.kind === kind ? "other settings" : `another plan (${before.kind})`}: ` +
      "resume it with the settings that it was started with, or choose another --output-dir",
  );
}

function isResumption(value: unknown): boolean {
  return typeof value === "object" && value !== null && "type" in value && value.type === "resumed";
}

function broken(path: string, line: number, what: string): RunError {
  return new RunError("RECORDS_INVALID", `${path}:${line}: ${what}`);
}

function unwritable(path: string, error: unknown): RunError {
  if (error instanceof RunError) return error;
  return new RunError("OUTPUT_UNWRITABLE", `cannot write the sweep to ${path}: ${messageOf(error)}`, {
    cause: error,
  });
}
