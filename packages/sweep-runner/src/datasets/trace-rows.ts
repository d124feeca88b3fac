import { z } from "zod";
import { RowError } from "./row-error.ts";

/** When a request of a trace was sent, and how many tokens came back. */
export interface RowTiming {
  /** Ms of the trace; left out where the row does not tell. */
  readonly arrivalMs?: number | undefined;
  /** Left out where the row does not tell. */
  readonly outputTokens?: number | undefined;
}

/** What a trace tells of a prompt that it does not hold. */
export interface TraceLengths {
  readonly inputTokens: number;
  /** One id for each block of the prompt: equal ids are equal text. Null where the trace has none. */
  readonly hashIds: readonly number[] | null;
}

/** Longest prompt and output of a trace, tokens. */
const MOST_TOKENS = 10_000_000;
const LENGTHS = ["output_length", "output_len", "output_tokens"] as const;
const INPUTS = ["input_length", "input_len", "input_tokens"] as const;

const timeSchema = z.number().min(-1e15).max(1e15);
const tokensSchema = z.int().min(0).max(MOST_TOKENS);
const hashIdsSchema = z.array(z.int().min(0)).max(MOST_TOKENS);

/** `timestamp` (ms) and `output_length` of a row; other spellings of the length are taken too. @throws {RowError} */
export function readTiming(row: Readonly<Record<string, unknown>>): RowTiming {
  const { timestamp } = row;
  const arrivalMs = timestamp == null ? undefined : timeSchema.safeParse(timestamp).data;
  if (timestamp != null && arrivalMs === undefined)
    throw new RowError('"timestamp" must be a number of milliseconds');
  const tokens = firstOf(row, LENGTHS);
  return {
    ...(arrivalMs === undefined ? {} : { arrivalMs }),
    // An answer that was recorded as empty has sent its request all the same.
    ...(tokens === null ? {} : { outputTokens: Math.max(1, tokens) }),
  };
}

/** `input_length` and `hash_ids` of a row. @throws {RowError} */
export function readLengths(row: Readonly<Record<string, unknown>>): TraceLengths {
  const tokens = firstOf(row, INPUTS);
  if (tokens === null || tokens === 0) {
    const keys = Object.keys(row).slice(0, 8).join(", ");
    throw new RowError(
      `a row of a trace needs "input_length", "prompt", "messages" or "conversations" (keys: ${keys})`,
    );
  }
  if (row.hash_ids == null) return { inputTokens: tokens, hashIds: null };
  const hashIds = hashIdsSchema.safeParse(row.hash_ids).data;
  if (hashIds === undefined) throw new RowError('"hash_ids" must be a list of whole numbers');
  return { inputTokens: tokens, hashIds };
}

function firstOf(row: Readonly<Record<string, unknown>>, keys: readonly string[]): number | null {
  const key = keys.find((candidate) => row[candidate] != null);
  if (key === undefined) return null;
  const tokens = tokensSchema.safeParse(row[key]).data;
  if (tokens === undefined)
    throw new RowError(`"${key}" must be a whole number of tokens, at most ${MOST_TOKENS}`);
  return tokens;
}
