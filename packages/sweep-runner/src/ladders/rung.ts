import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { BenchConfig } from "@onpar/bench-config";
import type { RequestRecord } from "../record.ts";
import { readRecords } from "../records/read-records.ts";
import type { RunResult } from "../result.ts";
import { runBench, type RunBenchOptions } from "../run-bench.ts";

/** Everything about a system that is measured, but for the configuration. */
export type RungSystem = Pick<
  RunBenchOptions,
  "apiKey" | "engine" | "toolVersion" | "observer" | "clock" | "loadGgufTokenizer"
>;

/** One run inside a sweep. */
export interface RungRun {
  readonly config: BenchConfig;
  readonly prompts: readonly RungPrompt[];
  /** Where prompts and records of the sweep are kept. */
  readonly folder: string;
  /** Name of this run inside the folder. */
  readonly name: string;
  readonly system: RungSystem;
  readonly signal?: AbortSignal | undefined;
}

/** A prompt of a run; sent as one user message where the endpoint takes messages. */
export interface RungPrompt {
  readonly id: string;
  readonly text: string;
}

/** What a run left. */
export interface RungOutcome {
  readonly result: RunResult;
  /** Of the measured requests, in the order in which they ended. */
  readonly records: readonly RequestRecord[];
}

/** Sends exactly these prompts, one request each, and gives their records. Warm-up is what the ladder itself does. */
export async function runPrompts({
  config,
  prompts,
  folder,
  name,
  system,
  signal,
}: RungRun): Promise<RungOutcome> {
  const stem = fileStem(name);
  const datasetPath = join(folder, "prompts", `${stem}.jsonl`);
  const output = join(folder, "records", `${stem}.jsonl`);
  await mkdir(join(folder, "prompts"), { recursive: true });
  await mkdir(join(folder, "records"), { recursive: true });
  await writeFile(
    datasetPath,
    prompts
      .map(({ id, text }, index) => `${JSON.stringify({ id: `${id}-${index}`, prompt: text })}\n`)
      .join(""),
  );
  const result = await runBench({
    ...system,
    signal,
    config: {
      ...config,
      datasetPath,
      dataset: { ...config.dataset, kind: "prompts", task: null, sourcePath: null, recordedLengths: false },
      numPrompts: prompts.length,
      warmupRequests: 0,
      cache: { ...config.cache, policy: "none" },
      repetition: { ...config.repetition, reps: 1, boots: 1, cooldownS: 0 },
      output,
    },
  });
  const run = (await readRecords(output)).at(-1);
  const records = (run?.records ?? []).filter(({ phase }) => phase === "measure");
  return { result, records };
}

/** A step id as the name of a file. */
export function fileStem(id: string): string {
  return id.replaceAll(/[^\w.=-]+/g, "_").slice(0, 180);
}
