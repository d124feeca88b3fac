import type { BenchConfig, JsonValue } from "@onpar/bench-config";
import type { AnswerFormatName } from "../stream/formats.ts";
import { RunError } from "../errors.ts";
import { userMessage, type TargetPrompt } from "../prompt.ts";

/** What a body is built of, beside its prompt. */
export interface BodyContext {
  readonly config: BenchConfig;
  /** Served model name. */
  readonly model: string;
  /** Engine as the server names it; null when it cannot be told. */
  readonly engine: string | null;
  /** Whether a stream is asked for. */
  readonly streamed: boolean;
  /**
   * The text that stands for BOS, where the server puts BOS before every prompt text: a rendered template that begins with it would
   * have it twice. Null where nothing is to be taken off.
   */
  readonly bosText: string | null;
}

/** An interface of its own of one server: where requests go, what they say, and how answers are read. One file each. */
export interface NativeEndpoint {
  /** Below the server's root. */
  readonly path: string;
  readonly format: AnswerFormatName;
  /** Builds the body of one request. @throws {TypeError} for a prompt of the other kind */
  body(prompt: TargetPrompt): Readonly<Record<string, unknown>>;
  /** Settings that this interface has no field for, and that would have an effect. */
  readonly unsent: readonly UnsentSetting[];
}

/** A setting that was asked for and is not sent. */
export interface UnsentSetting {
  /** Path of the setting: `minTokens`. */
  readonly setting: string;
  /** Name of the field in OpenAI-style bodies. */
  readonly field: string;
  readonly value: JsonValue;
}

/** The prompt as text, or as the token ids that it is. @throws {TypeError} for a conversation */
export function textOrIds(prompt: TargetPrompt, bosText: string | null): string | readonly number[] {
  if (prompt.kind === "conversation") throw new TypeError("this endpoint takes text, not a conversation");
  if (prompt.kind === "ids") return prompt.ids;
  const { text, addSpecialTokens } = prompt;
  return bosText !== null && bosText !== "" && !addSpecialTokens && text.startsWith(bosText)
    ? text.slice(bosText.length)
    : text;
}

/** The prompt as messages. @throws {RunError} `TARGET_INVALID` for token ids, which no such endpoint takes */
export function conversationOf(
  prompt: TargetPrompt,
  endpoint: string,
): Extract<TargetPrompt, { kind: "conversation" }>["conversation"] {
  if (prompt.kind === "conversation") return prompt.conversation;
  if (prompt.kind === "text") return userMessage(prompt.text);
  throw new RunError(
    "TARGET_INVALID",
    `prompt ${prompt.id} is made of token ids, and ${endpoint} takes messages: use --dataset-kind random-text, or --endpoint completions`,
  );
}

/** Settings that have an effect when they are sent, by the name of their field. Neutral values need no field. */
export function effectiveSettings({ sampling, ...config }: BenchConfig): UnsentSetting[] {
  const isSampled = sampling.temperature > 0;
  const all: (UnsentSetting & { readonly matters: boolean })[] = [
    { setting: "ignoreEos", field: "ignore_eos", value: config.ignoreEos, matters: config.ignoreEos },
    { setting: "minTokens", field: "min_tokens", value: config.minTokens, matters: config.minTokens > 0 },
    { setting: "stop", field: "stop", value: [...config.stop], matters: config.stop.length > 0 },
    { setting: "logprobs", field: "logprobs", value: config.logprobs, matters: config.logprobs !== null },
    { setting: "seed", field: "seed", value: config.seed, matters: isSampled },
    {
      setting: "sampling.topK",
      field: "top_k",
      value: sampling.topK,
      matters: isSampled && sampling.topK > 0,
    },
    {
      setting: "sampling.minP",
      field: "min_p",
      value: sampling.minP,
      matters: isSampled && sampling.minP > 0,
    },
    {
      setting: "sampling.repetitionPenalty",
      field: "repetition_penalty",
      value: sampling.repetitionPenalty,
      matters: sampling.repetitionPenalty !== 1,
    },
    {
      setting: "sampling.presencePenalty",
      field: "presence_penalty",
      value: sampling.presencePenalty,
      matters: sampling.presencePenalty !== 0,
    },
    {
      setting: "sampling.frequencyPenalty",
      field: "frequency_penalty",
      value: sampling.frequencyPenalty,
      matters: sampling.frequencyPenalty !== 0,
    },
  ];
  return all.filter(({ matters }) => matters).map(({ setting, field, value }) => ({ setting, field, value }));
}

/** Those of the settings with an effect whose field is not among `taken`. */
export function unsentSettings(config: BenchConfig, taken: ReadonlySet<string>): UnsentSetting[] {
  return effectiveSettings(config).filter(({ field }) => !taken.has(field));
}
