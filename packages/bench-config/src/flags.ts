import { fieldAt } from "./fields.ts";
import { keyOf } from "./foreign/foreign-flag.ts";
import { datasetKindSchema, endpointSchema, loadKindSchema } from "./schema.ts";

/**
 * How the text after a flag is read. `duration` needs a unit: `500ms`, `30s`, `2m`, `1h`. `count` is a whole number or a
 * word. `string-list`, `pairs` (`NAME=VALUE`) and `axes` (`SETTING=VALUE,VALUE`) may be repeated.
 */
export type FlagValueKind =
  | "integer"
  | "number"
  | "count"
  | "string"
  | "boolean"
  | "json"
  | "string-list"
  | "pairs"
  | "axes"
  | "duration";

/** A command-line flag that sets one field of the configuration. */
export interface BenchFlag {
  /** `--ignore-eos`. */
  readonly flag: string;
  /** Key of its value: the flag in camel case, `ignoreEos`. */
  readonly key: string;
  /** Whether `--no-…` exists; true for every boolean and for nothing else. */
  readonly negatable: boolean;
  /** The field that it sets. */
  readonly path: string;
  readonly value: FlagValueKind;
  /** Name of the argument in help (`N`, `FILE`); null for a boolean. */
  readonly argument: string | null;
  /** The only accepted arguments, where the field has such a list. */
  readonly choices: readonly string[] | null;
  /** The field's description. */
  readonly description: string;
  /** The field's default; undefined for what is absent until it is set. */
  readonly default: unknown;
}

type FlagRow = readonly [
  flag: string,
  path: string,
  value: FlagValueKind,
  argument?: string,
  choices?: readonly string[],
];

const rows: readonly FlagRow[] = [
  ["--preset", "preset", "string", "NAME"],
  ["--base-url", "target.baseUrl", "string", "URL"],
  ["--endpoint", "target.endpoint", "string", "KIND", endpointSchema.options],
  ["--model", "target.model", "string", "NAME"],
  ["--api-key-env", "target.apiKeyEnv", "string", "VARIABLE"],
  ["--stream", "target.stream", "boolean"],
  ["--metrics-url", "target.metricsUrl", "string", "URL"],
  ["--more-metrics-url", "target.metricsUrls", "string-list", "URL"],
  ["--header", "target.headers", "pairs", "NAME=VALUE"],
  ["--extra-body", "target.extraBody", "json", "JSON"],
  ["--ca-file", "target.caFile", "string", "FILE"],
  ["--insecure", "target.insecureTls", "boolean"],
  ["--engine", "engine.kind", "string", "KIND", ["llama", "vllm"]],
  ["--lib", "engine.library", "string", "FILE"],
  ["--engine-model", "engine.modelPath", "string", "FILE"],
  ["--draft-model", "engine.draftModelPath", "string", "FILE"],
  ["--draft-tokens", "engine.draftTokens", "integer", "N"],
  ["--draft-length", "engine.draftLength", "string", "KIND", ["fixed", "adaptive"]],
  ["--ctx", "engine.contextSize", "integer", "N"],
  ["--threads", "engine.threads", "count", "N"],
  ["--gpu", "engine.gpu", "string", "KIND", ["off", "auto", "cuda", "vulkan", "metal"]],
  ["--max-num-batched-tokens", "engine.maxNumBatchedTokens", "integer", "N"],
  ["--num-blocks", "engine.numBlocks", "integer", "N"],
  ["--kv-cache-dtype", "engine.kvCacheDtype", "string", "TYPE"],
  ["--speculative-config", "engine.speculativeConfig", "json", "JSON"],
  ["--dataset-path", "datasetPath", "string", "FILE"],
  ["--dataset-kind", "dataset.kind", "string", "KIND", datasetKindSchema.options],
  ["--num-prompts", "numPrompts", "integer", "N"],
  ["--input-len", "inputLen", "integer", "N"],
  ["--range-ratio", "dataset.rangeRatio", "number", "X"],
  ["--shared-prefix-len", "dataset.sharedPrefixLen", "integer", "N"],
  ["--prefix-groups", "dataset.prefixGroups", "integer", "N"],
  ["--hit-rate", "dataset.hitRate", "number", "X"],
  ["--source-path", "dataset.sourcePath", "string", "PATH"],
  ["--task", "dataset.task", "string", "TEXT"],
  ["--turns", "dataset.turns", "integer", "N"],
  ["--history", "dataset.history", "string", "KIND", ["file", "live"]],
  ["--turn-delay", "dataset.turnDelayMs", "duration", "TIME"],
  ["--recorded-lengths", "dataset.recordedLengths", "boolean"],
  ["--shuffle", "dataset.shuffle", "boolean"],
  ["--oversample", "dataset.oversample", "boolean"],
  ["--trace-block-tokens", "dataset.traceBlockTokens", "integer", "N"],
  ["--load", "load.kind", "string", "KIND", loadKindSchema.options],
  ["--concurrency", "concurrency", "integer", "N"],
  ["--request-rate", "load.rate", "number", "X"],
  ["--burstiness", "load.burstiness", "number", "X"],
  ["--max-in-flight", "load.maxInFlight", "integer", "N"],
  ["--duration", "load.durationS", "duration", "TIME"],
  ["--ramp-from-rate", "load.ramp.fromRate", "number", "X"],
  ["--ramp-to-rate", "load.ramp.toRate", "number", "X"],
  ["--ramp-from-concurrency", "load.ramp.fromConcurrency", "integer", "N"],
  ["--ramp-to-concurrency", "load.ramp.toConcurrency", "integer", "N"],
  ["--ramp-shape", "load.ramp.shape", "string", "SHAPE", ["linear", "exponential"]],
  ["--start-together", "load.startTogether", "boolean"],
  ["--trace-speed", "load.traceSpeed", "number", "X"],
  ["--warmup", "warmupRequests", "integer", "N"],
  ["--cache", "cache.policy", "string", "POLICY", ["none", "nonce", "reset"]],
  ["--request-timeout", "requestTimeoutMs", "duration", "TIME"],
  ["--retries", "retries", "integer", "N"],
  ["--workers", "client.workers", "count", "N"],
  ["--worker-kind", "client.workerKind", "string", "KIND", ["thread", "process"]],
  ["--keep-text", "client.keepText", "boolean"],
  ["--ignore-eos", "ignoreEos", "boolean"],
  ["--max-tokens", "maxTokens", "integer", "N"],
  ["--min-tokens", "minTokens", "integer", "N"],
  ["--output-len", "outputLen", "integer", "N"],
  ["--stop", "stop", "string-list", "TEXT"],
  ["--temperature", "sampling.temperature", "number", "X"],
  ["--top-p", "sampling.topP", "number", "X"],
  ["--top-k", "sampling.topK", "integer", "N"],
  ["--min-p", "sampling.minP", "number", "X"],
  ["--repetition-penalty", "sampling.repetitionPenalty", "number", "X"],
  ["--presence-penalty", "sampling.presencePenalty", "number", "X"],
  ["--frequency-penalty", "sampling.frequencyPenalty", "number", "X"],
  ["--logprobs", "logprobs", "integer", "N"],
  ["--seed", "seed", "integer", "N"],
  ["--skip-chat-template", "skipChatTemplate", "boolean"],
  ["--chat-template", "chatTemplate", "string", "FILE|TEXT"],
  ["--chat-template-kwargs", "chatTemplateKwargs", "json", "JSON"],
  ["--enable-thinking", "enableThinking", "boolean"],
  ["--tokenizer", "tokenizer", "string", "PATH"],
  ["--slo", "slos", "string-list", "LIMIT"],
  ["--reps", "repetition.reps", "integer", "N"],
  ["--boots", "repetition.boots", "integer", "N"],
  ["--cooldown", "repetition.cooldownS", "duration", "TIME"],
  ["--sweep", "sweep.axes", "axes", "SETTING=VALUE,…"],
  ["--sweep-order", "sweep.order", "string", "ORDER", ["given", "interleaved", "shuffled"]],
  ["--output", "output", "string", "FILE"],
  ["--output-json", "outputJson", "string", "FILE"],
  ["--output-csv", "outputCsv", "string", "FILE"],
  ["--output-markdown", "outputMarkdown", "string", "FILE"],
  ["--output-html", "outputHtml", "string", "FILE"],
  ["--output-token-ids", "outputTokenIds", "string", "FILE"],
];

const serverInFile =
  "a command line does not fit into another one; the server under test is described in a file";
const statementInFile = "a statement about the server belongs into the file that describes it";

/** Settings without a flag, by path or group, each with the reason. */
export const flaglessSettings: ReadonlyMap<string, string> = new Map([
  ["server", serverInFile],
  ["speculation", statementInFile],
  ["declared", statementInFile],
]);

/**
 * The flags of a benchmark run, one per field. The spellings of vllm-bench are kept. With `--endpoint engine`,
 * `--model` is the GGUF file, as in vllm-bench, unless `--engine-model` names it.
 */
export const benchFlags: readonly BenchFlag[] = rows.map(([flag, path, value, argument, choices]) => {
  const field = fieldAt(path);
  return {
    flag,
    key: keyOf(flag),
    negatable: value === "boolean",
    path,
    value,
    argument: argument ?? null,
    choices: choices ?? null,
    description: field?.description ?? "",
    default: field?.default,
  };
});

const byPath = new Map(benchFlags.map((flag) => [flag.path, flag.flag]));

/** The flag that sets a path; the path itself when none does. */
export function flagSpelling(path: string): string {
  return byPath.get(path) ?? path;
}
