import { z } from "zod";
import { MAX_TOKENS, optionalText, texts, variableName } from "./parts.ts";

/** Which interface of the system under test carries the requests. */
export const endpointSchema = z.enum([
  "chat-completions",
  "completions",
  "responses",
  "llama-completion",
  "sglang-generate",
  "ollama-chat",
  "engine",
]);

/** Where the requests go, and what every one of them carries. */
export const targetSchema = z.strictObject({
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
  apiKeyEnv: variableName
    .default("OPENAI_API_KEY")
    .describe("Name of the environment variable that holds the API key. The key itself is never stored."),
  endpoint: endpointSchema
    .default("completions")
    .describe(
      "completions, llama-completion and sglang-generate send prompt text; chat-completions, responses and " +
        "ollama-chat send messages; engine runs in this process.",
    ),
  stream: z
    .boolean()
    .default(true)
    .describe(
      "true: answers are streamed. false: they come whole, so that only their ends are timed: no TTFT, TPOT, ITL or decode rate.",
    ),
  metricsUrl: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null)
    .describe("Metrics page; null takes `<base URL>/metrics`."),
  metricsUrls: texts(64)
    .default([])
    .describe("Further metrics pages, one per worker or rank, added up with the first one."),
  headers: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      "Headers of every request. A value `env:NAME` is read from the environment when it is sent and stored nowhere.",
    ),
  extraBody: z
    .record(z.string(), z.json())
    .default({})
    .describe("Further fields of every request body; none that another setting sends."),
  caFile: optionalText(
    "PEM file with the certificate authority of the server; null takes those of the system.",
  ),
  insecureTls: z
    .boolean()
    .default(false)
    .describe("true: the server's certificate is not checked. false: it must be valid."),
});

/** A model in this process. */
export const engineSchema = z.strictObject({
  kind: z
    .enum(["llama", "vllm"])
    .default("llama")
    .describe(
      "llama runs a GGUF file by llama.cpp, vllm runs a model folder by the library libvllm. Named, it implies the " +
        "endpoint engine.",
    ),
  library: optionalText("File of libvllm; null looks where the system keeps libraries."),
  modelPath: z
    .string()
    .min(1)
    .nullable()
    .default(null)
    .describe("Model of the in-process engine: a GGUF file, or a folder for libvllm."),
  draftModelPath: z.string().min(1).nullable().default(null).describe("GGUF file of the draft model."),
  draftTokens: z.int().min(1).max(64).default(5).describe("Draft budget K: most tokens drafted per step."),
  draftLength: z
    .enum(["fixed", "adaptive"])
    .default("fixed")
    .describe(
      "fixed drafts K tokens wherever they can be used; adaptive drafts as many, down to none, as acceptance pays for.",
    ),
  contextSize: z
    .int()
    .min(64)
    .max(MAX_TOKENS)
    .nullable()
    .default(null)
    .describe(`Tokens per slot, up to ${MAX_TOKENS}; null takes the model's, at most 8192.`),
  threads: z
    .union([z.int().min(1).max(1024), z.literal("auto")])
    .default(1)
    .describe("CPU threads of the engine; auto measures at load which count decodes fastest."),
  gpu: z
    .enum(["off", "auto", "cuda", "vulkan", "metal"])
    .nullable()
    .default(null)
    .describe("Where the engine computes; null is the CPU for llama.cpp, and what libvllm chooses for vllm."),
  maxNumBatchedTokens: z
    .int()
    .min(1)
    .max(MAX_TOKENS)
    .nullable()
    .default(null)
    .describe("Most tokens in one step of the scheduler; null takes the engine's own."),
  numBlocks: z
    .int()
    .min(1)
    .max(MAX_TOKENS)
    .nullable()
    .default(null)
    .describe("Blocks of the KV cache; null takes the engine's own."),
  kvCacheDtype: optionalText("Type of the KV cache, such as fp8; null takes the engine's own."),
  speculativeConfig: z
    .record(z.string(), z.json())
    .default({})
    .describe(
      "How the engine speculates, as vLLM's option of that name; empty takes the draft model, if any.",
    ),
});
