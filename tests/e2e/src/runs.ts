import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RequestRecord } from "@onpar/sweep-runner";

export interface TemporaryFolder {
  file(name: string): string;
  remove(): void;
}

export function temporaryFolder(): TemporaryFolder {
  const folder = mkdtempSync(path.join(tmpdir(), "onpar-e2e-"));
  return {
    file: (name) => path.join(folder, name),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** The measured requests of a journal; none when the file is not there yet. */
export function measuredRecords(file: string): RequestRecord[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch {
    return [];
  }
  return text
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line) as { type: string; phase?: string })
    .filter((line): line is RequestRecord => line.type === "request" && line.phase === "measure");
}
