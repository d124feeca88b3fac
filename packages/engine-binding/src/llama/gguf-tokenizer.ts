import type { Tokenizer } from "./host/hosted-engine.ts";
import { ErrorLog, loadModel, startLlama } from "./native.ts";
import { importNodeLlama } from "./node-llama.ts";
import { checkModelFile } from "./options.ts";
import { toTokens } from "./tokens.ts";

/** The tokenizer of a GGUF file, without its weights. */
export interface GgufTokenizer {
  /** Token ids of a text, without special tokens around it. Texts of special tokens in it are read as such where asked for. */
  tokenize(text: string, options?: { readonly parseSpecial?: boolean }): number[];
  detokenize(tokenIds: readonly number[], options?: { readonly renderSpecial?: boolean }): string;
  dispose(): Promise<void>;
}

/**
 * Loads the vocabulary of a GGUF file and nothing else of it: for whoever counts tokens and computes none.
 *
 * @throws {EngineError} `ENGINE_NOT_INSTALLED`, `ENGINE_MODEL_NOT_FOUND`, `ENGINE_MODEL_INVALID`; the signal's reason when it aborts
 */
export async function loadGgufTokenizer(modelPath: string, signal?: AbortSignal): Promise<GgufTokenizer> {
  await checkModelFile("model", modelPath);
  const vocabulary = await loadVocabulary(modelPath, signal);
  return {
    tokenize: (text, options) => vocabulary.tokenize(text, options?.parseSpecial ?? false),
    detokenize: (tokenIds, options) => vocabulary.detokenize(tokenIds, options?.renderSpecial ?? false),
    dispose: vocabulary.free,
  };
}

/** The vocabulary alone. */
export async function loadVocabulary(modelPath: string, signal: AbortSignal | undefined): Promise<Tokenizer> {
  const log = new ErrorLog();
  const llama = await startLlama(await importNodeLlama(), log, false);
  try {
    const model = await loadModel(llama, log, "model", modelPath, () => undefined, signal, {
      vocabOnly: true,
    });
    return {
      tokenize: (text, parseSpecial) => model.tokenize(text, parseSpecial),
      detokenize: (tokens, renderSpecial) => model.detokenize(toTokens(tokens), renderSpecial),
      free: async () => {
        await model.dispose();
        await llama.dispose();
      },
    };
  } catch (error) {
    await llama.dispose();
    throw error;
  }
}
