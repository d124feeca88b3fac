import { availableParallelism } from "node:os";
import type { LlamaModel } from "node-llama-cpp";
import { CostCurve, verifyTokenCounts, type CostPoint, type StepCosts } from "../speculation/step-costs.ts";
import { CachedSequence } from "./cached-sequence.ts";
import { createContext, type ErrorLog } from "./native.ts";

const GREEDY = { temperature: 0, topK: 0, topP: 1, minP: 0, seed: 0 };
/** Tokens that stand in a sequence before anything is timed, as in a short conversation. */
const CONTEXT_TOKENS = 32;
const REPETITIONS = 5;
/** An evaluation that takes longer than this is not repeated: a large model would take minutes to load, s. */
const LONG = 0.25;
/** More threads must decode faster by this much, or fewer are taken: they leave the machine to others. */
const WORTHWHILE = 1.05;

/** Reads a monotonic clock, seconds. */
export type Seconds = () => number;

/**
 * Times one evaluation of some tokens of a sequence, and takes them back.
 *
 * @returns median of a few, s; what is long is timed once
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
    const seconds = now() - start;
    times.push(seconds);
    await sequence.truncate(length);
    if (seconds > LONG) return Math.min(...times);
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

/** What a step may consist of. */
export interface StepSize {
  readonly draftBudget: number;
  readonly slots: number;
  readonly batchSize: number;
  readonly threads: number;
}

/**
 * Measures what evaluations cost: of the target, with 1 token up to those of a step in which all slots verify; of the
 * draft model, with one token of 1 request up to all. Without a draft model, drafting costs nothing.
 */
export async function measureStepCosts(
  target: LlamaModel,
  draft: LlamaModel | null,
  { draftBudget, slots, batchSize, threads }: StepSize,
  calibration: Calibration,
): Promise<StepCosts> {
  const now = calibration.now ?? monotonic;
  const measure = async (model: LlamaModel, counts: readonly number[]): Promise<CostCurve> => {
    const fitting = counts.filter((count) => count <= Math.min(batchSize, model.trainContextSize / 2));
    const longest = fitting.at(-1) ?? 1;
    return await withSequence(model, threads, longest, calibration, async (sequence) => {
      const points: CostPoint[] = [];
      for (const tokens of fitting) {
        calibration.signal?.throwIfAborted();
        points.push({ tokens, seconds: await timeEvaluation(sequence, anyTokens(model, tokens), now) });
      }
      return new CostCurve(points);
    });
  };
  const verify = await measure(target, verifyTokenCounts(slots, draftBudget));
  return { verify, draft: draft === null ? null : await measure(draft, verifyTokenCounts(slots, 0)) };
}
