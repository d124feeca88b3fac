import { basename } from "node:path";
import type { LlamaModel } from "node-llama-cpp";
import type { ModelInfo } from "../engine.ts";
import type { NodeLlama } from "./node-llama.ts";

/** What a loaded model says of its tokens. */
export interface VocabularyInfo {
  readonly size: number;
  readonly eosTokenIds: readonly number[];
  readonly bosTokenId: number | null;
  readonly addsBos: boolean;
  /** The token that the tokenizer puts after every text, or null. */
  readonly appendedEosTokenId: number | null;
  readonly chatTemplate: string | null;
  readonly specialTokens: Readonly<Record<string, string>>;
}

export function describeModel(
  nodeLlama: NodeLlama,
  model: LlamaModel,
  path: string,
  sizeBytes: number,
): ModelInfo {
  const general = model.fileInfo.metadata.general;
  const fileType = general.file_type;
  const quantisation = fileType === undefined ? undefined : nodeLlama.GgufFileType[fileType];
  return {
    name: general.name ?? basename(path, ".gguf"),
    path,
    sizeBytes,
    parameterCount: countParameters(model),
    quantisation: quantisation?.replace(/^(?:MOSTLY|ALL)_/u, "") ?? null,
  };
}

function countParameters(model: LlamaModel): number | null {
  const tensors = model.fileInfo.fullTensorInfo;
  if (tensors === undefined) return null;
  let count = 0;
  for (const tensor of tensors) {
    count += tensor.dimensions.reduce<number>((product, size) => product * Number(size), 1);
  }
  return count;
}

/** Names under which chat templates expect special tokens, and where GGUF keeps their ids. */
const TEMPLATE_TOKENS = [
  ["bos_token", "bos_token_id"],
  ["eos_token", "eos_token_id"],
  ["pad_token", "padding_token_id"],
  ["unk_token", "unknown_token_id"],
  ["sep_token", "seperator_token_id"],
  ["cls_token", "cls_token_id"],
  ["mask_token", "mask_token_id"],
] as const;

export function describeVocabulary(model: LlamaModel): VocabularyInfo {
  const tokenizer = model.fileInfo.metadata.tokenizer;
  const ggml = tokenizer?.ggml;
  const texts = vocabularyTexts(model);
  const specialTokens: Record<string, string> = {};
  for (const [name, key] of TEMPLATE_TOKENS) {
    const id = ggml?.[key];
    const text = id === undefined ? undefined : texts[id];
    if (text !== undefined) specialTokens[name] = text;
  }
  const eosTokenIds: number[] = [];
  for (const token of model.iterateAllTokens()) if (model.isEogToken(token)) eosTokenIds.push(token);
  const bos = model.tokens.bos;
  return {
    size: texts.length,
    eosTokenIds,
    bosTokenId: bos,
    addsBos: bos !== null && model.tokens.shouldPrependBosToken,
    appendedEosTokenId: model.tokens.shouldAppendEosToken ? model.tokens.eos : null,
    chatTemplate: tokenizer?.chat_template ?? null,
    specialTokens,
  };
}

/** The texts of the vocabulary, by token id, as the file spells them. */
export function vocabularyTexts(model: LlamaModel): readonly string[] {
  return model.fileInfo.metadata.tokenizer?.ggml.tokens ?? [];
}

/**
 * Says why a draft model cannot serve a target: draft tokens are compared by id, so both must mean the same by every id.
 *
 * @returns null when it can
 */
export function vocabularyMismatch(target: readonly string[], draft: readonly string[]): string | null {
  if (target.length !== draft.length) {
    return `the target has ${target.length} tokens and the draft ${draft.length}`;
  }
  const differing = target.findIndex((text, id) => text !== draft[id]);
  if (differing < 0) return null;
  return `token ${differing} is ${JSON.stringify(target[differing])} in the target and ${JSON.stringify(draft[differing])} in the draft`;
}
