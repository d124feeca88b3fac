import type {
  EngineCapabilities,
  GenerateRequest,
  OutputFormat,
  SamplingOptions,
  TokenizeOptions,
} from "./engine.ts";
import { EngineError } from "./errors.ts";
import { checkKinds, isList, kindOf } from "./request-kinds.ts";

/** What a request is checked against. */
export interface RequestLimits {
  readonly contextSize: number;
  readonly vocabularySize: number;
  /** For prompts that are text. */
  readonly tokenize: (text: string, options: TokenizeOptions) => number[];
  readonly capabilities: EngineCapabilities;
}

/** A request with every default filled in. */
export interface CheckedRequest {
  readonly prompt: readonly number[];
  readonly maxTokens: number;
  readonly minTokens: number;
  readonly ignoreEos: boolean;
  readonly sampling: SamplingOptions;
  readonly stop: readonly string[];
  readonly stopTokenIds: readonly number[];
  readonly cachePrompt: boolean;
  /** Null for the prefixes that requests without a salt share. */
  readonly cacheSalt: string | null;
  readonly speculate: boolean;
  /** The most tokens drafted in one step; null leaves it to the engine's K. */
  readonly draftBudget: number | null;
  /** Alternatives per token; null when no log-probabilities are asked for. */
  readonly logprobs: number | null;
  readonly format: OutputFormat | null;
}

const MAX_STOPS = 64;
const MAX_STOP_LENGTH = 4096;
/** Characters of a grammar, or of a schema as JSON. */
const MAX_FORMAT_LENGTH = 262_144;
/** Objects and lists within each other in a schema: those who read it call themselves for each. */
const MAX_FORMAT_DEPTH = 64;

/**
 * Checks a request and fills in its defaults.
 *
 * @throws {EngineError} `ENGINE_INVALID_REQUEST`, `ENGINE_PROMPT_TOO_LONG`
 */
export function checkRequest(request: GenerateRequest, limits: RequestLimits): CheckedRequest {
  checkKinds(request);
  const { maxTokens } = request;
  const prompt =
    typeof request.prompt === "string"
      ? limits.tokenize(request.prompt, { addSpecial: request.addSpecial ?? true, parseSpecial: true })
      : request.prompt;
  if (prompt.length === 0) refuse("prompt is empty: give at least one token");
  checkTokenIds("prompt", prompt, limits.vocabularySize);
  if (!Number.isSafeInteger(maxTokens) || maxTokens < 1) {
    refuse(`maxTokens must be an integer of at least 1, got ${String(maxTokens)}`);
  }
  const minTokens = request.minTokens ?? 0;
  if (!Number.isSafeInteger(minTokens) || minTokens < 0 || minTokens > maxTokens) {
    refuse(`minTokens must be an integer from 0 to maxTokens (${maxTokens}), got ${String(minTokens)}`);
  }
  const stop = request.stop ?? [];
  checkStops(stop);
  const stopTokenIds = request.stopTokenIds ?? [];
  checkTokenIds("stopTokenIds", stopTokenIds, limits.vocabularySize);
  checkSampling(request.sampling ?? {});
  const { draftBudget } = request;
  if (draftBudget !== undefined && (!Number.isSafeInteger(draftBudget) || draftBudget < 0)) {
    refuse(`draftBudget must be an integer of at least 0, got ${String(draftBudget)}`);
  }
  checkLogprobs(request.logprobs, limits.capabilities.maxLogprobs);
  checkFormat(request, limits.capabilities);
  checkLength(prompt.length, maxTokens, limits.contextSize);
  return {
    prompt: [...prompt],
    maxTokens,
    minTokens,
    ignoreEos: request.ignoreEos ?? false,
    sampling: { ...request.sampling },
    stop: [...stop],
    stopTokenIds: [...stopTokenIds],
    cachePrompt: request.cachePrompt ?? true,
    cacheSalt: request.cacheSalt ?? null,
    speculate: (request.speculate ?? true) && request.draftBudget !== 0,
    draftBudget: request.draftBudget ?? null,
    logprobs: request.logprobs ?? null,
    format: request.format === undefined ? null : plainFormat(request.format),
  };
}

/** Without what JSON does not have, which could not cross to another thread. */
function plainFormat(format: OutputFormat): OutputFormat {
  return format.kind === "json-schema"
    ? { kind: "json-schema", schema: JSON.parse(JSON.stringify(format.schema)) }
    : format;
}

/** @throws {EngineError} `ENGINE_INVALID_REQUEST` when one is empty or too long, or there are too many */
export function checkStops(stop: readonly string[]): void {
  if (stop.length > MAX_STOPS) refuse(`stop has ${stop.length} strings, at most ${MAX_STOPS} are allowed`);
  for (const [index, text] of stop.entries()) {
    if (typeof text !== "string" || text.length === 0 || text.length > MAX_STOP_LENGTH) {
      refuse(`stop[${index}] must be a text of 1 to ${MAX_STOP_LENGTH} characters`);
    }
  }
}

/** @throws {EngineError} `ENGINE_INVALID_REQUEST` when one is not a token id of the vocabulary */
export function checkTokenIds(name: string, tokenIds: readonly number[], vocabularySize: number): void {
  if (!isList(tokenIds)) refuse(`${name} must be a list of token ids, got ${kindOf(tokenIds)}`);
  for (const [index, token] of tokenIds.entries()) {
    if (!Number.isSafeInteger(token) || token < 0 || token >= vocabularySize) {
      refuse(`${name}[${index}] is not a token id from 0 to ${vocabularySize - 1}: ${String(token)}`);
    }
  }
}

function checkLogprobs(logprobs: number | undefined, most: number | null): void {
  if (logprobs === undefined) return;
  if (most === null) refuse("logprobs: this engine gives none");
  if (!Number.isSafeInteger(logprobs) || logprobs < 0 || logprobs > most) {
    refuse(`logprobs must be an integer from 0 to ${most}, got ${String(logprobs)}`);
  }
}

function checkFormat(request: GenerateRequest, { outputFormats }: EngineCapabilities): void {
  const { format } = request;
  if (format === undefined) return;
  if (!outputFormats.includes(format.kind)) {
    const can = outputFormats.length === 0 ? "none" : outputFormats.join(", ");
    refuse(`format ${format.kind}: this engine can hold an output to ${can}`);
  }
  if (format.kind === "json-schema" && isDeeper(format.schema, MAX_FORMAT_DEPTH)) {
    refuse(`format: the schema is nested more than ${MAX_FORMAT_DEPTH} deep`);
  }
  const size =
    format.kind === "json-schema"
      ? JSON.stringify(format.schema).length
      : format.kind === "grammar"
        ? format.grammar.length
        : 0;
  if (size > MAX_FORMAT_LENGTH) {
    refuse(`format: the ${format.kind} has ${size} characters, at most ${MAX_FORMAT_LENGTH} are allowed`);
  }
  // a format ends where it is complete: nothing can be demanded beside it
  if (request.ignoreEos === true) refuse("ignoreEos cannot be held together with a format");
  if ((request.minTokens ?? 0) > 0) refuse("minTokens cannot be held together with a format");
  if (request.logprobs !== undefined) refuse("logprobs are not given together with a format");
}

/** Whether objects and lists are nested deeper than a limit; also true of one that holds itself. */
function isDeeper(value: unknown, limit: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return limit === 0 || Object.values(value).some((inner) => isDeeper(inner, limit - 1));
}

function checkLength(promptTokens: number, maxTokens: number, contextSize: number): void {
  if (promptTokens + 1 > contextSize) {
    throw new EngineError(
      "ENGINE_PROMPT_TOO_LONG",
      `the prompt has ${promptTokens} tokens and leaves no room for output in a context of ${contextSize} tokens: ` +
        "shorten the prompt or load the model with a larger contextSize",
    );
  }
  if (promptTokens + maxTokens > contextSize) {
    throw new EngineError(
      "ENGINE_PROMPT_TOO_LONG",
      `${promptTokens} prompt tokens and maxTokens ${maxTokens} make ${promptTokens + maxTokens}, ` +
        `more than the context of ${contextSize} tokens: ` +
        `ask for at most ${contextSize - promptTokens} or load the model with a larger contextSize`,
    );
  }
}

/** Name, lowest and highest value of each sampling option, and whether it is an integer. */
const SAMPLING_RANGES: readonly (readonly [keyof SamplingOptions, number, number, boolean])[] = [
  ["temperature", 0, 100, false],
  ["topP", Number.MIN_VALUE, 1, false],
  ["topK", -1, Number.MAX_SAFE_INTEGER, true],
  ["minP", 0, 1, false],
  ["seed", Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, true],
  ["repetitionPenalty", Number.MIN_VALUE, Number.MAX_VALUE, false],
  ["presencePenalty", -2, 2, false],
  ["frequencyPenalty", -2, 2, false],
];

/** @throws {EngineError} `ENGINE_INVALID_REQUEST` when a value is out of its range */
export function checkSampling(sampling: SamplingOptions): void {
  for (const [name, lowest, highest, integer] of SAMPLING_RANGES) {
    const value = sampling[name];
    if (value === undefined) continue;
    const kind = integer ? Number.isSafeInteger(value) : Number.isFinite(value);
    if (!kind || value < lowest || value > highest) {
      const range =
        lowest === Number.MIN_VALUE
          ? highest === Number.MAX_VALUE
            ? "above 0"
            : `above 0 and at most ${highest}`
          : `from ${lowest} to ${highest}`;
      refuse(
        `sampling.${name} must be ${integer ? "an integer" : "a number"} ${range}, got ${String(value)}`,
      );
    }
  }
}

function refuse(message: string): never {
  throw new EngineError("ENGINE_INVALID_REQUEST", message);
}
