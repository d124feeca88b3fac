import { z } from "zod";

import { invalidField } from "../http/api-error.ts";
import { generationFields } from "./generation-fields.ts";

const tokenIds = z.array(z.int().min(0));

/** Body of `POST /v1/completions`. */
export const completionRequestSchema = z.object({
  ...generationFields,
  prompt: z.union([z.string(), z.array(z.string()), tokenIds, z.array(tokenIds)], {
    error: "expected a string, an array of one string, token ids, or an array of one array of token ids",
  }),
  add_special_tokens: z.boolean().nullish(),
});

export type CompletionPrompt = z.output<typeof completionRequestSchema>["prompt"];

function isNumbers(prompt: readonly unknown[]): prompt is readonly number[] {
  return typeof prompt[0] === "number";
}

/**
 * The one prompt of a request, as text or as token ids.
 *
 * @throws {ApiError} 400 when there is none or more than one
 */
export function singlePrompt(prompt: CompletionPrompt): string | readonly number[] {
  if (typeof prompt === "string" || isNumbers(prompt)) return prompt;
  const [first] = prompt;
  if (first === undefined) throw invalidField("prompt", "is empty");
  if (prompt.length > 1) {
    throw invalidField(
      "prompt",
      `holds ${prompt.length} prompts; one per request is supported, send a request for each`,
      "unsupported_parameter",
    );
  }
  return first;
}
