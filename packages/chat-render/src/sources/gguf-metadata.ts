import { stat } from "node:fs/promises";
import { reasonOf, unreadable } from "./read-file.ts";
import { TemplateNotFoundError } from "./template-error.ts";
import type { CarriedTemplates } from "./tokenizer-config.ts";

/** Variables of a template and the metadata keys of the token ids behind them. */
const tokenKeys: readonly (readonly [variable: string, key: string])[] = [
  ["bos_token", "tokenizer.ggml.bos_token_id"],
  ["eos_token", "tokenizer.ggml.eos_token_id"],
  ["unk_token", "tokenizer.ggml.unknown_token_id"],
  // Spelled like this in the format.
  ["sep_token", "tokenizer.ggml.seperator_token_id"],
  ["pad_token", "tokenizer.ggml.padding_token_id"],
  ["cls_token", "tokenizer.ggml.cls_token_id"],
  ["mask_token", "tokenizer.ggml.mask_token_id"],
];

const TEMPLATE_KEY = "tokenizer.chat_template";

async function readMetadata(path: string): Promise<ReadonlyMap<string, unknown>> {
  try {
    // Loaded here because it is slow to load and most templates do not come from GGUF files.
    const { gguf } = await import("@huggingface/gguf");
    const { metadata, tensorInfoByteRange } = await gguf(path, { allowLocalFile: true });
    // The library reads zeros behind the end of a file.
    if (tensorInfoByteRange[1] > (await stat(path)).size) {
      throw unreadable(path, "the file is cut off");
    }
    return new Map(Object.entries(metadata));
  } catch (error) {
    throw error instanceof TemplateNotFoundError ? error : unreadable(path, reasonOf(error), error);
  }
}

/** Reads the metadata of a GGUF file, not its tensors. `path` must be absolute, so that it cannot be taken for a URL. */
export async function readGguf(path: string): Promise<CarriedTemplates> {
  const metadata = await readMetadata(path);
  const templates = new Map<string, string>();
  for (const [key, value] of metadata) {
    if (typeof value === "string" && key === TEMPLATE_KEY) {
      templates.set("default", value);
    } else if (typeof value === "string" && key.startsWith(`${TEMPLATE_KEY}.`)) {
      templates.set(key.slice(TEMPLATE_KEY.length + 1), value);
    }
  }
  const tokens = metadata.get("tokenizer.ggml.tokens");
  const specialTokens: Record<string, string> = {};
  for (const [variable, key] of tokenKeys) {
    const id = metadata.get(key);
    const text: unknown = Array.isArray(tokens) && typeof id === "number" ? tokens[id] : undefined;
    if (typeof text === "string") {
      specialTokens[variable] = text;
    }
  }
  return { templates, specialTokens };
}
