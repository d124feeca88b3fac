import { z } from "zod";

import { invalidField } from "../http/api-error.ts";
import { maxTopLogprobs } from "./chat-request.ts";
import { generationFields } from "./generation-fields.ts";

const tokenIds = z.array(z.int().min(0));

/** Body of `POST /v1/completions`. */
export const completionRequestSchema = z.object({
  ...generationFields,
  prompt: z.union([z.string(), z.array(z.string()), tokenIds, z.array(tokenIds)], {
    error: "expected a string, an array of strings, token ids, or an array of arrays of token ids",
  }),
  add_special_tokens: z.boolean().nullish(),
  logprobs: z.int().min(0).max(maxTopLogprobs).nullish(),
});

export type CompletionPrompt = z.output<typeof completionRequestSchema>["prompt"];

function isNumbers(prompt: readonly unknown[]): prompt is readonly number[] {
  return typeof prompt[0] === "number";
}

/**
 * The prompts of a request, each as text or as token ids.
 *
 * @throws {ApiError} 400 when there is none
 */
export function promptsOf(prompt: CompletionPrompt): readonly (string | readonly number[])[] {
  if (typeof prompt === "string" || isNumbers(prompt)) return [prompt];
  if (prompt.length === 0) throw invalidField("prompt", "is empty");
  return prompt;
}
