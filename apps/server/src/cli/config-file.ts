import { readFile, stat } from "node:fs/promises";

import type { Command, Option } from "commander";
import { isMap, isScalar, isSeq, LineCounter, parseDocument, type Node } from "yaml";

import { usageError } from "./cli-error.ts";

/** Larger than any list of flags. */
const maxFileBytes = 1_048_576;

/** Reads a small text file that a flag names. @throws {CliError} exit code 2 */
export async function readSmallFile(path: string, flag: string): Promise<string> {
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile()) throw usageError(`${flag}: there is no file ${path}`);
  if (found.size > maxFileBytes) throw usageError(`${flag}: ${path} is larger than ${maxFileBytes} bytes`);
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw usageError(`${flag}: ${path} cannot be read`, cause);
  }
}

function settingsOf(command: Command): ReadonlyMap<string, Option> {
  const options = command.options.filter(({ long }) => !["--version", "--config"].includes(long ?? ""));
  return new Map(options.map((option) => [(option.long ?? "").replace(/^--(?:no-)?/, ""), option]));
}

type Fail = (node: Node | null, message: string) => Error;

/** A value of the file as the flag would have read it. */
function valueFor(option: Option, name: string, node: Node | null, fail: Fail): unknown {
  const isSwitch = option.negate || !(option.required || option.optional);
  if (isSeq(node) && ["apiKey", "adminKey"].includes(option.attributeName())) {
    return node.items.map((item) => (isScalar(item) ? String(item.value) : ""));
  }
  if (!isScalar(node)) throw fail(node, `${name}: expected one value`);
  const { value } = node;
  if (isSwitch) {
    if (typeof value !== "boolean") throw fail(node, `${name}: expected true or false`);
    return value;
  }
  if (typeof value !== "string" && typeof value !== "number") {
    throw fail(node, `${name}: expected text or a number`);
  }
  if (option.parseArg === undefined) return String(value);
  try {
    return option.parseArg(String(value), undefined);
  } catch (cause) {
    throw fail(node, `${name}: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}

/**
 * Takes settings from a YAML or JSON file whose keys are the flags without dashes; flags on the command line win.
 *
 * @throws {CliError} exit code 2, with file, line and column
 */
export function applyConfig(command: Command, text: string, path: string): void {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const at = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${path}:${line}:${col}`;
  };
  const fail: Fail = (node, message) => usageError(`--config: ${at(node?.range?.[0] ?? 0)}: ${message}`);
  const broken = document.errors[0];
  if (broken !== undefined) {
    const [first = ""] = broken.message.split("\n", 1);
    const message = first.includes("call stack") ? "nests too deeply" : first.replace(/ at line.*$/, "");
    throw usageError(`--config: ${at(broken.pos[0])}: ${message}`);
  }
  const { contents } = document;
  if (contents === null) return;
  if (!isMap<Node, Node | null>(contents)) throw fail(contents, "expected settings, one a line");
  const settings = settingsOf(command);
  for (const { key, value } of contents.items) {
    const name = isScalar(key) ? String(key.value) : "";
    const option = settings.get(name);
    if (option === undefined) {
      throw fail(key, `there is no setting ${JSON.stringify(name)}; settings are flags without their dashes`);
    }
    const attribute = option.attributeName();
    const read = valueFor(option, name, value, fail);
    if (command.getOptionValueSource(attribute) !== "cli") {
      command.setOptionValueWithSource(attribute, read, "config");
    }
  }
}

/** Keys of a file, one a line; empty lines and lines that begin with # are left out. */
export function keysOf(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
}
