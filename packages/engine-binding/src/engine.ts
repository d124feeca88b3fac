/// <reference lib="esnext.disposable" preserve="true" />
/**
 * The interface every in-process engine is used through. What an engine cannot say is `null`, never made up.
 * All times are integer nanoseconds of `process.hrtime.bigint()`, the one monotonic clock of the process.
 */

/** An engine with a model loaded into it. */
export interface Engine extends AsyncDisposable {
  readonly info: EngineInfo;

  /**
   * Token ids of a text.
   *
   * @throws {EngineError} `ENGINE_UNSUPPORTED` when `info.capabilities.tokenizer` is false
   */
  tokenize(text: string, options?: TokenizeOptions): number[];

  /**
   * Text of token ids; special tokens are left out unless asked for.
   *
   * @throws {EngineError} `ENGINE_UNSUPPORTED` when `info.capabilities.tokenizer` is false
   */
  detokenize(tokenIds: readonly number[], options?: DetokenizeOptions): string;

  /**
   * Generates from a prompt. The stream ends with exactly one batch that carries `finish`, also when
   * the signal aborts (reason `abort`). Requests beyond the number of slots wait in order of arrival.
   *
   * @throws {EngineError} `ENGINE_PROMPT_TOO_LONG`, `ENGINE_INVALID_REQUEST`, `ENGINE_UNSUPPORTED`,
   * `ENGINE_DISPOSED`, `ENGINE_FAILED`
   */
  generate(request: GenerateRequest, signal?: AbortSignal): AsyncIterable<TokenBatch>;

  /**
   * Answers an OpenAI chat request with the engine's own template and parsers. There only where
   * `info.capabilities.chat` is true.
   *
   * @param body an OpenAI chat completion request
   */
  chat?(body: Readonly<Record<string, unknown>>, signal?: AbortSignal): AsyncIterable<ChatChunk>;

  /** Counters since the engine was loaded; monotonic but for `requestsRunning` and `requestsWaiting`. */
  counters(): EngineCounters;

  /**
   * Forgets every cached prefix. Slots that are in use forget theirs when their request ends.
   *
   * @throws {EngineError} `ENGINE_UNSUPPORTED` when `info.capabilities.prefixCacheReset` is false
   */
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
  /** Tokens that one request may use, prompt and output together; null when the engine does not tell. */
  readonly contextSize: number | null;
  /** Requests that decode at the same time. */
  readonly slots: number;
  readonly threads: number | null;
  /** What computes beside the CPU: `cuda`, `vulkan`, `metal`; `false` for nothing, null when the engine does not tell. */
  readonly gpu: string | false | null;
  readonly vocabularySize: number | null;
  /** Token ids that end a generation; null when the engine does not tell. */
  readonly eosTokenIds: readonly number[] | null;
  readonly bosTokenId: number | null;
  /** Whether the tokenizer puts BOS before every text by itself (the double-BOS trap). */
  readonly addsBos: boolean | null;
  /** Jinja source carried by the model, or null when it carries none. */
  readonly chatTemplate: string | null;
  /** Named special tokens (`bos_token`, `eos_token`, `pad_token`, …) as text, as templates expect them. */
  readonly specialTokens: Readonly<Record<string, string>>;
  /** Speculative decoding as it is configured, or null when there is none. */
  readonly speculation: SpeculationInfo | null;
  readonly capabilities: EngineCapabilities;
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
  /**
   * Where draft tokens come from: a smaller model, the request's own earlier tokens (prompt lookup), layers added to
   * the model itself (MTP, EAGLE, Medusa), or something else that the engine has.
   */
  readonly method: "draft-model" | "ngram" | "draft-head" | "other";
  /** Name of the draft model; null when there is none. */
  readonly draftModel: string | null;
  /** K: the most tokens drafted in one step, bonus token not included. */
  readonly draftBudget: number;
  /** `fixed` drafts K wherever K can be used; `adaptive` drafts fewer where acceptance does not pay for them. */
  readonly draftLength: "fixed" | "adaptive";
}

/** Kinds of output that an engine can be held to. */
export type OutputFormatKind = "json-schema" | "json" | "grammar";

/** What an engine can do; a request that asks for more is refused. */
export interface EngineCapabilities {
  /** `tokenize` and `detokenize` work. */
  readonly tokenizer: boolean;
  /** A prompt may be token ids. Text is taken by every engine. */
  readonly tokenPrompts: boolean;
  /** Whether `addSpecial` of a text prompt can be chosen; the value is what the engine does when it cannot. */
  readonly addSpecial: "chosen" | "always" | "never";
  /**
   * When batches carry token ids: as they stream, or only for prompts of token ids, whose output then comes in one
   * batch; null for never.
   */
  readonly tokenIds: "streamed" | "token-prompts" | null;
  /** `finish` tells why the output ended; false for text prompts of an engine that says nothing but "finished". */
  readonly finishReason: boolean;
  /** `finish` and the counters tell prompt and output tokens. */
  readonly tokenCounts: boolean;
  /** `counters().speculation` is known where the engine speculates. */
  readonly speculationCounters: boolean;
  /** `finish.speculation` is known where the engine speculates. */
  readonly requestSpeculation: boolean;
  /** A request may set its own `draftBudget`, or switch drafting off. */
  readonly requestDraftBudget: boolean;
  /** The engine answers chat requests by itself: see {@link Engine.chat}. */
  readonly chat: boolean;
  /** Most alternatives per token that `logprobs` may ask for; null when the engine gives no log-probabilities. */
  readonly maxLogprobs: number | null;
  readonly outputFormats: readonly OutputFormatKind[];
  readonly minTokens: boolean;
  readonly stopTokenIds: boolean;
  /** What happens to EOS under `ignoreEos`: it stays in the output (vLLM) or is never chosen (llama.cpp's server). */
  readonly ignoredEos: "passed" | "suppressed" | null;
  readonly prefixCacheReset: boolean;
  /** A request may leave the prefix cache out (`cachePrompt: false`), or share it with its like alone (`cacheSalt`). */
  readonly requestCachePrompt: boolean;
}

/** One request to generate. */
export interface GenerateRequest {
  /** Token ids, or a text that the engine tokenises, special tokens in it read as such. */
  readonly prompt: readonly number[] | string;
  /** For a text: put the tokens around it that the tokenizer puts around every text. Default: false where it can be chosen. */
  readonly addSpecial?: boolean;
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
  /** Share cached prefixes with requests of the same salt alone. Default: with all that have none. */
  readonly cacheSalt?: string;
  /** Draft tokens for this request when the engine has a draft. Default: true. */
  readonly speculate?: boolean;
  /** The most tokens drafted in one step of this request; at most the engine's K, which is the default. */
  readonly draftBudget?: number;
  /** Alternatives to give with every output token, beside the token itself; 0 gives the token alone. Default: none. */
  readonly logprobs?: number;
  /** Holds the output to a format. Nothing is drafted for such a request. */
  readonly format?: OutputFormat;
}

/** A format that the output is held to: JSON that a schema allows, any JSON object, or a GBNF grammar. */
export type OutputFormat =
  | { readonly kind: "json-schema"; readonly schema: Readonly<Record<string, unknown>> }
  | { readonly kind: "json" }
  | { readonly kind: "grammar"; readonly grammar: string };

/** Natural logarithm of the probability of a token, in the distribution that it was chosen from. */
export interface TokenLogprob {
  readonly tokenId: number;
  readonly logprob: number;
}

/** Log-probabilities of one output token: of the one chosen, and of the most probable ones in falling order. */
export interface OutputLogprobs extends TokenLogprob {
  readonly top: readonly TokenLogprob[];
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
  /** One entry per token of `tokenIds`, when the request asked for them. */
  readonly logprobs?: readonly OutputLogprobs[];
  /** When the tokens were produced, ns: taken on the engine's own thread. */
  readonly producedAtNs: bigint;
  /** Only in the last batch. */
  readonly finish?: GenerateFinish;
}

/** One `chat.completion.chunk` of {@link Engine.chat}. */
export interface ChatChunk {
  /** The chunk as the engine wrote it: JSON. */
  readonly json: string;
  /** When the chunk was produced, ns: taken on the engine's own thread. */
  readonly producedAtNs: bigint;
}

/** Why an output ended. `length` is the cap. */
export type FinishReason = "eos" | "stop-string" | "stop-token" | "length" | "abort";

/** How a request ended and what it took. Times in ns of the process clock. */
export interface GenerateFinish {
  /** Null when the engine only says that it ended. */
  readonly reason: FinishReason | null;
  /** The stop string or token id that matched. */
  readonly matched: string | number | null;
  readonly promptTokens: number | null;
  /** Prompt tokens taken from the prefix cache. */
  readonly cachedPromptTokens: number | null;
  /** Output tokens, an ending EOS included. */
  readonly outputTokens: number | null;
  /**
   * Index (0-based, in output tokens) of the first EOS produced; null when none was, or the engine gives no token
   * ids. Exact under `ignoreEos` too, where EOS is passed.
   */
  readonly firstEosIndex: number | null;
  /** This request's own counts; null when nothing was drafted for it. */
  readonly speculation: SpeculationCounters | null;
  readonly queuedAtNs: bigint;
  /** When the request left the queue; null when the engine does not tell. */
  readonly startedAtNs: bigint | null;
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
  /** A_i: accepted at draft position i (0-based); its length is the draft budget K. Null when only sums are known. */
  readonly acceptedPerPosition: readonly number[] | null;
}

/** What an engine has done since it was loaded, and what it is doing; null is what it does not tell. */
export interface EngineCounters {
  readonly promptTokens: number | null;
  readonly outputTokens: number | null;
  /** Prompt tokens looked up in the prefix cache. */
  readonly prefixCacheQueries: number | null;
  /** Prompt tokens found there. */
  readonly prefixCacheHits: number | null;
  readonly requestsRunning: number | null;
  readonly requestsWaiting: number | null;
  /** By reason; `unknown` are those of which the engine only says that they ended. */
  readonly requestsFinished: Readonly<Record<FinishReason | "unknown", number>>;
  /** Null when the engine does not speculate, or does not count what it does. */
  readonly speculation: SpeculationCounters | null;
  /**
   * Steps that brought output, by the tokens they brought, a prompt counted whole with its first output token: entry i counts
   * those of more than 2^(i-1) and at most 2^i tokens, the last entry all larger ones. Left out by engines that do not tell.
   */
  readonly stepTokens?: readonly number[];
}
