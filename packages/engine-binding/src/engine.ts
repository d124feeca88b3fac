/**
 * The interface every in-process engine is used through. What an engine cannot say is `null`, never made up.
 * All times are integer nanoseconds of `process.hrtime.bigint()`, the one monotonic clock of the process.
 */

/** An engine with a model loaded into it. */
export interface Engine extends AsyncDisposable {
  readonly info: EngineInfo;

  /** Token ids of a text. */
  tokenize(text: string, options?: TokenizeOptions): number[];

  /** Text of token ids; special tokens are left out unless asked for. */
  detokenize(tokenIds: readonly number[], options?: DetokenizeOptions): string;

  /**
   * Generates from a prompt of token ids. The stream ends with exactly one batch that carries `finish`, also when
   * the signal aborts (reason `abort`). Requests beyond the number of slots wait in order of arrival.
   *
   * @throws {EngineError} `ENGINE_PROMPT_TOO_LONG`, `ENGINE_INVALID_REQUEST`, `ENGINE_DISPOSED`, `ENGINE_FAILED`
   */
  generate(request: GenerateRequest, signal?: AbortSignal): AsyncIterable<TokenBatch>;

  /** Counters since the engine was loaded; monotonic but for `requestsRunning` and `requestsWaiting`. */
  counters(): EngineCounters;

  /** Forgets every cached prefix. Slots that are in use forget theirs when their request ends. */
  resetPrefixCache(): Promise<void>;

  /** Frees the model. Idempotent; requests in flight end with reason `abort`. */
  dispose(): Promise<void>;
}

/** How a text becomes token ids. */
export interface TokenizeOptions {
  /** Add the tokens that the tokenizer puts around every text (BOS, EOS). Default: false. */
  readonly addSpecial?: boolean;
  /** Read `<|im_end|>` and the like as the special tokens they name, not as text. Default: true. */
  readonly parseSpecial?: boolean;
}

/** How token ids become a text. */
export interface DetokenizeOptions {
  /** Show special tokens as text. Default: false. */
  readonly renderSpecial?: boolean;
}

/** What an engine says of itself once it is loaded; it does not change. */
export interface EngineInfo {
  /** Engine family, for example `llama.cpp`. */
  readonly engine: string;
  readonly engineVersion: string | null;
  readonly model: ModelInfo;
  /** Tokens that one request may use, prompt and output together. */
  readonly contextSize: number;
  /** Requests that decode at the same time. */
  readonly slots: number;
  readonly threads: number | null;
  readonly vocabularySize: number | null;
  /** Token ids that end a generation. */
  readonly eosTokenIds: readonly number[];
  readonly bosTokenId: number | null;
  /** Whether the tokenizer puts BOS before every text by itself (the double-BOS trap). */
  readonly addsBos: boolean;
  /** Jinja source carried by the model, or null when it carries none. */
  readonly chatTemplate: string | null;
  /** Named special tokens (`bos_token`, `eos_token`, `pad_token`, …) as text, as templates expect them. */
  readonly specialTokens: Readonly<Record<string, string>>;
  /** Speculative decoding as it is configured, or null when there is none. */
  readonly speculation: SpeculationInfo | null;
}

/** A model file as the engine knows it. */
export interface ModelInfo {
  readonly name: string;
  readonly path: string | null;
  readonly sizeBytes: number | null;
  readonly parameterCount: number | null;
  readonly quantisation: string | null;
}

/** How an engine speculates. */
export interface SpeculationInfo {
  readonly method: "draft-model";
  readonly draftModel: string;
  /** K: the most tokens drafted in one step, bonus token not included. */
  readonly draftBudget: number;
}

/** One request to generate. */
export interface GenerateRequest {
  readonly prompt: readonly number[];
  /** The cap on output tokens. */
  readonly maxTokens: number;
  /** EOS and stop strings cannot end the output before this many tokens. Default: 0. */
  readonly minTokens?: number;
  /**
   * Generate past EOS up to `maxTokens`. The EOS token stays in the sequence and counts as an output token, as in
   * vLLM; llama.cpp's own server suppresses it instead. Default: false.
   */
  readonly ignoreEos?: boolean;
  readonly sampling?: SamplingOptions;
  /** Texts that end the output; neither they nor what follows is emitted. */
  readonly stop?: readonly string[];
  /** Token ids that end the output besides EOS. */
  readonly stopTokenIds?: readonly number[];
  /** Reuse the longest cached prefix. Default: true. */
  readonly cachePrompt?: boolean;
  /** Draft tokens for this request when the engine has a draft. Default: true. */
  readonly speculate?: boolean;
}

/** OpenAI and vLLM meanings; temperature 0 is greedy and makes the rest idle. */
export interface SamplingOptions {
  /** Default: 0 (greedy). */
  readonly temperature?: number;
  readonly topP?: number;
  /** 0 or -1 means off. */
  readonly topK?: number;
  readonly minP?: number;
  readonly seed?: number;
  readonly repetitionPenalty?: number;
  readonly presencePenalty?: number;
  readonly frequencyPenalty?: number;
}

/** Tokens that became available together: one decode step, or one verify step with all it accepted. */
export interface TokenBatch {
  /** Ids of the output tokens of this batch, the ending EOS included; null when the engine gives text only. */
  readonly tokenIds: readonly number[] | null;
  /** New text, held back while it could still be part of a stop string or of an unfinished character. */
  readonly text: string;
  /** When the tokens were produced, ns. */
  readonly producedAtNs: bigint;
  /** Only in the last batch. */
  readonly finish?: GenerateFinish;
}

/** Why an output ended. `length` is the cap. */
export type FinishReason = "eos" | "stop-string" | "stop-token" | "length" | "abort";

/** How a request ended and what it took. Times in ns of the process clock. */
export interface GenerateFinish {
  readonly reason: FinishReason;
  /** The stop string or token id that matched. */
  readonly matched: string | number | null;
  readonly promptTokens: number;
  /** Prompt tokens taken from the prefix cache. */
  readonly cachedPromptTokens: number;
  /** Output tokens, an ending EOS included. */
  readonly outputTokens: number;
  /** Index (0-based, in output tokens) of the first EOS produced; null when none was. Exact under `ignoreEos` too. */
  readonly firstEosIndex: number | null;
  /** This request's own counts; null when nothing was drafted for it. */
  readonly speculation: SpeculationCounters | null;
  readonly queuedAtNs: bigint;
  readonly startedAtNs: bigint;
  readonly firstTokenAtNs: bigint | null;
  readonly endedAtNs: bigint;
}

/** Counts of draft-verify steps, of one request or of the engine since it was loaded. */
export interface SpeculationCounters {
  /** V: verify steps, one per request and engine step that carried at least one draft token. */
  readonly verifySteps: number;
  /** D: draft tokens proposed. */
  readonly draftTokens: number;
  /** A: draft tokens accepted, the bonus token not included. */
  readonly acceptedTokens: number;
  /** A_i: accepted at draft position i (0-based); its length is the draft budget K. */
  readonly acceptedPerPosition: readonly number[];
}

/** What an engine has done since it was loaded, and what it is doing. */
export interface EngineCounters {
  readonly promptTokens: number;
  readonly outputTokens: number;
  /** Prompt tokens looked up in the prefix cache. */
  readonly prefixCacheQueries: number;
  /** Prompt tokens found there. */
  readonly prefixCacheHits: number;
  readonly requestsRunning: number;
  readonly requestsWaiting: number;
  readonly requestsFinished: Readonly<Record<FinishReason, number>>;
  /** Null when the engine does not speculate. */
  readonly speculation: SpeculationCounters | null;
}
