import { access, constants, writeFile } from "node:fs/promises";
import path from "node:path";

import type { RunResult } from "@onpar/sweep-runner";

import { UsageError } from "./usage-error.ts";

/** A place for the result, checked before anything is measured. */
export interface ResultFile {
  /** @throws {UsageError} when the file cannot be written after all */
  write(result: RunResult): Promise<void>;
}

/**
 * A result is written whole when the run has ended, and never over another one unless that was asked for.
 *
 * @throws {UsageError} when the file is there already or its folder cannot be written to
 */
export async function openResultFile(file: string, overwrite: boolean): Promise<ResultFile> {
  const folder = path.dirname(file);
  try {
    await access(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(`--output-json ${file}: cannot write into the folder ${folder} (${reason(error)})`);
  }
  if (!overwrite && (await exists(file))) {
    throw new UsageError(`--output-json ${file}: is there already; choose another file or add --overwrite`);
  }
  return {
    async write(result) {
      try {
        await writeFile(file, serialise(result), { flag: overwrite ? "w" : "wx" });
      } catch (error) {
        throw new UsageError(`--output-json ${file}: cannot be written (${reason(error)})`, { cause: error });
      }
    },
  };
}

/** Two-space JSON and a newline, on screen and in files alike. */
export function serialise(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function exists(file: string): Promise<boolean> {
  try {
    await access(file);
    return true;
  } catch {
    return false;
  }
}

function reason(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
