import { availableParallelism } from "node:os";
import type { LlamaModel } from "node-llama-cpp";
import type { StepCosts } from "../speculation/draft-length.ts";
import { CachedSequence } from "./cached-sequence.ts";
import { createContext, type ErrorLog } from "./native.ts";

const GREEDY = { temperature: 0, topK: 0, topP: 1, minP: 0, seed: 0 };
/** Tokens that stand in a sequence before anything is timed, as in a short conversation. */
const CONTEXT_TOKENS = 32;
const REPETITIONS = 5;
/** More threads must decode faster by this much, or fewer are taken: they leave the machine to others. */
const WORTHWHILE = 1.05;

/** Reads a monotonic clock, seconds. */
export type Seconds = () => number;

/**
 * Times one evaluation of some tokens of a sequence, and takes them back.
 *
 * @returns median of a few, s
 */
async function timeEvaluation(
  sequence: CachedSequence,
  tokens: readonly number[],
  now: Seconds,
): Promise<number> {
  const times: number[] = [];
  const { length } = sequence;
  for (let repetition = 0; repetition < REPETITIONS; repetition++) {
    const start = now();
    await sequence.evaluate(tokens.map((token) => ({ token, sampler: GREEDY })));
    times.push(now() - start);
    await sequence.truncate(length);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(REPETITIONS / 2)] ?? Infinity;
}

/** Token ids to evaluate: which ones does not matter for the time. */
function anyTokens(model: LlamaModel, count: number): number[] {
  const start = model.tokens.bos ?? 0;
  return Array.from({ length: count }, () => start);
}

interface Calibration {
  readonly log: ErrorLog;
  readonly signal: AbortSignal | undefined;
  readonly now?: Seconds;
}

async function withSequence<T>(
  model: LlamaModel,
  threads: number,
  tokens: number,
  { log, signal }: Calibration,
  use: (sequence: CachedSequence) => Promise<T>,
): Promise<T> {
  const size = Math.min(model.trainContextSize, CONTEXT_TOKENS + tokens);
  const numbers = { slots: 1, contextSize: size, batchSize: size, threads };
  const context = await createContext(log, model, numbers, null, signal);
  try {
    const sequence = new CachedSequence(context.getSequence());
    await sequence.feed(anyTokens(model, size - tokens));
    return await use(sequence);
  } finally {
    await context.dispose();
  }
}

const monotonic: Seconds = () => performance.now() / 1000;

/** 1, 2, 4, … and the number of cores. */
export function threadCandidates(cores: number): number[] {
  const counts: number[] = [];
  for (let count = 1; count < cores; count *= 2) counts.push(count);
  return [...counts, cores];
}

/** The fewest threads that are nearly as fast as the fastest. */
export function chooseThreads(
  timed: readonly { readonly threads: number; readonly seconds: number }[],
): number {
  const fastest = Math.min(...timed.map(({ seconds }) => seconds));
  return timed.find(({ seconds }) => seconds <= fastest * WORTHWHILE)?.threads ?? 1;
}

/**
 * Finds the number of threads with which a step of all slots decodes fastest. It is measured because more is not faster
 * on a machine with few cores that are not all free: threads that wait for each other lose far more than they bring.
 */
export async function measureThreads(
  model: LlamaModel,
  slots: number,
  calibration: Calibration,
  cores = availableParallelism(),
): Promise<number> {
  const now = calibration.now ?? monotonic;
  const timed: { threads: number; seconds: number }[] = [];
  for (const threads of threadCandidates(cores)) {
    calibration.signal?.throwIfAborted();
    const seconds = await withSequence(model, threads, slots, calibration, (sequence) =>
      timeEvaluation(sequence, anyTokens(model, slots), now),
    );
    timed.push({ threads, seconds });
  }
  return chooseThreads(timed);
}

/** Measures what a step costs with 0 to `draftBudget` draft tokens. Without a draft model, drafting costs nothing. */
export async function measureStepCosts(
  target: LlamaModel,
  draft: LlamaModel | null,
  { draftBudget, threads }: { readonly draftBudget: number; readonly threads: number },
  calibration: Calibration,
): Promise<StepCosts> {
  const now = calibration.now ?? monotonic;
  const verify = await withSequence(target, threads, draftBudget + 1, calibration, async (sequence) => {
    const costs: number[] = [];
    for (let drafts = 0; drafts <= draftBudget; drafts++) {
      costs.push(await timeEvaluation(sequence, anyTokens(target, drafts + 1), now));
    }
    // more tokens never cost less: what looks so is noise
    return costs.map((_, drafts) => Math.max(...costs.slice(0, drafts + 1)));
  });
  if (draft === null) return { verify, draft: 0 };
  const perToken = await withSequence(draft, threads, 1, calibration, (sequence) =>
    timeEvaluation(sequence, anyTokens(draft, 1), now),
  );
  return { verify, draft: perToken };
}
