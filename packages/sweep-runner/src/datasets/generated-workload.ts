import { randomBytes } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { BenchConfig } from "@onpar/bench-config";
import { preparingCounter, type RunObserver } from "../events.ts";
import { contextPrompt, contextTolerance, sourceCharsFor } from "../ladders/context-prompt.ts";
import { readSourceText } from "../ladders/source-text.ts";
import type { WorkloadPrompt } from "../prompt.ts";
import { createRng } from "../rng.ts";
import type { TokenCounter } from "../token-counter.ts";
import { idsOf, plainIds } from "./id-prompts.ts";
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

/** Tokenize requests in flight. */
export const TOKENIZING_CONCURRENCY = 4;

/** Draws of lengths share nothing with those of texts. */
const LENGTHS_STREAM = 0x6c656e;
/** Prefixes are texts of a seed beside that of the prompts. */
const PREFIX_SEED = 0x70726566;

/**
 * Makes `count` prompts of the kind that is configured. Under the nonce policy their texts are drawn anew for each run, so that
 * no prefix cache has seen them, with the lengths that the seed gives; prefixes are still shared inside the run.
 */
export async function makePrompts(options: MakingOptions, count: number): Promise<MadePrompt[]> {
  return makeAll(options, count, await makerOf(options, count));
}

function makerOf(options: MakingOptions, count: number): Promise<Maker> {
  switch (options.config.dataset.kind) {
    case "source-code":
      return sourceMaker(options, count);
    case "random-ids":
      return idsMaker(options);
    default:
      return textMaker(options);
  }
}

/** Makes prompts a few at a time, and tells how far it is. */
export async function makeAll(
  { signal, observer }: MakingOptions,
  count: number,
  make: Maker,
): Promise<MadePrompt[]> {
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
  await Promise.all(Array.from({ length: Math.min(TOKENIZING_CONCURRENCY, prompts.length) }, worker));
  return prompts;
}

/** Makes the prompt of a number. */
export type Maker = (index: number) => Promise<MadePrompt>;

async function textMaker({ config, counter, signal }: MakingOptions): Promise<Maker> {
  const seed = seedOf(config);
  const { prefix, groups } = prefixOf(config);
  const heads: GeneratedPrompt[] = [];
  for (let group = 0; group < groups; group++) {
    signal?.throwIfAborted();
    heads.push(
      await generatePrompt({ seed: seed ^ PREFIX_SEED, index: group, tokens: prefix }, counter, signal),
    );
  }
  return async (index) => {
    const head = heads[index % Math.max(1, heads.length)];
    const wanted = wantedOf(config, index, prefix);
    const text = await generatePrompt({ seed, index, tokens: wanted, head }, counter, signal);
    const prompt = { id: `generated-${index}`, kind: "text" as const, ...text };
    return { prompt, wanted, counted: text.tokens, tolerance: 0 };
  };
}

/** Prompts of token ids: nothing has to be fitted. */
async function idsMaker({ config, counter, signal }: MakingOptions): Promise<Maker> {
  const seed = seedOf(config);
  const { prefix, groups } = prefixOf(config);
  const pool = await plainIds(counter, signal);
  const heads = Array.from({ length: groups }, (_, group) => idsOf(pool, seed ^ PREFIX_SEED, group, prefix));
  return async (index) => {
    const head = heads[index % Math.max(1, heads.length)] ?? [];
    const wanted = wantedOf(config, index, prefix);
    const ids = [...head, ...idsOf(pool, seed, index, wanted - head.length)];
    const prompt = { id: `generated-${index}`, kind: "ids" as const, ids };
    return { prompt, wanted, counted: ids.length, tolerance: 0 };
  };
}

/** Under the nonce policy texts are others in every run. */
export function seedOf({ cache, seed }: BenchConfig): number {
  return cache.policy === "nonce" ? randomBytes(4).readUInt32LE() >>> 1 : seed;
}

/** Tokens that prompts of one group begin with alike, and how many groups there are. Under a hit rate, they are its share. */
function prefixOf({ dataset, inputLen }: BenchConfig): { prefix: number; groups: number } {
  const { hitRate, sharedPrefixLen, prefixGroups } = dataset;
  // The last token of a prompt is computed in any case.
  const prefix = hitRate === null ? sharedPrefixLen : Math.min(Math.round(hitRate * inputLen), inputLen - 1);
  return { prefix, groups: prefix > 0 ? prefixGroups : 0 };
}

/** Requests of the warm-up that bring the prefixes into the cache, so that the hit rate holds from the first request on. */
export function primingRequests(config: BenchConfig): number {
  return config.dataset.hitRate === null ? 0 : prefixOf(config).groups;
}

/** Tokens of prompt `index`: those of its own behind its prefix, or, under a hit rate, those of the whole. */
function wantedOf(config: BenchConfig, index: number, prefix: number): number {
  const { inputLen, dataset, seed } = config;
  const drawn = lengthOf(inputLen, dataset.rangeRatio, createRng(seed, LENGTHS_STREAM + index).next());
  return dataset.hitRate === null ? drawn + prefix : Math.max(drawn, prefix + 1);
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
