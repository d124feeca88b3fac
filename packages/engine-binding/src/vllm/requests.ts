import type { Sampling } from "@onpar/vllm-addon";
import type { EngineInfo, GenerateRequest, OutputFormat } from "../engine.ts";
import { EngineError } from "../errors.ts";
import { checkKinds } from "../request-kinds.ts";
import { checkSampling, checkStops, checkTokenIds } from "../request.ts";

/** vLLM's tokens are 32-bit; a cap above it is none. */
const MAX_TOKENS = 2 ** 31 - 1;
/** Tokens that a completion of token ids may have: their room is reserved at once. */
const MAX_OUTPUT_IDS = 2 ** 20;

/**
 * A request as the library takes it.
 *
 * @throws {EngineError} `ENGINE_INVALID_REQUEST`, `ENGINE_UNSUPPORTED`, `ENGINE_PROMPT_TOO_LONG`
 */
export function nativeSampling(request: GenerateRequest, info: EngineInfo): Sampling & { maxTokens: number } {
  checkKinds(request);
  refuseUnsupported(request, info);
  const { maxTokens, minTokens = 0, stop = [], sampling = {}, format } = request;
  if (!Number.isSafeInteger(maxTokens) || maxTokens < 1) {
    refuse(`maxTokens must be an integer of at least 1, got ${String(maxTokens)}`);
  }
  if (!Number.isSafeInteger(minTokens) || minTokens < 0 || minTokens > maxTokens) {
    refuse(`minTokens must be an integer from 0 to maxTokens (${maxTokens}), got ${String(minTokens)}`);
  }
  checkStops(stop);
  checkSampling(sampling);
  checkPrompt(request, info);
  const { temperature = 0, topP, topK, minP, seed } = sampling;
  return {
    temperature,
    maxTokens: Math.min(maxTokens, typeof request.prompt === "string" ? MAX_TOKENS : MAX_OUTPUT_IDS),
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined ? {} : { topK: Math.max(0, Math.min(topK, MAX_TOKENS)) }),
    ...(minP === undefined ? {} : { minP }),
    ...(seed === undefined ? {} : { seed: BigInt.asUintN(64, BigInt(seed)) }),
    ...(minTokens === 0 ? {} : { minTokens }),
    ...(request.ignoreEos === true ? { ignoreEos: true } : {}),
    ...(stop.length === 0 ? {} : { stop }),
    ...(sampling.presencePenalty === undefined ? {} : { presencePenalty: sampling.presencePenalty }),
    ...(sampling.frequencyPenalty === undefined ? {} : { frequencyPenalty: sampling.frequencyPenalty }),
    ...(sampling.repetitionPenalty === undefined ? {} : { repetitionPenalty: sampling.repetitionPenalty }),
    ...(format === undefined ? {} : nativeFormat(format)),
  };
}

/** Tokens that a tokenizer may put around a text. */
const AROUND = 8;

/**
 * Output tokens of a text prompt that nothing but its cap can end, though the library tells no counts: EOS ignored, no
 * stop strings, no format, and a context that holds the prompt, of at most a token for each byte, and the whole output.
 *
 * @returns null when it may end otherwise
 */
export function certainOutputTokens(request: GenerateRequest, { contextSize }: EngineInfo): number | null {
  const { prompt, maxTokens, stop = [], format } = request;
  if (typeof prompt !== "string" || request.ignoreEos !== true) return null;
  if (stop.length > 0 || format !== undefined || contextSize === null) return null;
  // normalisers can make a text longer
  const bytes = Math.max(Buffer.byteLength(prompt), Buffer.byteLength(prompt.normalize("NFKD")));
  return bytes + AROUND + maxTokens <= contextSize ? maxTokens : null;
}

function nativeFormat(format: OutputFormat): Pick<Sampling, "jsonSchema" | "grammar" | "jsonObject"> {
  if (format.kind === "json-schema") return { jsonSchema: JSON.stringify(format.schema) };
  return format.kind === "grammar" ? { grammar: format.grammar } : { jsonObject: true };
}

function refuseUnsupported(
  request: GenerateRequest,
  { capabilities, addsBos, speculation }: EngineInfo,
): void {
  if (request.logprobs !== undefined) unsupported("logprobs", "its C ABI gives no log-probabilities");
  if ((request.stopTokenIds?.length ?? 0) > 0) unsupported("stopTokenIds", "its C ABI has no stop tokens");
  if (request.cachePrompt === false) {
    unsupported(
      "cachePrompt: false",
      "prefix caching is chosen when the model is loaded (enablePrefixCaching)",
    );
  }
  if (request.cacheSalt !== undefined) unsupported("cacheSalt", "its C ABI has no salts");
  const drafts = speculation !== null;
  if (drafts && (request.speculate === false || request.draftBudget !== undefined)) {
    unsupported(
      "speculate and draftBudget",
      "drafting is chosen when the model is loaded (speculativeConfig)",
    );
  }
  if (typeof request.prompt !== "string") {
    if (!capabilities.tokenPrompts) {
      unsupported(
        "a prompt of token ids",
        "this library has no vllm_complete_tokens (ABI 13); give the prompt as text",
      );
    }
  } else if (request.addSpecial === false && addsBos !== false) {
    unsupported(
      "addSpecial: false",
      "the library always adds what the tokenizer puts around a text, and this one may add a BOS token",
    );
  }
}

function checkPrompt({ prompt, maxTokens }: GenerateRequest, info: EngineInfo): void {
  if (prompt.length === 0) refuse("prompt is empty");
  if (typeof prompt === "string") {
    if (prompt.includes("\0"))
      refuse("prompt holds the character NUL, which ends a text in the library's C ABI");
    return;
  }
  if (maxTokens > MAX_OUTPUT_IDS)
    refuse(`maxTokens may be at most ${MAX_OUTPUT_IDS} for token ids, got ${maxTokens}`);
  checkTokenIds("prompt", prompt, info.vocabularySize ?? 2 ** 31);
  const { contextSize } = info;
  if (contextSize === null || prompt.length < contextSize) return;
  throw new EngineError(
    "ENGINE_PROMPT_TOO_LONG",
    `the prompt has ${prompt.length} tokens and leaves no room for output in a context of ${contextSize} tokens: ` +
      "shorten the prompt or load the model with a larger maxModelLen",
  );
}

function refuse(message: string): never {
  throw new EngineError("ENGINE_INVALID_REQUEST", message);
}

function unsupported(what: string, why: string): never {
  throw new EngineError("ENGINE_UNSUPPORTED", `the vLLM engine cannot take ${what}: ${why}`);
}
