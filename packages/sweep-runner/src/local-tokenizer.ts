import { readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { loadGgufTokenizer } from "@onpar/engine-binding";
import { z } from "zod";
import { messageOf, RunError, systemCode } from "./errors.ts";
import type { TokenCounter } from "./token-counter.ts";

/** Loads the tokenizer of a GGUF file: `loadGgufTokenizer` of `@onpar/engine-binding`. */
export type GgufTokenizerLoader = typeof loadGgufTokenizer;

/** A tokenizer on this side. */
export interface LocalTokenizer extends TokenCounter {
  readonly source: "tokenizer";
  dispose(): Promise<void>;
}

/** Largest `tokenizer.json` that is read, bytes; those of vocabularies of 256,000 tokens have about 35 MB. */
const LARGEST_FILE = 256 * 2 ** 20;

const tokenizerSchema = z.looseObject({ model: z.looseObject({}) });
const settingsSchema = z.looseObject({});

/**
 * Loads the tokenizer of a model: of a GGUF file, of a model folder, or of a `tokenizer.json`.
 *
 * @param loadGguf how a GGUF file is read; null where nothing that reads one is at hand
 * @throws {RunError} `TOKENIZER_INVALID`
 */
export async function loadLocalTokenizer(
  path: string,
  loadGguf: GgufTokenizerLoader | null,
  signal?: AbortSignal,
): Promise<LocalTokenizer> {
  try {
    return path.toLowerCase().endsWith(".gguf")
      ? await fromGguf(path, loadGguf, signal)
      : await fromFolder(path);
  } catch (error) {
    signal?.throwIfAborted();
    throw invalid(path, error);
  }
}

/**
 * Looks whether there is such a file or folder, so that a name that is wrong is told also where the server counts.
 *
 * @throws {RunError} `TOKENIZER_INVALID`
 */
export async function requireTokenizerFile(path: string): Promise<void> {
  try {
    await stat(path);
  } catch (error) {
    throw invalid(path, error);
  }
}

function invalid(path: string, cause: unknown): RunError {
  const why = systemCode(cause) === "ENOENT" ? "no such file" : messageOf(cause);
  return new RunError("TOKENIZER_INVALID", `--tokenizer ${path} counts no tokens: ${why}`, { cause });
}

async function fromGguf(
  path: string,
  loadGguf: GgufTokenizerLoader | null,
  signal: AbortSignal | undefined,
): Promise<LocalTokenizer> {
  if (loadGguf === null)
    throw new Error("nothing that reads a GGUF file was given; name a folder with tokenizer.json");
  const tokenizer = await loadGguf(path, signal);
  return tokenizerOf(
    (text) => tokenizer.tokenize(text),
    () => tokenizer.dispose(),
  );
}

async function fromFolder(path: string): Promise<LocalTokenizer> {
  const isFolder = (await stat(path)).isDirectory();
  const folder = isFolder ? path : dirname(path);
  if (!isFolder && !["tokenizer.json", "tokenizer_config.json"].includes(basename(path)))
    throw new Error("name a GGUF file, or a folder with tokenizer.json");
  const json = await readJson(join(folder, "tokenizer.json")).catch((error: unknown) => {
    throw systemCode(error) === "ENOENT" ? new Error("the folder holds no tokenizer.json") : error;
  });
  const { data: model } = tokenizerSchema.safeParse(json);
  if (model === undefined) throw new Error('tokenizer.json is no tokenizer: it has no "model"');
  const settings = await readJson(join(folder, "tokenizer_config.json")).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return {};
    throw error;
  });
  const { Tokenizer } = await import("@huggingface/tokenizers");
  const tokenizer = new Tokenizer(model, settingsSchema.safeParse(settings).data ?? {});
  return tokenizerOf(
    (text) => tokenizer.encode(text, { add_special_tokens: false }).ids,
    async () => {},
  );
}

function tokenizerOf(idsOf: (text: string) => number[], dispose: () => Promise<void>): LocalTokenizer {
  return {
    source: "tokenizer",
    count: async (text) => idsOf(text).length,
    ids: async (text) => idsOf(text),
    dispose,
  };
}

async function readJson(path: string): Promise<unknown> {
  const { size } = await stat(path);
  if (size > LARGEST_FILE) throw new Error(`${basename(path)} has ${size} bytes, more than ${LARGEST_FILE}`);
  return JSON.parse(await readFile(path, "utf8"));
}
