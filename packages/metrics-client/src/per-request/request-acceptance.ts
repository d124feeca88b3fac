import type { EngineName } from "../dialects/sources.ts";

/** What one response tells of its own drafts. A count that it does not tell is null. */
export interface RequestAcceptance {
  /** Whose fields these are. */
  readonly engine: EngineName;
  /** The field, or the era of fields, that the counts stood in. */
  readonly fields: string;
  /** D, A (bonus token excluded), V and their counts by position. */
  readonly draftTokens: number | null;
  readonly acceptedTokens: number | null;
  readonly verifySteps: number | null;
  readonly acceptedPerPosition: readonly number[] | null;
  readonly draftedPerPosition: readonly number[] | null;
  /** Output tokens, the first one included. */
  readonly generated: number | null;
  /** S: decode steps after the first token, drafted or not. */
  readonly decodeSteps: number | null;
  /** K, where the response tells it. */
  readonly draftBudget: number | null;
}

/** Nothing told: what a reader of fields starts from. */
export const NOTHING_TOLD = {
  draftTokens: null,
  acceptedTokens: null,
  verifySteps: null,
  acceptedPerPosition: null,
  draftedPerPosition: null,
  generated: null,
  decodeSteps: null,
  draftBudget: null,
} as const;

/** More positions than any engine drafts: a longer list is not taken. */
export const MAX_POSITIONS = 1024;
