import { invalidField } from "../http/api-error.ts";

/**
 * A field whose answer would differ from what was asked if it were ignored: refused by name when it asks for
 * something, accepted when it holds its idle value (`best_of: 1`, `echo: false`).
 */
export interface Refusal {
  readonly field: string;
  /** Whether this value asks for nothing. `null` never reaches this. */
  readonly idle: (value: unknown) => boolean;
  readonly message: string;
}

const isFalse = (value: unknown) => value === false;
const isOne = (value: unknown) => value === 1;
const isEmpty = (value: unknown) =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;
const never = () => false;

/** Refused on both generating endpoints. */
const generationRefusals: readonly Refusal[] = [
  { field: "best_of", idle: isOne, message: "every output is returned; ask for several with n" },
  { field: "use_beam_search", idle: isFalse, message: "beam search is not supported" },
  { field: "logit_bias", idle: isEmpty, message: "biases are not supported" },
  { field: "allowed_token_ids", idle: isEmpty, message: "restricting the vocabulary is not supported" },
  { field: "bad_words", idle: isEmpty, message: "banned words are not supported" },
  { field: "echo", idle: isFalse, message: "returning the prompt is not supported" },
  { field: "prompt_logprobs", idle: never, message: "log probabilities of the prompt are not supported" },
  {
    field: "include_stop_str_in_output",
    idle: isFalse,
    message: "stop strings are always left out of the output",
  },
  { field: "truncate_prompt_tokens", idle: never, message: "prompts are never truncated" },
  { field: "structured_outputs", idle: never, message: "use response_format" },
  { field: "guided_json", idle: never, message: "use response_format" },
  { field: "guided_regex", idle: never, message: "use response_format" },
  { field: "guided_choice", idle: never, message: "use response_format" },
  { field: "guided_grammar", idle: never, message: "use response_format" },
  { field: "grammar", idle: (value) => value === "", message: "use response_format" },
  { field: "json_schema", idle: never, message: "use response_format" },
];

const templateRefusals: readonly Refusal[] = [
  {
    field: "documents",
    idle: isEmpty,
    message: "documents are not supported; put their text into a message",
  },
];

export const chatRefusals: readonly Refusal[] = [
  ...generationRefusals,
  ...templateRefusals,
  {
    field: "tool_choice",
    idle: (value) => value !== "required",
    message: 'name the function to force a call; otherwise "auto" and "none" are supported',
  },
  { field: "functions", idle: isEmpty, message: "use tools" },
  { field: "function_call", idle: (value) => value === "auto" || value === "none", message: "use tools" },
  {
    field: "modalities",
    idle: (value) => Array.isArray(value) && value.every((item) => item === "text"),
    message: "only text is supported",
  },
];

export const completionRefusals: readonly Refusal[] = [
  ...generationRefusals,
  { field: "suffix", idle: (value) => value === "", message: "filling in the middle is not supported" },
  { field: "prompt_embeds", idle: never, message: "prompts are text or token ids" },
];

export const tokenizeRefusals: readonly Refusal[] = [...templateRefusals];

/** @throws {ApiError} 400 `unsupported_parameter`, naming the first field that asks for what is not supported */
export function refuseUnsupported(
  body: Readonly<Record<string, unknown>>,
  refusals: readonly Refusal[],
): void {
  for (const { field, idle, message } of refusals) {
    const value = Object.hasOwn(body, field) ? body[field] : undefined;
    if (value === undefined || value === null || idle(value)) continue;
    throw invalidField(field, message, "unsupported_parameter");
  }
}
