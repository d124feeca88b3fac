import type { Token } from "node-llama-cpp";
import { toTokens } from "./tokens.ts";
import type { SamplingSettings } from "../sampling/settings.ts";

/** The part of node-llama-cpp's sampling options that is used here. */
export interface SamplerOptions {
  temperature: number;
  topP: number;
  topK: number;
  minP: number;
  seed: number;
  repeatPenalty?: {
    punishTokens: Token[];
    maxPunishTokens: number;
    penalty: number;
    presencePenalty: number;
    frequencyPenalty: number;
  };
}

/**
 * The tokens that penalties look at. vLLM lets the repetition penalty see prompt and output, and the presence and
 * frequency penalties the output only. llama.cpp has one list for all three; so a request that sets both kinds has its
 * repetition penalty look at the output only, which keeps the other two exact.
 */
export class PenaltyHistory {
  readonly active: boolean;
  readonly #settings: SamplingSettings;
  readonly #tokens: number[] = [];

  constructor(settings: SamplingSettings, prompt: readonly number[]) {
    this.#settings = settings;
    const byCount = settings.presencePenalty !== 0 || settings.frequencyPenalty !== 0;
    this.active = byCount || settings.repetitionPenalty !== 1;
    // whether a token occurred is all that the repetition penalty asks: once each is enough
    if (this.active && !byCount) this.#tokens.push(...new Set(prompt));
  }

  push(tokens: readonly number[]): void {
    if (this.active) for (const token of tokens) this.#tokens.push(token);
  }

  /**
   * @param drafts the draft tokens before the position, taken to be accepted: where they are not, the position is dropped
   * @param room how many tokens the list may still grow by within one evaluation
   */
  options(drafts: readonly number[], room: number): NonNullable<SamplerOptions["repeatPenalty"]> {
    return {
      punishTokens: toTokens([...this.#tokens, ...drafts]),
      // constant within one evaluation, so that the engine extends its history from one position to the next
      maxPunishTokens: Math.max(64, this.#tokens.length + room),
      penalty: this.#settings.repetitionPenalty,
      presencePenalty: this.#settings.presencePenalty,
      frequencyPenalty: this.#settings.frequencyPenalty,
    };
  }
}
