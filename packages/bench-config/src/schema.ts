import { z } from "zod";
import {
  cacheSchema,
  clientSchema,
  declaredSchema,
  repetitionSchema,
  serverSchema,
  speculationSchema,
  sweepSchema,
} from "./schema/around.ts";
import { MAX_INT32, MAX_TOKENS, optionalText } from "./schema/parts.ts";
import { datasetKindSchema, datasetSchema, loadKindSchema, loadSchema } from "./schema/workload.ts";
import { endpointSchema, engineSchema, targetSchema } from "./schema/target.ts";

export { datasetKindSchema, endpointSchema, loadKindSchema };

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
  preset: optionalText("Published protocol that the run starts from; null starts from the defaults."),
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
  minTokens: z
    .int()
    .min(0)
    .max(MAX_TOKENS)
    .default(0)
    .describe(
      "Fewest output tokens; with EOS honoured and the cap as value, every output has exactly the cap.",
    ),
  stop: z
    .array(z.string().min(1))
    .max(16)
    .default([])
    .describe("Texts that end an output; they need EOS to be honoured (--no-ignore-eos)."),
  sampling: samplingSchema.prefault({}),
  logprobs: z
    .int()
    .min(0)
    .max(20)
    .nullable()
    .default(null)
    .describe("Most likely tokens asked for at each position; null asks for no log-probabilities."),
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
    .describe(
      "Model folder or GGUF file: its chat template, and its tokenizer where the server has none; null asks the server.",
    ),
  datasetPath: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe("JSONL of prompts or messages, or ShareGPT JSON; null generates prompts of `inputLen` tokens."),
  dataset: datasetSchema.prefault({}),
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
  load: loadSchema.prefault({}),
  cache: cacheSchema.prefault({}),
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
  retries: z
    .int()
    .min(0)
    .max(100)
    .default(0)
    .describe(
      "How often a request goes out again that the server refused for now (429, 503), after its Retry-After, or after 0.5 s " +
        "and twice as long each time; its times count from the first sending.",
    ),
  slos: z
    .array(z.string().min(1))
    .max(32)
    .default([])
    .describe("Limits that a request or the run must meet, such as ttft<=500ms or p99(tpot)<=50ms."),
  client: clientSchema.prefault({}),
  repetition: repetitionSchema.prefault({}),
  sweep: sweepSchema.prefault({}),
  server: serverSchema.prefault({}),
  speculation: speculationSchema.prefault({}),
  declared: declaredSchema.prefault({}),
  output: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe("JSONL file for the records, one line per request as it ends; appended, never overwritten."),
  outputJson: z.string().min(1).nullable().default(null).describe("JSON file for the result."),
  outputCsv: optionalText("CSV file for the rows of the result; null writes none."),
  outputMarkdown: optionalText("Markdown file for the report; null writes none."),
  outputHtml: optionalText("HTML file for the report; null writes none."),
  outputTokenIds: optionalText("JSONL file for the token ids of every output; null writes none."),
});

/** A configuration with every default filled in. */
export type BenchConfig = z.output<typeof benchConfigSchema>;
/** A configuration as it may be written: whatever is left out takes its default. */
export type BenchConfigInput = z.input<typeof benchConfigSchema>;
/** `chat-completions`, `completions`, … or `engine`. */
export type Endpoint = z.output<typeof endpointSchema>;
/** Sampling values; what each means when it is off stands in the schema. */
export type SamplingConfig = BenchConfig["sampling"];
export type DatasetKind = z.output<typeof datasetKindSchema>;
export type LoadKind = z.output<typeof loadKindSchema>;
