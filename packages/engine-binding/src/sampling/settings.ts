import { randomInt } from "node:crypto";
import type { SamplingOptions } from "../engine.ts";

/** Sampling options with every default filled in. */
export interface SamplingSettings {
  readonly greedy: boolean;
  readonly temperature: number;
  readonly topP: number;
  /** 0 means off. */
  readonly topK: number;
  readonly minP: number;
  readonly seed: number;
  readonly repetitionPenalty: number;
  readonly presencePenalty: number;
  readonly frequencyPenalty: number;
}

/** Below this vLLM decodes greedily. */
const GREEDY_BELOW = 1e-5;

/** @param randomSeed called when the request is sampled and gives no seed */
export function samplingSettings(
  options: SamplingOptions = {},
  randomSeed: () => number = () => randomInt(2 ** 32),
): SamplingSettings {
  const temperature = options.temperature ?? 0;
  const greedy = temperature < GREEDY_BELOW;
  return {
    greedy,
    temperature: greedy ? 0 : temperature,
    topP: options.topP ?? 1,
    topK: Math.max(0, options.topK ?? 0),
    minP: options.minP ?? 0,
    seed: options.seed ?? (greedy ? 0 : randomSeed()),
    repetitionPenalty: options.repetitionPenalty ?? 1,
    presencePenalty: options.presencePenalty ?? 0,
    frequencyPenalty: options.frequencyPenalty ?? 0,
  };
}
