import { draftLength } from "../speculation/acceptance.ts";
import type { AdaptiveDraftLength } from "../speculation/draft-length.ts";
import { promptLookup, type PromptLookupOptions } from "../speculation/prompt-lookup.ts";
import type { Job } from "./job.ts";
import type { OutputLogprobs } from "../engine.ts";
import type { Slot } from "./slot.ts";

/** What one slot does in one step of the engine. */
export interface Turn {
  readonly slot: Slot;
  readonly job: Job;
  /** Tokens for the target to evaluate before any draft. */
  readonly input: readonly number[];
  /** Whether the target chooses a token after the last of `input` (not while more of the prompt is to come). */
  readonly generates: boolean;
  /** Tokens for the draft model to catch up on. */
  readonly draftInput: readonly number[];
  /** Tokens to draft, k. */
  readonly draftCount: number;
  readonly drafts: number[];
  /** The target's tokens after the last of `input` and after each draft. */
  sampled: number[];
  /** Of each of `sampled`, when the request asked for them. */
  logprobs: OutputLogprobs[];
  producedAtNs: bigint;
  error: unknown;
}

export interface StepLimits {
  /** Tokens that one evaluation may take. */
  readonly batchSize: number;
  /** K, or 0 when nothing is drafted. */
  readonly draftBudget: number;
  /** Chooses how many tokens to draft in a step; null when it is always K. */
  readonly adaptive: AdaptiveDraftLength | null;
  /** Given when drafts come from the request's own tokens. */
  readonly promptLookup: PromptLookupOptions | null;
  /** Positions that the draft model has. */
  readonly draftContextSize: number;
}

/** Prompt tokens that a step may take however many requests decode: prompts must move on. */
const LEAST_PROMPT_SHARE = 32;
/** The part of the batch that prompts may take while requests decode, whose next token waits for it. */
const SHARE_BESIDE_DECODING = 1 / 4;

/**
 * Plans one step. Every decoding request has its next token (and drafts); what the batch has left goes to prompts, in
 * the order of the slots given, so that a long prompt is evaluated in pieces and does not stop the others; while others
 * decode the pieces are smaller.
 */
export function planStep(slots: readonly Slot[], limits: StepLimits): Turn[] {
  const running = slots.flatMap((slot) => (slot.job === null ? [] : [{ slot, job: slot.job }]));
  const decoding = running.filter(({ slot, job }) => slot.target.length >= job.promptTokens);
  const inPrompt = running.filter(({ slot, job }) => slot.target.length < job.promptTokens);

  const least = Math.min(LEAST_PROMPT_SHARE, limits.batchSize);
  const most =
    decoding.length === 0 ? limits.batchSize : Math.floor(limits.batchSize * SHARE_BESIDE_DECODING);
  const left = limits.batchSize - decoding.length * (1 + limits.draftBudget);
  let targetRoom = Math.max(least, Math.min(most, left));
  let draftRoom = Math.max(least, limits.batchSize - decoding.length * 2);

  const prospects = decoding.map(({ job }) => {
    const most = mostDrafts(job, limits);
    const found = limits.promptLookup === null ? [] : promptLookup(job.tokens, most, limits.promptLookup);
    return {
      acceptance: job.acceptance.value,
      most: limits.promptLookup === null ? most : found.length,
      found,
    };
  });
  const length = limits.adaptive?.choose(prospects) ?? limits.draftBudget;

  const turns: Turn[] = [];
  for (const [index, { slot, job }] of decoding.entries()) {
    const { most, found } = prospects[index] ?? { most: 0, found: [] };
    const wanted = Math.min(length, most);
    // what is not drafted after need not be read
    const behind = wanted === 0 ? 0 : draftLag(slot, job, limits);
    // a step leaves at most two: the last draft token and the target's own
    const share = behind <= 2 ? behind : Math.min(behind, draftRoom);
    if (behind > 2) draftRoom -= share;
    const draftCount = behind > 0 && share === behind ? wanted : 0;
    const input = job.tokens.slice(slot.target.length);
    const decodes = turn(slot, job, input, true, draftTokens(slot, job, share), draftCount);
    decodes.drafts.push(...found.slice(0, wanted));
    turns.push(decodes);
  }
  for (const { slot, job } of inPrompt) {
    const start = slot.target.length;
    const end = Math.min(job.promptTokens, start + targetRoom);
    targetRoom -= end - start;
    const behind = willDraft(job, limits) ? draftLag(slot, job, limits) : 0;
    const draftShare = Math.max(0, Math.min(behind, draftRoom));
    draftRoom -= draftShare;
    if (end === start && draftShare === 0) continue;
    const input = job.tokens.slice(start, end);
    const generates = end === job.promptTokens && end > start;
    turns.push(turn(slot, job, input, generates, draftTokens(slot, job, draftShare), 0));
  }
  return turns;
}

/** Tokens that the draft model has not read yet; none when nothing is drafted for the request (any more). */
function draftLag(slot: Slot, job: Job, limits: StepLimits): number {
  if (slot.draft === null || job.tally === null || job.tokens.length >= limits.draftContextSize) return 0;
  return job.tokens.length - slot.draft.length;
}

/** Whether a request is likely to be drafted for, so that its draft model had better read its prompt at once. */
function willDraft(job: Job, limits: StepLimits): boolean {
  const prospect = { acceptance: job.acceptance.value, most: mostDrafts(job, limits) };
  return limits.adaptive?.pays(prospect) ?? true;
}

/** Tokens that may be drafted for a request in this step. */
function mostDrafts(job: Job, limits: StepLimits): number {
  if (job.tally === null) return 0;
  const budget = Math.min(limits.draftBudget, job.draftBudget);
  const most = draftLength(budget, job.request.maxTokens, job.output.count);
  return Math.max(0, Math.min(most, limits.draftContextSize - job.tokens.length));
}

function draftTokens(slot: Slot, job: Job, count: number): number[] {
  if (slot.draft === null || count <= 0) return [];
  return job.tokens.slice(slot.draft.length, slot.draft.length + count);
}

function turn(
  slot: Slot,
  job: Job,
  input: readonly number[],
  generates: boolean,
  draftInput: readonly number[],
  draftCount: number,
): Turn {
  return {
    slot,
    job,
    input,
    generates,
    draftInput,
    draftCount,
    drafts: [],
    sampled: [],
    logprobs: [],
    producedAtNs: 0n,
    error: null,
  };
}
