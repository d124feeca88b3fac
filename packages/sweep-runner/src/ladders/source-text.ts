import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, RunError } from "../errors.ts";
import { createRng } from "../rng.ts";

/** Files of a source tree that are code or text about it. */
const SOURCE = /\.(?:[cm]?[jt]sx?|py|rs|go|java|kt|c|h|cc|cpp|hpp|cs|rb|php|swift|scala|sh|sql|md|txt)$/i;
const MAX_FILES = 20_000;
/** Text that no ladder needs more of: about two million tokens. */
const MAX_CHARS = 8_000_000;

/**
 * Source code that contexts are cut from: a file, or the sources of a folder in the order of their paths. Null makes code with
 * the seed: plain functions and classes, the same on every machine, as long as it is asked to be.
 *
 * @throws {RunError} `DATASET_INVALID` naming the path that cannot be read or holds no source
 */
export async function readSourceText(path: string | null, chars: number, seed: number): Promise<string> {
  const wanted = Math.min(chars, MAX_CHARS);
  if (path === null) return makeSource(wanted, seed);
  try {
    const text = (await stat(path)).isDirectory()
      ? await readTree(path, wanted)
      : await readStart(path, wanted);
    if (text.trim() !== "") return text;
  } catch (error) {
    throw new RunError("DATASET_INVALID", `cannot read source code from ${path}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  throw new RunError(
    "DATASET_INVALID",
    `${path} holds no source code: name a file or folder with code in it`,
  );
}

async function readTree(root: string, chars: number): Promise<string> {
  const names = (await readdir(root, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && SOURCE.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((name) => !/[\\/](?:node_modules|\.git|dist|build)[\\/]/.test(name))
    .toSorted()
    .slice(0, MAX_FILES);
  let text = "";
  for (const name of names) {
    if (text.length >= chars) break;
    text += `${await readStart(name, chars - text.length)}\n`;
  }
  return text.slice(0, chars);
}

async function readStart(path: string, chars: number): Promise<string> {
  const file = await open(path);
  try {
    // A character takes four bytes at most; what is cut off in the middle of one is left out.
    const buffer = Buffer.alloc(Math.min((await file.stat()).size, chars * 4));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return new TextDecoder().decode(buffer.subarray(0, bytesRead), { stream: true }).slice(0, chars);
  } finally {
    await file.close();
  }
}

const THINGS = [
  "order",
  "route",
  "signal",
  "window",
  "ledger",
  "parcel",
  "sensor",
  "garden",
  "ticket",
  "reading",
];
const DEEDS = ["load", "merge", "check", "split", "count", "sort", "trim", "send", "keep", "close"];
const KINDS = ["number", "string", "boolean", "Date"];

function makeSource(chars: number, seed: number): string {
  const rng = createRng(seed, 7);
  const one = (list: readonly string[]): string => list[rng.int(list.length)] ?? "";
  const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);
  const parts: string[] = [];
  let length = 0;
  for (let index = 0; length < chars; index++) {
    const [thing, other, deed, kind] = [one(THINGS), one(THINGS), one(DEEDS), one(KINDS)];
    const name = `${capital(thing)}${capital(other)}${index}`;
    const limit = rng.int(900) + 3;
    const part = `/** Keeps up to ${limit} of ${thing} and ${other}. */
export class ${name} {
  readonly #${thing}s = new Map<${kind}, string>();

  ${deed}${capital(thing)}(key: ${kind}, ${other}: string): number {
    if (this.#${thing}s.size >= ${limit}) {
      throw new RangeError("no more than ${limit} of ${thing}");
    }
    this.#${thing}s.set(key, ${other}.trim());
    return this.#${thing}s.size;
  }
}

export function ${deed}${name}(${other}s: readonly string[]): ${name} {
  const result = new ${name}();
  for (const [index, ${other}] of ${other}s.entries()) {
    if (${other}.length > ${rng.int(60) + 2}) continue;
    result.${deed}${capital(thing)}(index as never, ${other});
  }
  return result;
}
`;
    parts.push(part);
    length += part.length + 1;
  }
  return parts.join("\n").slice(0, chars);
}
