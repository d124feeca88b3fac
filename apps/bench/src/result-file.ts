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

import { realPath } from "./real-path.ts";
import { UsageError } from "./usage-error.ts";

/** A place for a file of the result, taken before anything is measured. */
export interface ResultFile {
  /** @throws {UsageError} when the file cannot be written after all; what was there before is there still */
  write(text: string): void;
  /** Gives the place back: an empty file that was made to hold it goes. Idempotent. */
  release(): void;
}

/**
 * A result is written whole when the run has ended, and never over another one unless that was asked for. Its file is made
 * now, so that no other run takes the name in the meantime.
 *
 * @throws {UsageError} when the file is there already or its folder cannot be written to
 */
export function openResultFile(flag: string, file: string, overwrite: boolean): ResultFile {
  const folder = path.dirname(file);
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw new UsageError(`${flag} ${file}: cannot write into the folder ${folder} (${reason(error)})`);
  }
  return takeName(flag, file) ?? (overwrite ? replace(flag, file) : refuse(flag, file));
}

/** Two-space JSON and a newline, on screen and in files alike. */
export function serialise(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function refuse(flag: string, file: string): never {
  const isEmpty = statSync(file, { throwIfNoEntry: false })?.size === 0;
  throw new UsageError(
    `${flag} ${file}: is there already${isEmpty ? ", and empty: another run may hold it" : ""}; ` +
      "choose another file or add --overwrite",
  );
}

/** Makes the file and holds it; null where there is one. */
function takeName(flag: string, file: string): ResultFile | null {
  let descriptor: number;
  try {
    descriptor = openSync(file, "wx");
  } catch (error) {
    if (reason(error) === "EEXIST") return null;
    throw unwritable(flag, file, error);
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
    write(text) {
      if (!isStillOurs()) throw new UsageError(`${flag} ${file}: was taken by another program meanwhile`);
      writeWhole(flag, file, file, text);
      release();
    },
    release,
  };
}

/** Writes over what is there, at the end. */
function replace(flag: string, file: string): ResultFile {
  const target = realPath(file);
  const there = statSync(target, { throwIfNoEntry: false });
  if (there?.isDirectory() === true) {
    throw new UsageError(`${flag} ${file}: is a folder; name a file`);
  }
  return { write: (text) => writeWhole(flag, file, target, text), release: () => {} };
}

/** The whole result or nothing: it is written beside its place first, so that a full disk leaves what was there. */
function writeWhole(flag: string, file: string, target: string, text: string): void {
  const beside = `${target}.${process.pid}.part`;
  try {
    const there = statSync(target, { throwIfNoEntry: false });
    if (there !== undefined && !there.isFile()) {
      writeFileSync(target, text);
      return;
    }
    writeFileSync(beside, text, {
      flag: "wx",
      ...(there === undefined ? {} : { mode: there.mode }),
    });
    renameSync(beside, target);
  } catch (error) {
    if (reason(error) !== "EEXIST") rmSync(beside, { force: true });
    throw unwritable(flag, file, error);
  }
}

function unwritable(flag: string, file: string, error: unknown): UsageError {
  return new UsageError(`${flag} ${file}: cannot be written (${reason(error)})`, { cause: error });
}

function reason(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}
