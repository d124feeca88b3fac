import { z } from "zod";

/** Longest prompt, output or context that can be asked for, tokens: far over what any model takes. */
const MAX_TOKENS = 2 ** 24;
const MAX_INT32 = 2 ** 31 - 1;

/** Which interface of the system under test carries the requests. */
export const endpointSchema = z.enum(["chat-completions", "completions", "engine"]);

const targetSchema = z.strictObject({
  baseUrl: z
    .url({ protocol: /^https?$/ })
    .default("http://127.0.0.1:8000")
    .describe("Server root; `/v1/...` is appended. A trailing `/v1` is accepted."),
  model: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe("Served model name; null takes the first one that the server lists."),
  apiKeyEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/)
    .default("OPENAI_API_KEY")
    .describe("Name of the environment variable that holds the API key. The key itself is never stored."),
  endpoint: endpointSchema
    .default("completions")
    .describe("completions sends prompt text, chat-completions sends messages, engine runs in this process."),
  metricsUrl: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null)
    .describe("Metrics page; null takes `<base URL>/metrics`."),
});

const engineSchema = z.strictObject({
  modelPath: z.string().min(1).nullable().default(null).describe("GGUF file of the in-process engine."),
  draftModelPath: z.string().min(1).nullable().default(null).describe("GGUF file of the draft model."),
  draftTokens: z.int().min(1).max(64).default(5).describe("Draft budget K: most tokens drafted per step."),
  contextSize: z
    .int()
    .min(64)
    .max(MAX_TOKENS)
    .nullable()
    .default(null)
    .describe(`Tokens per slot, up to ${MAX_TOKENS}; null takes the model's, at most 8192.`),
  threads: z.int().min(1).max(1024).default(1).describe("CPU threads of the engine."),
});

const samplingSchema = z.strictObject({
  temperature: z.number().min(0).max(10).default(0).describe("0 is greedy."),
  topP: z.number().gt(0).max(1).default(1).describe("1 is off."),
  topK: z.int().min(-1).max(MAX_INT32).default(-1).describe("-1 is off."),
  minP: z.number().min(0).max(1).default(0).describe("0 is off."),
  repetitionPenalty: z.number().gt(0).max(10).default(1).describe("1 is off."),
  presencePenalty: z.number().min(-2).max(2).default(0).describe("0 is off."),
  frequencyPenalty: z.number().min(-2).max(2).default(0).describe("0 is off."),
});

/**
 * One benchmark run. Every field has a default, so `benchConfigSchema.parse({})` is the default protocol: raw
 * prompts, EOS ignored, greedy, closed loop at concurrency 1.
 */
export const benchConfigSchema = z.strictObject({
  target: targetSchema.prefault({}),
  engine: engineSchema.prefault({}),
  ignoreEos: z
    .boolean()
    .default(true)
    .describe(
      "true: every output has exactly `maxTokens` tokens. false: EOS ends it, `maxTokens` is the cap.",
    ),
  maxTokens: z
    .int()
    .min(1)
    .max(MAX_TOKENS)
    .nullable()
    .default(null)
    .describe(`Output cap in tokens, up to ${MAX_TOKENS}; null takes \`outputLen\`.`),
  stop: z
    .array(z.string().min(1))
    .max(16)
    .default([])
    .describe("Texts that end an output; they need EOS to be honoured (--no-ignore-eos)."),
  sampling: samplingSchema.prefault({}),
  skipChatTemplate: z
    .boolean()
    .default(true)
    .describe("true: prompts are sent as they are. false: they are rendered with the chat template."),
  chatTemplate: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe("Template file or single-line literal; null takes the model's own."),
  chatTemplateKwargs: z.record(z.string(), z.json()).default({}).describe("Variables for the template."),
  enableThinking: z
    .boolean()
    .optional()
    .describe("The template variable `enable_thinking`. Unset is not false: unset leaves it undefined."),
  tokenizer: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe("Model folder or GGUF file to take the chat template from; null asks the server."),
  datasetPath: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe("JSONL of prompts or messages, or ShareGPT JSON; null generates prompts of `inputLen` tokens."),
  inputLen: z
    .int()
    .min(1)
    .max(MAX_TOKENS)
    .default(512)
    .describe(`Tokens of a generated prompt, up to ${MAX_TOKENS}.`),
  outputLen: z
    .int()
    .min(1)
    .max(MAX_TOKENS)
    .default(128)
    .describe(`Output tokens asked for, up to ${MAX_TOKENS}.`),
  numPrompts: z.int().min(1).max(1_000_000).default(50).describe("Measured requests, up to 1000000."),
  concurrency: z.int().min(1).max(65536).default(1).describe("Requests in flight (closed loop)."),
  warmupRequests: z
    .int()
    .min(0)
    .max(100_000)
    .default(1)
    .describe("Requests before the measurement, on other prompts, never measured; up to 100000."),
  seed: z.int().min(0).max(MAX_INT32).default(0).describe("Seed of generated prompts and of sampling."),
  requestTimeoutMs: z
    .int()
    .min(1)
    .max(MAX_INT32)
    .default(600_000)
    .describe("A request longer than this has failed, ms."),
  output: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe("JSONL file for the records, one line per request as it ends; appended, never overwritten."),
  outputJson: z.string().min(1).nullable().default(null).describe("JSON file for the result."),
});

/** A configuration with every default filled in. */
export type BenchConfig = z.output<typeof benchConfigSchema>;
/** A configuration as it may be written: whatever is left out takes its default. */
export type BenchConfigInput = z.input<typeof benchConfigSchema>;
/** `chat-completions`, `completions` or `engine`. */
export type Endpoint = z.output<typeof endpointSchema>;
/** Sampling values; what each means when it is off stands in the schema. */
export type SamplingConfig = BenchConfig["sampling"];
