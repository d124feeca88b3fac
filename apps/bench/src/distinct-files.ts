import { statSync } from "node:fs";

import type { BenchConfig } from "@onpar/bench-config";

import { realPath } from "./real-path.ts";
import { UsageError } from "./usage-error.ts";

interface NamedFile {
  readonly flag: string;
  readonly file: string;
}

/**
 * Refuses to write a file that the same run reads or writes for something else, under whatever name.
 *
 * @throws {UsageError} naming both flags
 */
export function checkDistinctFiles(config: BenchConfig): void {
  const outputs = named([
    ["--output-json", config.outputJson],
    ["--output", config.output],
    ["--output-csv", config.outputCsv],
    ["--output-markdown", config.outputMarkdown],
    ["--output-html", config.outputHtml],
    ["--output-token-ids", config.outputTokenIds],
  ]);
  const inputs = named([
    ["--dataset-path", config.datasetPath],
    ["--chat-template", config.chatTemplate],
    ["--tokenizer", config.tokenizer],
    [config.target.model === config.engine.modelPath ? "--model" : "--engine-model", config.engine.modelPath],
    ["--draft-model", config.engine.draftModelPath],
  ]);
  for (const [index, output] of outputs.entries()) {
    for (const other of [...outputs.slice(index + 1), ...inputs]) {
      if (!isSameFile(output.file, other.file)) continue;
      throw new UsageError(
        `${output.flag} ${output.file} and ${other.flag} ${other.file} are the same file; choose another ${output.flag}`,
      );
    }
  }
}

function named(files: readonly (readonly [flag: string, file: string | null])[]): NamedFile[] {
  return files.flatMap(([flag, file]) => (file === null ? [] : [{ flag, file }]));
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [realPath(one), realPath(other)];
  const [there, thereToo] = [identity(a), identity(b)];
  // The null device and its like can be written twice; two hard links are one file.
  if (there === "special" || thereToo === "special") return false;
  return a === b || (there !== null && there === thereToo);
}

/** Null where there is nothing, or nothing that can be looked at: a template may stand on the command line itself. */
function identity(file: string): string | null {
  try {
    const stats = statSync(file, { bigint: true });
    return stats.isFile() || stats.isDirectory() ? `${stats.dev}:${stats.ino}` : "special";
  } catch {
    return null;
  }
}
