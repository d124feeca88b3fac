import type { EngineInfo, GenerateRequest, OutputFormat, SamplingOptions } from "@onpar/engine-binding";

import { ApiError, invalidField } from "../http/api-error.ts";
import { outputFormat } from "./response-format.ts";
import type { GenerationFields } from "./generation-fields.ts";

/** What the two endpoints do not share about a request. */
export interface GenerationDefaults {
  /** The output cap when the request names none; null takes all that the context has left. */
  readonly maxTokens: number | null;
  /** Alternatives per output token; null when no log-probabilities are asked for. */
  readonly logprobs?: number | null;
  /** A format in place of the one that the request names: the arguments of a call that is forced. */
  readonly format?: OutputFormat | null;
  /** Seed of a request that names none, so that two equal requests differ as OpenAI's do. */
  readonly randomSeed: () => number;
}

function checkTokenIds(tokenIds: readonly number[], field: string, vocabularySize: number | null): void {
  if (vocabularySize === null) return;
  const wrong = tokenIds.find((id) => id >= vocabularySize);
  if (wrong !== undefined) {
    throw invalidField(field, `token id ${wrong} is outside the vocabulary (0 to ${vocabularySize - 1})`);
  }
}

/** @throws {ApiError} 400 `context_length_exceeded`, naming what was asked for and what there is */
function outputCap(
  promptTokens: number,
  asked: number | null,
  fallback: number | null,
  contextSize: number | null,
): number {
  // An engine that does not tell its context refuses by itself what does not fit.
  const left = contextSize === null ? Number.MAX_SAFE_INTEGER : contextSize - promptTokens;
  if (left < 1 || (asked !== null && asked > left)) {
    const wanted =
      asked === null
        ? `the prompt has ${promptTokens} tokens and leaves no room for output`
        : `${promptTokens + asked} tokens were requested: ${promptTokens} of the prompt and ${asked} of output`;
    throw new ApiError(400, {
      code: "context_length_exceeded",
      param: asked !== null && left >= 1 ? "max_tokens" : "prompt",
      message: `This model's maximum context length is ${contextSize} tokens, but ${wanted}. Shorten the prompt or ask for less output.`,
    });
  }
  return asked ?? Math.min(fallback ?? left, left);
}

function checkLogprobs(logprobs: number | null, { capabilities }: EngineInfo): void {
  if (logprobs === null) return;
  const most = capabilities.maxLogprobs;
  if (most === null) {
    throw invalidField("logprobs", "this engine gives no log probabilities", "unsupported_parameter");
  }
  if (logprobs > most) throw invalidField("logprobs", `at most ${most} alternatives per token are given`);
}

/** An output that is held to a format ends where the format is complete. */
function checkBesideFormat(fields: GenerationFields, logprobs: number | null): void {
  const other =
    (fields.ignore_eos === true && "ignore_eos") ||
    ((fields.min_tokens ?? 0) > 0 && "min_tokens") ||
    (logprobs !== null && "logprobs");
  if (other) throw invalidField(other, "cannot be used beside a format that the output is held to");
}

function sampling(fields: GenerationFields, randomSeed: () => number): SamplingOptions {
  return {
    // OpenAI's defaults, written out: engines' own defaults differ.
    temperature: fields.temperature ?? 1,
    topP: fields.top_p ?? 1,
    topK: fields.top_k ?? -1,
    minP: fields.min_p ?? 0,
    repetitionPenalty: fields.repetition_penalty ?? 1,
    presencePenalty: fields.presence_penalty ?? 0,
    frequencyPenalty: fields.frequency_penalty ?? 0,
    seed: fields.seed ?? randomSeed(),
  };
}

/**
 * The engine's request for a prompt and the fields that came with it. Everything that can be refused is refused
 * here, before the request waits for a slot.
 *
 * @throws {ApiError} 400
 */
export function generationRequest(
  prompt: readonly number[],
  fields: GenerationFields & { readonly max_completion_tokens?: number | null | undefined },
  info: EngineInfo,
  defaults: GenerationDefaults,
): GenerateRequest {
  if (prompt.length === 0) throw invalidField("prompt", "has no tokens");
  checkTokenIds(prompt, "prompt", info.vocabularySize);
  const stopTokenIds = fields.stop_token_ids ?? [];
  checkTokenIds(stopTokenIds, "stop_token_ids", info.vocabularySize);
  if (fields.stream_options !== null && fields.stream_options !== undefined && fields.stream !== true) {
    throw invalidField("stream_options", "is only allowed with stream: true");
  }
  const asked = fields.max_completion_tokens ?? fields.max_tokens ?? null;
  const maxTokens = outputCap(prompt.length, asked, defaults.maxTokens, info.contextSize);
  const minTokens = fields.min_tokens ?? 0;
  if (minTokens > maxTokens) {
    throw invalidField("min_tokens", `is ${minTokens}, more than the output cap of ${maxTokens}`);
  }
  const stop = [fields.stop ?? []].flat();
  const format = defaults.format ?? outputFormat(fields.response_format, info.capabilities);
  const logprobs = defaults.logprobs ?? null;
  checkLogprobs(logprobs, info);
  if (format !== null) checkBesideFormat(fields, logprobs);
  return {
    prompt,
    maxTokens,
    minTokens,
    ignoreEos: fields.ignore_eos ?? false,
    sampling: sampling(fields, defaults.randomSeed),
    stop,
    stopTokenIds,
    ...(logprobs === null ? {} : { logprobs }),
    ...(format === null ? {} : { format }),
    ...(fields.cache_salt == null ? {} : { cacheSalt: fields.cache_salt }),
    ...(fields.cache_prompt === false ? { cachePrompt: false } : {}),
  };
}
