import { createReadStream } from "node:fs";

import { parseJson, type ParsedConversation, type ParsedObject, type ParsedValue } from "@onpar/chat-render";

import { readBounded } from "./bounded-input.ts";
import type { Env } from "./env.ts";
import { UsageError } from "./usage-error.ts";

/** Largest file that is read, in bytes. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024;

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return `has ${error.message}`;
  const reason = error instanceof Error && "code" in error ? String(error.code) : String(error);
  return `cannot be read (${reason})`;
}

/**
 * A JSON value whose numbers and keys stay what they are written as (1.0 is not 1).
 *
 * @param flag what it was given with, for the error
 * @throws {UsageError}
 */
function readJson(flag: string, text: string): ParsedValue {
  try {
    return parseJson(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${flag}: is not JSON (${reason})`, { cause: error });
  }
}

async function readFile(flag: string, file: string, env: Env): Promise<ParsedValue> {
  try {
    const text =
      file === "-"
        ? await env.stdin.readText(MAX_INPUT_BYTES)
        : await readBounded(createReadStream(file) as AsyncIterable<Buffer>, MAX_INPUT_BYTES);
    return readJson(`${flag} ${file}`, text);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${flag} ${file}: ${reasonOf(error)}`, { cause: error });
  }
}

/** What `onpar render` renders. */
export interface RenderInput {
  readonly conversation: ParsedConversation;
  readonly kwargs: ParsedObject | undefined;
}

function isObject(value: ParsedValue): value is ParsedObject {
  return value instanceof Object && "entries" in value && "get" in value;
}

/** The value under a key of a JSON object; undefined where it is no object or has no such key. */
function fieldOf(value: ParsedValue, key: string): ParsedValue | undefined {
  return isObject(value) ? value.get(key) : undefined;
}

/**
 * Reads the files of a conversation: a list of messages, or an object with `messages` and perhaps `tools` and `documents`
 * as an OpenAI request has them.
 *
 * @throws {UsageError} naming the flag and the file
 */
export async function readRenderInput(
  options: { readonly messages: string; readonly tools?: string; readonly kwargs?: string },
  env: Env,
): Promise<RenderInput> {
  const value = await readFile("--messages", options.messages, env);
  let tools = fieldOf(value, "tools");
  if (options.tools !== undefined) {
    const given = await readFile("--tools", options.tools, env);
    tools = fieldOf(given, "tools") ?? given;
  }
  // The renderer checks what is in the lists, and names the message and the field.
  const conversation = {
    messages: listOf(`--messages ${options.messages}`, fieldOf(value, "messages") ?? value),
    tools:
      tools == null
        ? null
        : listOf(options.tools === undefined ? "tools" : `--tools ${options.tools}`, tools),
    documents: optionalList(fieldOf(value, "documents")),
  };
  return { conversation, kwargs: kwargsOf(options.kwargs) };
}

function optionalList(value: ParsedValue | undefined): readonly ParsedValue[] | null {
  return value == null ? null : listOf("documents", value);
}

function listOf(where: string, value: ParsedValue): readonly ParsedValue[] {
  if (Array.isArray(value)) return value as readonly ParsedValue[];
  throw new UsageError(`${where}: a JSON list is needed`);
}

function kwargsOf(text: string | undefined): ParsedObject | undefined {
  if (text === undefined) return undefined;
  const value = readJson("--kwargs", text);
  if (isObject(value)) return value;
  throw new UsageError(`--kwargs: a JSON object is needed, such as '{"enable_thinking": false}'`);
}
