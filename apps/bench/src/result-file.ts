import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

import type { RunResult } from "@onpar/sweep-runner";

import { realPath } from "./real-path.ts";
import { UsageError } from "./usage-error.ts";

/** A place for the result, taken before anything is measured. */
export interface ResultFile {
  /** @throws {UsageError} when the file cannot be written after all; what was there before is there still */
  write(result: RunResult): void;
  /** Gives the place back: an empty file that was made to hold it goes. Idempotent. */
  release(): void;
}

/**
 * A result is written whole when the run has ended, and never over another one unless that was asked for. Its file is made
 * now, so that no other run takes the name in the meantime.
 *
 * @throws {UsageError} when the file is there already or its folder cannot be written to
 */
export function openResultFile(file: string, overwrite: boolean): ResultFile {
  const folder = path.dirname(file);
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(`--output-json ${file}: cannot write into the folder ${folder} (${reason(error)})`);
  }
  return takeName(file) ?? (overwrite ? replace(file) : refuse(file));
}

/** Two-space JSON and a newline, on screen and in files alike. */
export function serialise(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function refuse(file: string): never {
  const isEmpty = statSync(file, { throwIfNoEntry: false })?.size === 0;
  throw new UsageError(
    `--output-json ${file}: is there already${isEmpty ? ", and empty: another run may hold it" : ""}; ` +
      "choose another file or add --overwrite",
  );
}

/** Makes the file and holds it; null where there is one. */
function takeName(file: string): ResultFile | null {
  let descriptor: number;
  try {
    descriptor = openSync(file, "wx");
  } catch (error) {
    if (reason(error) === "EEXIST") return null;
    throw unwritable(file, error);
  }
  let isHeld = true;
  const isStillOurs = () => {
    const ours = fstatSync(descriptor);
    const there = lstatSync(file, { throwIfNoEntry: false });
    return there?.ino === ours.ino && there.dev === ours.dev && ours.size === 0;
  };
  const release = () => {
    if (!isHeld) return;
    isHeld = false;
    process.off("exit", release);
    if (isStillOurs()) rmSync(file, { force: true });
    closeSync(descriptor);
  };
  // A second Ctrl-C ends the process on the spot.
  process.on("exit", release);
  return {
    write(result) {
      if (!isStillOurs())
        throw new UsageError(`--output-json ${file}: was taken by another program meanwhile`);
      writeWhole(file, file, result);
      release();
    },
    release,
  };
}

/** Writes over what is there, at the end. */
function replace(file: string): ResultFile {
  const target = realPath(file);
  const there = statSync(target, { throwIfNoEntry: false });
  if (there?.isDirectory() === true) {
    throw new UsageError(`--output-json ${file}: is a folder; name a file`);
  }
  return { write: (result) => writeWhole(file, target, result), release: () => {} };
}

/** The whole result or nothing: it is written beside its place first, so that a full disk leaves what was there. */
function writeWhole(file: string, target: string, result: RunResult): void {
  const beside = `${target}.${process.pid}.part`;
  try {
    const there = statSync(target, { throwIfNoEntry: false });
    if (there !== undefined && !there.isFile()) {
      writeFileSync(target, serialise(result));
      return;
    }
    writeFileSync(beside, serialise(result), {
      flag: "wx",
      ...(there === undefined ? {} : { mode: there.mode }),
    });
    renameSync(beside, target);
  } catch (error) {
    if (reason(error) !== "EEXIST") rmSync(beside, { force: true });
    throw unwritable(file, error);
  }
}

function unwritable(file: string, error: unknown): UsageError {
  return new UsageError(`--output-json ${file}: cannot be written (${reason(error)})`, { cause: error });
}

function reason(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
