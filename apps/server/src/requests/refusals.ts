import { invalidField } from "../http/api-error.ts";

/**
 * A field whose answer would differ from what was asked if it were ignored: refused by name when it asks for
 * something, accepted when it holds its idle value (`n: 1`, `logprobs: false`).
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
  { field: "n", idle: isOne, message: "one output per request is supported; send several requests" },
  { field: "best_of", idle: isOne, message: "one output per request is supported" },
  { field: "use_beam_search", idle: isFalse, message: "beam search is not supported" },
  { field: "logit_bias", idle: isEmpty, message: "biases are not supported" },
  { field: "allowed_token_ids", idle: isEmpty, message: "restricting the vocabulary is not supported" },
  { field: "bad_words", idle: isEmpty, message: "banned words are not supported" },
  { field: "echo", idle: isFalse, message: "returning the prompt is not supported" },
  { field: "prompt_logprobs", idle: never, message: "log probabilities are not supported" },
  {
    field: "include_stop_str_in_output",
    idle: isFalse,
    message: "stop strings are always left out of the output",
  },
  { field: "truncate_prompt_tokens", idle: never, message: "prompts are never truncated" },
  { field: "structured_outputs", idle: never, message: "constrained decoding is not supported" },
  { field: "guided_json", idle: never, message: "constrained decoding is not supported" },
  { field: "guided_regex", idle: never, message: "constrained decoding is not supported" },
  { field: "guided_choice", idle: never, message: "constrained decoding is not supported" },
  { field: "guided_grammar", idle: never, message: "constrained decoding is not supported" },
  { field: "grammar", idle: (value) => value === "", message: "constrained decoding is not supported" },
  { field: "json_schema", idle: never, message: "constrained decoding is not supported" },
  {
    field: "response_format",
    idle: (value) => typeof value === "object" && value !== null && "type" in value && value.type === "text",
    message: 'only {"type": "text"} is supported',
  },
  { field: "return_token_ids", idle: isFalse, message: "token ids are not returned; use /tokenize" },
];

const templateRefusals: readonly Refusal[] = [
  {
    field: "chat_template",
    idle: never,
    message: "templates from requests are off; the model's own is used",
  },
  { field: "continue_final_message", idle: isFalse, message: "continuing the last message is not supported" },
  {
    field: "documents",
    idle: isEmpty,
    message: "documents are not supported; put their text into a message",
  },
];

export const chatRefusals: readonly Refusal[] = [
  ...generationRefusals,
  ...templateRefusals,
  { field: "logprobs", idle: isFalse, message: "log probabilities are not supported" },
  { field: "top_logprobs", idle: (value) => value === 0, message: "log probabilities are not supported" },
  {
    field: "tool_choice",
    idle: (value) => value === "auto" || value === "none",
    message: 'only "auto" and "none" are supported; a call cannot be forced',
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
  { field: "logprobs", idle: never, message: "log probabilities are not supported" },
  { field: "suffix", idle: (value) => value === "", message: "filling in the middle is not supported" },
  { field: "prompt_embeds", idle: never, message: "prompts are text or token ids" },
];

export const tokenizeRefusals: readonly Refusal[] = [
  ...templateRefusals,
  { field: "return_token_strs", idle: isFalse, message: "token texts are not returned; use /detokenize" },
  { field: "with_pieces", idle: isFalse, message: "token texts are not returned; use /detokenize" },
];

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
