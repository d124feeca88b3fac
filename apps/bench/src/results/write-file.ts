import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";

import { UsageError } from "../usage-error.ts";

/**
 * Writes a whole file or nothing. One that is there already is kept unless it may be replaced.
 *
 * @throws {UsageError} naming the flag and the file
 */
export function writeReportFile(
  flag: string,
  file: string,
  content: string | Uint8Array,
  overwrite: boolean,
): void {
  if (!overwrite && existsSync(file)) {
    throw new UsageError(`${flag} ${file}: is there already; choose another file or add --overwrite`);
  }
  const beside = `${file}.${process.pid}.part`;
  try {
    writeFileSync(beside, content, { flag: "wx" });
    renameSync(beside, file);
  } catch (error) {
    rmSync(beside, { force: true });
    throw unwritable(flag, file, error);
  }
}

/** Makes a folder for several files. @throws {UsageError} */
export function makeFolder(flag: string, folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw unwritable(flag, folder, error);
  }
}

function unwritable(flag: string, file: string, error: unknown): UsageError {
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  return new UsageError(`${flag} ${file}: cannot be written (${code})`, { cause: error });
}
