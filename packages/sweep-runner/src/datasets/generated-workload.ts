import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { BenchConfig } from "@onpar/bench-config";
import { preparingCounter, type RunObserver } from "../events.ts";
import { contextPrompt, contextTolerance, sourceCharsFor } from "../ladders/context-prompt.ts";
import { readSourceText } from "../ladders/source-text.ts";
import type { WorkloadPrompt } from "../prompt.ts";
import { createRng } from "../rng.ts";
import type { TokenCounter } from "../token-counter.ts";
import { generatePrompt, type GeneratedPrompt } from "./generated-prompts.ts";

/** A prompt that was made, and how long it was to be. */
export interface MadePrompt {
  readonly prompt: WorkloadPrompt;
  /** Tokens that were asked for. */
  readonly wanted: number;
  /** Tokens of the part whose length was asked for; null when nobody counted. */
  readonly counted: number | null;
  /** How far it may be off. */
  readonly tolerance: number;
}

/** What prompts are made with. */
export interface MakingOptions {
  readonly config: BenchConfig;
  readonly counter: TokenCounter | null;
  readonly signal?: AbortSignal | undefined;
  readonly observer?: RunObserver | undefined;
}

/** Prompts made between two looks at anything else, so that an interrupt and a drawn progress are not kept waiting. */
const PROMPTS_PER_TURN = 64;

/** Tokenize requests in flight while prompts are fitted to their length. */
const FITTING_CONCURRENCY = 4;

/** Draws of lengths share nothing with those of texts. */
const LENGTHS_STREAM = 0x6c656e;
/** Prefixes are texts of a seed beside that of the prompts. */
const PREFIX_SEED = 0x70726566;

/**
 * Makes `count` prompts of the kind that is configured. Under the nonce policy their texts are drawn anew for each run, so that
 * no prefix cache has seen them, with the lengths that the seed gives; prefixes are still shared inside the run.
 */
export async function makePrompts(options: MakingOptions, count: number): Promise<MadePrompt[]> {
  const { config, signal, observer } = options;
  const make =
    config.dataset.kind === "source-code" ? await sourceMaker(options, count) : await textMaker(options);
  const prompts: MadePrompt[] = Array.from({ length: Math.max(0, count) });
  const made = preparingCounter(observer, "prompts", prompts.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < prompts.length) {
      signal?.throwIfAborted();
      const index = next++;
      if (index % PROMPTS_PER_TURN === PROMPTS_PER_TURN - 1) await setImmediate();
      prompts[index] = await make(index);
      made();
    }
  };
  await Promise.all(Array.from({ length: Math.min(FITTING_CONCURRENCY, prompts.length) }, worker));
  return prompts;
}

type Maker = (index: number) => Promise<MadePrompt>;

async function textMaker({ config, counter, signal }: MakingOptions): Promise<Maker> {
  const { dataset, inputLen } = config;
  const { sharedPrefixLen, prefixGroups, rangeRatio } = dataset;
  const seed = config.cache.policy === "nonce" ? randomBytes(4).readUInt32LE() >>> 1 : config.seed;
  const heads: GeneratedPrompt[] = [];
  const groups = sharedPrefixLen > 0 ? prefixGroups : 0;
  for (let group = 0; group < groups; group++) {
    signal?.throwIfAborted();
    heads.push(
      await generatePrompt(
        { seed: seed ^ PREFIX_SEED, index: group, tokens: sharedPrefixLen },
        counter,
        signal,
      ),
    );
  }
  return async (index) => {
    const own = lengthOf(inputLen, rangeRatio, createRng(config.seed, LENGTHS_STREAM + index).next());
    const head = heads[index % Math.max(1, heads.length)];
    const wanted = own + (head === undefined ? 0 : sharedPrefixLen);
    const text = await generatePrompt({ seed, index, tokens: wanted, head }, counter, signal);
    const prompt = { id: `generated-${index}`, kind: "text" as const, ...text };
    return { prompt, wanted, counted: text.tokens, tolerance: 0 };
  };
}

/** Evenly from the length times 1 - ratio to the length times 1 + ratio, both included. */
function lengthOf(length: number, ratio: number, draw: number): number {
  const least = Math.max(1, Math.floor(length * (1 - ratio)));
  const most = Math.max(least, Math.ceil(length * (1 + ratio)));
  return ratio === 0 ? length : least + Math.floor(draw * (most - least + 1));
}

/** Contexts cut from different places of a source, each with a tag at its head and the task after it. */
async function sourceMaker({ config, counter, signal }: MakingOptions, count: number): Promise<Maker> {
  const { dataset, inputLen, seed, cache } = config;
  const chars = sourceCharsFor(inputLen);
  const source = await readSourceText(dataset.sourcePath, chars * Math.max(1, count), seed);
  const tag = cache.policy === "nonce" ? randomBytes(4).toString("hex") : String(seed);
  return async (index) => {
    const offset = source.length > chars ? (chars * index) % (source.length - chars + 1) : 0;
    const { id, text, contextTokens } = await contextPrompt({
      id: `context-${index}`,
      tag: `${tag}-${index}`,
      source: source.slice(offset, offset + chars),
      target: inputLen,
      task: dataset.task ?? "",
      counter,
      signal,
    });
    const prompt = { id, kind: "text" as const, text, tokens: null };
    return { prompt, wanted: inputLen, counted: contextTokens, tolerance: contextTolerance(inputLen) };
  };
}
