import { join } from "node:path";
import { mkdir } from "node:fs/promises";
import type { BenchConfig } from "@onpar/bench-config";
import { runBench } from "../run-bench.ts";
import type { SweepStep } from "../sweep/sweep-plan.ts";
import { concurrencyRow, type ConcurrencyRep, type ConcurrencyRow } from "./concurrency-row.ts";
import { contextPrompt, sourceCharsFor, type LadderPrompt } from "./context-prompt.ts";
import { contextRow, type ContextRow } from "./context-row.ts";
import { runRow, type RunRow } from "./run-row.ts";
import { fileStem, runPrompts, type RungSystem } from "./rung.ts";
import { readSourceText } from "./source-text.ts";
import { withSystemFacts, type SystemFacts } from "./system-facts.ts";

/** What every point of a ladder is measured with. */
export interface LadderContext {
  readonly system: RungSystem;
  /** Where prompts and records are kept. */
  readonly folder: string;
  /** Differs from every other sweep's, so that no prefix cache knows the prompts. */
  readonly tag: string;
  readonly signal?: AbortSignal | undefined;
}

/** Task after the context where the configuration has none. */
const DEFAULT_TASK =
  "Write a small, complete helper module that fits the code above: a typed function, one class that uses it, and a short " +
  "example of its use.";

/** Tokens of the request that fills the cache with a stream's prefix. */
const PREFILL_TOKENS = 8;

/**
 * One rung of the context ladder: `repetition.reps` requests of one prompt that no cache knows, and one warm request after
 * them, one at a time.
 */
export async function measureContextRung(step: SweepStep, context: LadderContext): Promise<ContextRow> {
  const { config } = step;
  return withSystemFacts(config, context.system, context.signal, async (facts) => {
    const prompt = await promptFor(step, context, facts, 0);
    const requests = Array.from({ length: config.repetition.reps + 1 }, () => prompt);
    const { result, records } = await runPrompts({
      ...context,
      config: { ...config, concurrency: 1 },
      prompts: requests,
      name: step.id,
    });
    return contextRow({
      records,
      result,
      contextTarget: config.inputLen,
      contextTokens: prompt.contextTokens,
      promptBytes: prompt.bytes,
      draftBudget: facts.draftBudget,
    });
  });
}

/**
 * One rung of the concurrency ladder: a prefix of its own for each stream, each brought into the cache by a request of 8 tokens, then
 * all streams at once, `repetition.reps` times.
 */
export async function measureConcurrencyRung(
  step: SweepStep,
  context: LadderContext,
): Promise<ConcurrencyRow> {
  const { config } = step;
  const streams = config.concurrency;
  return withSystemFacts(config, context.system, context.signal, async (facts) => {
    const prompts: LadderPrompt[] = [];
    for (let stream = 0; stream < streams; stream++)
      prompts.push(await promptFor(step, context, facts, stream));
    const run = (name: string, settings: Partial<BenchConfig>) =>
      runPrompts({ ...context, config: { ...config, ...settings }, prompts, name: `${step.id}/${name}` });
    await run("prefill", {
      maxTokens: Math.min(PREFILL_TOKENS, config.maxTokens ?? config.outputLen),
      minTokens: 0,
    });
    const repetitions: ConcurrencyRep[] = [];
    for (let rep = 1; rep <= config.repetition.reps && context.signal?.aborted !== true; rep++) {
      repetitions.push(await run(`rep${rep}`, { load: { ...config.load, startTogether: true } }));
    }
    return concurrencyRow(streams, repetitions, facts.draftBudget);
  });
}

/** A point that is a run as it is configured: rate ladders, draft ladders, sweeps of any setting. */
export async function measureRun(
  step: SweepStep,
  { system, folder, signal }: LadderContext,
): Promise<RunRow> {
  await mkdir(join(folder, "records"), { recursive: true });
  const output = join(folder, "records", `${fileStem(step.id)}.jsonl`);
  const config = { ...step.config, output };
  const draftBudget = await withSystemFacts(config, system, signal, async (facts) => facts.draftBudget);
  return runRow(await runBench({ ...system, signal, config }), draftBudget);
}

async function promptFor(
  { id, config }: SweepStep,
  { tag, signal }: LadderContext,
  { counter }: SystemFacts,
  stream: number,
): Promise<LadderPrompt> {
  const { sourcePath, task } = config.dataset;
  // Streams begin in different places of the source, so that they share nothing.
  const chars = sourceCharsFor(config.inputLen);
  const source = await readSourceText(sourcePath, chars * (stream + 1), config.seed);
  const offset = source.length > chars * 2 ? Math.min(chars * stream, source.length - chars) : 0;
  return contextPrompt({
    id: `${fileStem(id)}-${stream}`,
    tag: `${tag}-${fileStem(id)}-${stream}`,
    source: source.slice(offset, offset + chars),
    target: config.inputLen,
    task: task ?? DEFAULT_TASK,
    counter,
    signal,
  });
}
