import { z } from "zod";

import { responseFormatSchema } from "./response-format.ts";

/** Most stop texts that one request may carry. */
export const maxStopStrings = 16;
const maxStopTokenIds = 256;

const stopText = z.string().min(1).max(1024);

/**
 * Fields that both generating endpoints take, OpenAI's and vLLM's. Every one may be null, which clients send for
 * "not set".
 */
export const generationFields = {
  model: z.string().nullish(),
  max_tokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(100).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  top_k: z.int().min(-1).nullish(),
  min_p: z.number().min(0).max(1).nullish(),
  repetition_penalty: z.number().gt(0).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  seed: z.int().nullish(),
  stop: z
    .union([stopText, z.array(stopText).max(maxStopStrings)], {
      error: `expected a non-empty string or an array of at most ${maxStopStrings} of them`,
    })
    .nullish(),
  stop_token_ids: z.array(z.int().min(0)).max(maxStopTokenIds).nullish(),
  ignore_eos: z.boolean().nullish(),
  min_tokens: z.int().min(0).nullish(),
  n: z.int().min(1).nullish(),
  return_token_ids: z.boolean().nullish(),
  cache_salt: z.string().min(1).max(1024).nullish(),
  cache_prompt: z.boolean().nullish(),
  timings_per_token: z.boolean().nullish(),
  response_format: responseFormatSchema.nullish(),
  stream: z.boolean().nullish(),
  stream_options: z
    .object({
      include_usage: z.boolean().nullish(),
      continuous_usage_stats: z.boolean().nullish(),
    })
    .nullish(),
} as const;

const generationSchema = z.object(generationFields);

export type GenerationFields = z.output<typeof generationSchema>;
