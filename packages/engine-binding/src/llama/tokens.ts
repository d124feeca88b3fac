import type { Token } from "node-llama-cpp";
import { EngineError } from "../errors.ts";

/** node-llama-cpp gives token ids a type of their own; an id that was checked against the vocabulary is one. */
export function toTokens(ids: readonly number[]): Token[] {
  if (!areTokens(ids))
    throw new EngineError("ENGINE_INVALID_REQUEST", "token ids must be integers from 0 on");
  return ids;
}

export function toToken(id: number): Token {
  const ids = [id];
  if (!areTokens(ids) || ids[0] === undefined) {
    throw new EngineError("ENGINE_INVALID_REQUEST", `${id} is not a token id`);
  }
  return ids[0];
}

function areTokens(ids: readonly number[]): ids is Token[] {
  for (const id of ids) if (!Number.isInteger(id) || id < 0) return false;
  return true;
}
