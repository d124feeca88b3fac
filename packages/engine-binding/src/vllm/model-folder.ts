import { readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { EngineError } from "../errors.ts";

/** What the files of a model say of it: the library itself tells nothing. Null is what they do not say. */
export interface ModelFolder {
  readonly name: string;
  readonly sizeBytes: number | null;
  readonly trainedContext: number | null;
  readonly vocabularySize: number | null;
  readonly eosTokenIds: readonly number[] | null;
  readonly bosTokenId: number | null;
  readonly addsBos: boolean | null;
  readonly chatTemplate: string | null;
  readonly specialTokens: Readonly<Record<string, string>>;
}

/** Files of a model's description are small; a larger one is something else. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/**
 * Reads the files beside a model's weights.
 *
 * @throws {EngineError} `ENGINE_MODEL_NOT_FOUND`
 */
export async function readModelFolder(path: string): Promise<ModelFolder> {
  const info = await stat(path).catch((cause: unknown) => {
    throw new EngineError("ENGINE_MODEL_NOT_FOUND", `model not found: ${path}`, { cause });
  });
  if (!info.isDirectory()) return { ...NOTHING, name: basename(path, ".gguf"), sizeBytes: info.size };
  const [config, generation, tokenizer, template] = await Promise.all([
    readJson(join(path, "config.json")),
    readJson(join(path, "generation_config.json")),
    readJson(join(path, "tokenizer_config.json")),
    readText(join(path, "chat_template.jinja")),
  ]);
  // Models that see and hear keep the language model's part by itself.
  const text = asObject(config["text_config"]) ?? config;
  const chatTemplate = tokenizer["chat_template"];
  return {
    name: basename(path),
    sizeBytes: await weightBytes(path),
    trainedContext: asCount(text["max_position_embeddings"]),
    vocabularySize: asCount(text["vocab_size"]),
    eosTokenIds: asIds(generation["eos_token_id"]) ?? asIds(text["eos_token_id"]),
    bosTokenId: asIds(text["bos_token_id"])?.[0] ?? null,
    addsBos: typeof tokenizer["add_bos_token"] === "boolean" ? tokenizer["add_bos_token"] : null,
    chatTemplate: template ?? (typeof chatTemplate === "string" ? chatTemplate : null),
    specialTokens: specialTokens(tokenizer),
  };
}

const NOTHING = {
  trainedContext: null,
  vocabularySize: null,
  eosTokenIds: null,
  bosTokenId: null,
  addsBos: null,
  chatTemplate: null,
  specialTokens: {},
} as const;

async function readText(path: string): Promise<string | null> {
  const info = await stat(path).catch(() => null);
  if (info === null || !info.isFile() || info.size > MAX_FILE_BYTES) return null;
  return readFile(path, "utf8").catch(() => null);
}

/** An object; empty when there is no such file or it is not one: the library says what is wrong with a model. */
async function readJson(path: string): Promise<Record<string, unknown>> {
  const text = await readText(path);
  if (text === null) return {};
  try {
    return asObject(JSON.parse(text)) ?? {};
  } catch {
    return {};
  }
}

async function weightBytes(path: string): Promise<number | null> {
  const single = await stat(join(path, "model.safetensors")).catch(() => null);
  if (single !== null) return single.size;
  const index = asObject((await readJson(join(path, "model.safetensors.index.json")))["metadata"]);
  return asCount(index?.["total_size"]);
}

function asObject(value: unknown): Record<string, unknown> | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
}

function asCount(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : null;
}

function asIds(value: unknown): number[] | null {
  const ids = (Array.isArray(value) ? value : [value]).filter(
    (id): id is number => typeof id === "number" && Number.isSafeInteger(id) && id >= 0,
  );
  return ids.length === 0 ? null : ids;
}

function specialTokens(tokenizer: Record<string, unknown>): Record<string, string> {
  const tokens: Record<string, string> = {};
  for (const [name, value] of Object.entries(tokenizer)) {
    if (!/^[a-z]+_token$/u.test(name)) continue;
    const text = typeof value === "string" ? value : asObject(value)?.["content"];
    if (typeof text === "string") tokens[name] = text;
  }
  return tokens;
}
