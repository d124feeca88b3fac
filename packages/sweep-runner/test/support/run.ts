import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BenchConfig } from "@onpar/bench-config";
import { runBench, type RunBenchOptions } from "../../src/run-bench.ts";
import type { RunResult } from "../../src/result.ts";
import { monotonicClock } from "../../src/clock.ts";
import { RunError } from "../../src/errors.ts";

/** Sends from the thread of the test, which a clock of one's own asks for: a worker takes a fifth of a second to start. */
export function run(config: BenchConfig, options: Partial<RunBenchOptions> = {}): Promise<RunResult> {
  return runByWorkers(config, { clock: monotonicClock, ...options });
}

/** Sends from workers, as a run does by default. */
export function runByWorkers(
  config: BenchConfig,
  options: Partial<RunBenchOptions> = {},
): Promise<RunResult> {
  return runBench({ config, apiKey: null, engine: null, toolVersion: "0.0.0-test", ...options });
}

/** The error that a run must end with: one line, without a stack. */
export async function runError(running: Promise<unknown>): Promise<RunError> {
  try {
    await running;
  } catch (error) {
    if (error instanceof RunError) {
      if (error.message.includes("\n")) throw new Error(`not one line: ${error.message}`, { cause: error });
      return error;
    }
    throw error;
  }
  throw new Error("the run did not fail");
}

export function codes(result: RunResult): string[] {
  return result.findings.map(({ code }) => code);
}

/** A folder that is gone after the test. */
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "sweep-runner-"));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
