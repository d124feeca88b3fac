import { createReadStream } from "node:fs";

import { parseMessages, RenderError, type TemplateObject } from "@onpar/chat-render";

import { readBounded } from "./bounded-input.ts";
import type { Env } from "./env.ts";
import { UsageError } from "./usage-error.ts";

/** Largest file and longest standard input that are read, in bytes. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024;

/**
 * The text of a one-shot: the argument, or standard input for `-` and where there is no argument and no terminal to
 * type it at. Null when there is none.
 *
 * @throws {UsageError} when standard input is too long
 */
export async function readText(
  argument: string | undefined,
  mayRead: boolean,
  env: Env,
): Promise<string | null> {
  if (argument !== undefined && argument !== "-") return argument;
  if (argument === undefined && (!mayRead || env.stdin.isTerminal)) return null;
  try {
    return await env.stdin.readText(MAX_INPUT_BYTES);
  } catch (error) {
    if (error instanceof RangeError)
      throw new UsageError(`standard input has ${error.message}`, { cause: error });
    throw error;
  }
}

/**
 * Messages of a JSON file: a list, or an object with `messages`.
 *
 * @throws {UsageError} naming the file, the message and the field
 */
export async function readMessagesFile(file: string): Promise<readonly TemplateObject[]> {
  let text: string;
  try {
    text = await readBounded(createReadStream(file) as AsyncIterable<Buffer>, MAX_INPUT_BYTES);
  } catch (error) {
    if (error instanceof RangeError)
      throw new UsageError(`--messages ${file}: has ${error.message}`, { cause: error });
    const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new UsageError(`--messages ${file}: cannot be read (${reason})`, { cause: error });
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`--messages ${file}: is not JSON (${reason})`, { cause: error });
  }
  const list = typeof value === "object" && value !== null && "messages" in value ? value.messages : value;
  try {
    return parseMessages(list);
  } catch (error) {
    if (error instanceof RenderError)
      throw new UsageError(`--messages ${file}: ${error.message}`, { cause: error });
    throw error;
  }
}
