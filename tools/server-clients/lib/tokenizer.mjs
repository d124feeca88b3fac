// The bundled pair's tokenizer as a Hugging Face folder, made from the GGUF file: clients that count tokens by themselves read it.
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { demoModel } from "../../../packages/demo-model/dist/index.js";
import { root } from "../../lib/run.mjs";

/** How the family "qwen2" cuts text before it merges. */
const QWEN2_PIECES =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const CONTROL = 3;
const USER_DEFINED = 4;

async function ggufVocabulary(file) {
  const { resolve } = createRequire(path.join(root, "apps", "server", "package.json"));
  const { readGgufFileInfo } = await import(pathToFileURL(resolve("node-llama-cpp")).href);
  const { metadata } = await readGgufFileInfo(file);
  const vocabulary = metadata.tokenizer.ggml;
  if (vocabulary.model !== "gpt2" || vocabulary.pre !== "qwen2") {
    throw new Error(
      `the tokenizer ${vocabulary.model}/${vocabulary.pre} cannot be written: give --tokenizer`,
    );
  }
  return vocabulary;
}

export async function writeTokenizer(folder) {
  const {
    tokens,
    merges,
    token_type: kinds,
    eos_token_id: eos,
  } = await ggufVocabulary(demoModel.target.path);
  const added = tokens.flatMap((content, id) =>
    kinds[id] === CONTROL || kinds[id] === USER_DEFINED
      ? [
          {
            id,
            content,
            single_word: false,
            lstrip: false,
            rstrip: false,
            normalized: false,
            special: kinds[id] === CONTROL,
          },
        ]
      : [],
  );
  const tokenizer = {
    version: "1.0",
    added_tokens: added,
    pre_tokenizer: {
      type: "Sequence",
      pretokenizers: [
        { type: "Split", pattern: { Regex: QWEN2_PIECES }, behavior: "Isolated", invert: false },
        { type: "ByteLevel", add_prefix_space: false, trim_offsets: false, use_regex: false },
      ],
    },
    decoder: { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: { type: "BPE", vocab: Object.fromEntries(tokens.map((token, id) => [token, id])), merges },
  };
  mkdirSync(folder);
  writeFileSync(path.join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
  const config = {
    tokenizer_class: "PreTrainedTokenizerFast",
    model_max_length: demoModel.contextSize,
    eos_token: tokens[eos],
  };
  writeFileSync(path.join(folder, "tokenizer_config.json"), JSON.stringify(config));
  return folder;
}
