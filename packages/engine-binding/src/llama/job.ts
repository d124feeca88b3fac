import type { SequenceEvaluateOptions } from "node-llama-cpp";
import type { FinishReason, GenerateFinish } from "../engine.ts";
import { BatchStream } from "../batch-stream.ts";
import type { CheckedRequest } from "../request.ts";
import type { GrammarState } from "./grammars.ts";
import { PenaltyHistory, type SamplerOptions } from "./sampler-options.ts";
import type { AcceptanceEstimate } from "../speculation/draft-length.ts";
import { positionSeed } from "../sampling/position-seed.ts";
import { samplingSettings, type SamplingSettings } from "../sampling/settings.ts";
import { SpeculationTally } from "../speculation/acceptance.ts";
import { IncrementalDetokenizer } from "../text/incremental-detokenizer.ts";
import { OutputAssembler, type OutputRules } from "../text/output-assembler.ts";

/** Prompt tokens that the first output token is decoded with, so that a space between them is right. */
const DETOKENIZER_CONTEXT = 5;

export interface JobSetup {
  readonly request: CheckedRequest;
  readonly eosTokenIds: readonly number[];
  /** K, or 0 when the engine has no draft. */
  readonly draftBudget: number;
  readonly grammar: GrammarState | null;
  /** What is assumed of its drafts before the first step. */
  readonly acceptance: AcceptanceEstimate;
  readonly detokenize: (tokens: readonly number[]) => string;
  readonly queuedAtNs: bigint;
}

/** A request on its way through the engine. */
export class Job {
  readonly request: CheckedRequest;
  readonly settings: SamplingSettings;
  readonly penalties: PenaltyHistory;
  readonly output: OutputAssembler;
  readonly stream = new BatchStream();
  /** Counts of this request; null when nothing is drafted for it. */
  readonly tally: SpeculationTally | null;
  /** Holds the output to its format. */
  readonly grammar: GrammarState | null;
  /** Most tokens drafted in a step of this request. */
  readonly draftBudget: number;
  /** How likely a draft token of this request is to hold. */
  readonly acceptance: AcceptanceEstimate;
  /** The prompt and every token the target produced, those after the end of the output included. */
  readonly tokens: number[];
  /** Tokens that must not be produced before `minTokens`. */
  readonly banned: ReadonlySet<number>;
  readonly #queuedAtNs: bigint;
  aborted = false;
  ended = false;
  cachedPromptTokens = 0;
  startedAtNs: bigint | null = null;
  firstTokenAtNs: bigint | null = null;

  constructor({ request, eosTokenIds, draftBudget, grammar, acceptance, detokenize, queuedAtNs }: JobSetup) {
    this.grammar = grammar;
    this.acceptance = acceptance;
    this.request = request;
    this.settings = samplingSettings(request.sampling);
    this.penalties = new PenaltyHistory(this.settings, request.prompt);
    this.tokens = [...request.prompt];
    this.banned = new Set([...eosTokenIds, ...request.stopTokenIds]);
    this.draftBudget = Math.min(draftBudget, request.draftBudget ?? draftBudget);
    const drafts = this.draftBudget > 0 && request.speculate && request.format === null;
    this.tally = drafts ? new SpeculationTally(draftBudget) : null;
    const rules: OutputRules = {
      maxTokens: request.maxTokens,
      minTokens: request.minTokens,
      ignoreEos: request.ignoreEos,
      eosTokenIds: new Set(eosTokenIds),
      stopTokenIds: new Set(request.stopTokenIds),
      stop: request.stop,
    };
    const context = request.prompt.slice(-DETOKENIZER_CONTEXT);
    this.output = new OutputAssembler(rules, new IncrementalDetokenizer(detokenize, context));
    this.#queuedAtNs = queuedAtNs;
  }

  get promptTokens(): number {
    return this.request.prompt.length;
  }

  /** Whether this token may not be produced at this output position. */
  isBanned(token: number, position: number): boolean {
    return position < this.request.minTokens && this.banned.has(token);
  }

  /**
   * How to choose the output token at a position.
   *
   * @param drafts the draft tokens between what is certain and the position
   * @param room draft tokens of the whole evaluation
   */
  sampler(position: number, drafts: readonly number[], room: number): SamplerOptions {
    const { temperature, topP, topK, minP, seed, greedy } = this.settings;
    const options: SamplerOptions = {
      temperature,
      topP,
      topK,
      // llama.cpp applies the temperature after min-p, vLLM before: the power makes both keep the same tokens
      minP: greedy ? 0 : minP ** temperature,
      seed: greedy ? 0 : positionSeed(seed, position),
    };
    if (this.penalties.active) options.repeatPenalty = this.penalties.options(drafts, room + 1);
    return options;
  }

  /** How to choose all output tokens of a request that is held to a grammar, which one sampler has to follow. */
  streamSampler(grammar: GrammarState): SequenceEvaluateOptions {
    const penalties = this.penalties;
    const { repeatPenalty, ...options } = this.sampler(0, [], 0);
    return {
      ...options,
      grammarEvaluationState: grammar,
      yieldEogToken: true,
      ...(repeatPenalty === undefined
        ? {}
        : {
            repeatPenalty: {
              ...repeatPenalty,
              punishTokens: () => penalties.options([], 0).punishTokens,
              maxPunishTokens: this.promptTokens + this.request.maxTokens,
            },
          }),
    };
  }

  finish(reason: FinishReason, matched: string | number | null, endedAtNs: bigint): GenerateFinish {
    return {
      reason,
      matched,
      promptTokens: this.promptTokens,
      cachedPromptTokens: this.cachedPromptTokens,
      outputTokens: this.output.count,
      firstEosIndex: this.output.firstEosIndex,
      speculation: this.tally === null || this.tally.empty ? null : this.tally.snapshot(),
      queuedAtNs: this.#queuedAtNs,
      startedAtNs: this.startedAtNs ?? endedAtNs,
      firstTokenAtNs: this.firstTokenAtNs,
      endedAtNs,
    };
  }
}
