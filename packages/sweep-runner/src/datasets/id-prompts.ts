import { RunError } from "../errors.ts";
import { createRng, shuffled } from "../rng.ts";
import type { TokenCounter } from "../token-counter.ts";
import { WORDS } from "./words.ts";

/** Fewer ids would give prompts that repeat themselves. */
const LEAST_IDS = 64;

/**
 * Ids that prompts of token ids are drawn from: those of plain words by the tokenizer of the system, so that none is a special token
 * that would end or steer the output.
 *
 * @throws {RunError} `TARGET_INVALID` where no tokenizer tells its ids
 */
export async function plainIds(counter: TokenCounter | null, signal?: AbortSignal): Promise<number[]> {
  const ids = new Set<number>();
  const text = WORDS.join(" ");
  for (const id of (await counter?.ids?.(text, signal)) ?? []) ids.add(id);
  if (ids.size >= LEAST_IDS) return [...ids].sort((a, b) => a - b);
  throw new RunError(
    "TARGET_INVALID",
    "--dataset-kind random-ids needs a tokenizer that tells its token ids, and the system offers none: use random-text",
  );
}

/** The first `length` ids of the prompt that belongs to one seed and index; no two indices begin alike. */
export function idsOf(pool: readonly number[], seed: number, index: number, length: number): number[] {
  const list = shuffled(pool, createRng(seed));
  const ids: number[] = [];
  // The index in base `list.length`, lowest digit first: neighbouring prompts part at the first id.
  let rest = index;
  do {
    ids.push(list[rest % list.length] ?? 0);
    rest = Math.floor(rest / list.length);
  } while (rest > 0 && ids.length < length);
  const rng = createRng(seed, index + 1);
  while (ids.length < length) ids.push(list[rng.int(list.length)] ?? 0);
  return ids.slice(0, length);
}
