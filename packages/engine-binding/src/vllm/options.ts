import type { ModelParams } from "@onpar/vllm-addon";
import { EngineError } from "../errors.ts";
import { kindOf } from "../request-kinds.ts";

/** What `loadVllmEngine` takes. What is left out is the library's own default. */
export interface VllmEngineOptions {
  /**
   * Path of libvllm, the shared library of a vLLM port with its C ABI, version 5 or newer. Default: the one that the
   * system finds by that name.
   */
  readonly libraryPath?: string | undefined;
  /** Path of the model: a Hugging Face folder, or a GGUF file where the library takes them. */
  readonly modelPath: string;
  /** Another tokenizer_config.json than the model's own. */
  readonly tokenizerConfigPath?: string | undefined;
  /** Tokens per block of the KV cache, a multiple of 16. */
  readonly blockSize?: number | undefined;
  /** Blocks of the KV cache. */
  readonly numBlocks?: number | undefined;
  /** Tokens that one request may use, prompt and output together. */
  readonly maxModelLen?: number | undefined;
  /** Requests that decode at the same time. */
  readonly maxNumSeqs?: number | undefined;
  /** Tokens that one step of the scheduler may take. ABI 9. */
  readonly maxNumBatchedTokens?: number | undefined;
  /** Number format of the KV cache, for example `auto` or `fp8`. ABI 24. */
  readonly kvCacheDtype?: string | undefined;
  /** As vLLM's `--speculative-config`: JSON with `method`, `num_speculative_tokens`, … ABI 6. */
  readonly speculativeConfig?: string | undefined;
  /** ABI 7. */
  readonly enablePrefixCaching?: boolean | undefined;
  /** `fcfs`, `priority` or `lpm`. ABI 9. */
  readonly schedulingPolicy?: string | undefined;
  /** ABI 14. */
  readonly device?: "auto" | "cpu" | "cuda" | undefined;
  /** Part of the GPU's memory to take, above 0 to 1. ABI 16. */
  readonly gpuMemoryUtilization?: number | undefined;
  /** Bytes for the KV cache. ABI 16. */
  readonly kvCacheMemoryBytes?: number | undefined;
  /** Parser of tool calls in {@link Engine.chat}. */
  readonly toolParser?: string | undefined;
  /** Parser of reasoning in {@link Engine.chat}; `none` switches it off. */
  readonly reasoningParser?: string | undefined;
  /** Called with what the library cannot tell or do, one line each. */
  readonly onNote?: ((note: string) => void) | undefined;
  /** Gives the wait for the model up; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options that are plain fields of the load parameters, with their names there. */
const FIELDS = [
  ["modelPath", "model_path"],
  ["tokenizerConfigPath", "tokenizer_config_path"],
  ["blockSize", "block_size"],
  ["numBlocks", "num_blocks"],
  ["maxModelLen", "max_model_len"],
  ["maxNumSeqs", "max_num_seqs"],
  ["toolParser", "tool_parser"],
  ["reasoningParser", "reasoning_parser"],
  ["speculativeConfig", "speculative_config"],
  ["maxNumBatchedTokens", "max_num_batched_tokens"],
  ["schedulingPolicy", "scheduling_policy"],
  ["gpuMemoryUtilization", "gpu_memory_utilization"],
  ["kvCacheMemoryBytes", "kv_cache_memory_bytes"],
  ["kvCacheDtype", "kv_cache_dtype"],
] as const satisfies readonly (readonly [keyof VllmEngineOptions, string])[];

const COUNTS = [
  "blockSize",
  "numBlocks",
  "maxModelLen",
  "maxNumSeqs",
  "maxNumBatchedTokens",
  "kvCacheMemoryBytes",
] as const;

const DEVICES = { auto: 0, cpu: 1, cuda: 2 } as const;

/**
 * The options as load parameters.
 *
 * @throws {EngineError} `ENGINE_INVALID_OPTIONS`
 */
export function modelParams(options: VllmEngineOptions): ModelParams {
  const params: Record<string, string | number> = {};
  for (const name of COUNTS) {
    const value = options[name];
    if (value !== undefined && (!Number.isSafeInteger(value) || value < 1)) {
      refuse(`${name} must be an integer of at least 1, got ${String(value)}`);
    }
  }
  const { blockSize, gpuMemoryUtilization, enablePrefixCaching, device } = options;
  if (blockSize !== undefined && blockSize % 16 !== 0) {
    refuse(`blockSize must be a multiple of 16, got ${blockSize}`);
  }
  if (enablePrefixCaching !== undefined && typeof enablePrefixCaching !== "boolean") {
    refuse(`enablePrefixCaching must be true or false, got ${kindOf(enablePrefixCaching)}`);
  }
  if (device !== undefined && !Object.hasOwn(DEVICES, device)) {
    refuse(`device must be one of ${Object.keys(DEVICES).join(", ")}, got ${kindOf(device)}`);
  }
  if (gpuMemoryUtilization !== undefined && !(gpuMemoryUtilization > 0 && gpuMemoryUtilization <= 1)) {
    refuse(`gpuMemoryUtilization must be above 0 and at most 1, got ${String(gpuMemoryUtilization)}`);
  }
  for (const [option, field] of FIELDS) {
    const value = options[option];
    if (value !== undefined) params[field] = value;
  }
  if (enablePrefixCaching !== undefined) params["enable_prefix_caching"] = enablePrefixCaching ? 1 : 2;
  if (device !== undefined && device !== "auto") params["device"] = DEVICES[device];
  return params;
}

/** The option that a load parameter comes from. */
export function optionOf(field: string): string {
  if (field === "enable_prefix_caching") return "enablePrefixCaching";
  return FIELDS.find(([, name]) => name === field)?.[0] ?? field;
}

export function refuse(message: string): never {
  throw new EngineError("ENGINE_INVALID_OPTIONS", message);
}
