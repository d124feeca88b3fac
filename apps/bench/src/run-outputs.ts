import type { BenchConfig } from "@onpar/bench-config";
import {
  contextLadderCsv,
  renderHtml,
  resultOfRun,
  RunDigester,
  runMarkdown,
  type RunDigest,
} from "@onpar/bench-report";
import type { RunObserver, RunResult } from "@onpar/sweep-runner";

import { openResultFile, serialise, type ResultFile } from "./result-file.ts";
import { UsageError } from "./usage-error.ts";

/** The files that a run leaves when it has ended. Their names are taken before anything is measured. */
export interface RunOutputs {
  /** Takes the records that a page draws, as they come; passes everything on. */
  watch(observer: RunObserver): RunObserver;
  /** Writes all files; why one could not be written, null when all were. */
  write(result: RunResult): UsageError | null;
  /** Gives back the names that nothing was written to. Idempotent. */
  release(): void;
}

interface Output {
  readonly file: ResultFile;
  readonly render: (result: RunResult) => string;
}

/** @throws {UsageError} when a file is there already or cannot be written */
export function openRunOutputs(config: BenchConfig, overwrite: boolean): RunOutputs {
  const digester = config.outputHtml === null ? null : new RunDigester();
  const outputs: Output[] = [];
  const release = (): void => {
    for (const { file } of outputs) file.release();
  };
  try {
    for (const [flag, file, render] of rendered(config, () => digester?.digest() ?? null)) {
      if (file !== null) outputs.push({ file: openResultFile(flag, file, overwrite), render });
    }
  } catch (error) {
    release();
    throw error;
  }
  return {
    watch(observer) {
      if (digester === null) return observer;
      return {
        onEvent(event) {
          if (event.type === "request-finished") digester.add(event.record);
          observer.onEvent(event);
        },
      };
    },
    write(result) {
      const problems = outputs.map(({ file, render }) => problemOf(() => file.write(render(result))));
      return problems.find((problem) => problem !== null) ?? null;
    },
    release,
  };
}

/** Flag and file of everything that a run writes. */
export function writtenFiles(config: BenchConfig): (readonly [flag: string, file: string])[] {
  const files: (readonly [string, string | null])[] = [
    ["--output", config.output],
    ...rendered(config, () => null).map(([flag, file]) => [flag, file] as const),
    ["--output-token-ids", config.outputTokenIds],
  ];
  return files.flatMap(([flag, file]) => (file === null ? [] : [[flag, file] as const]));
}

/** Whether a run writes anything that `--overwrite` could be about. */
export function hasOutputs(config: BenchConfig): boolean {
  return rendered(config, () => null).some(([, file]) => file !== null);
}

function rendered(
  config: BenchConfig,
  digest: () => RunDigest | null,
): (readonly [flag: string, file: string | null, render: (result: RunResult) => string])[] {
  return [
    ["--output-json", config.outputJson, serialise],
    ["--output-csv", config.outputCsv, (run) => contextLadderCsv(resultOfRun(run, null))],
    ["--output-markdown", config.outputMarkdown, (run) => runMarkdown(run)],
    [
      "--output-html",
      config.outputHtml,
      (run) => {
        const seen = digest();
        const title = `Benchmark run of ${run.protocol.model.resolved ?? "an unknown model"}`;
        return renderHtml({ result: resultOfRun(run, title, seen?.values ?? undefined), run, digest: seen });
      },
    ],
  ];
}

function problemOf(write: () => void): UsageError | null {
  try {
    write();
    return null;
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}
