import { fieldAt } from "./fields.ts";

/** How the text after a flag is read. `duration` needs a unit: `500ms`, `30s`, `2m`, `1h`. */
export type FlagValueKind = "integer" | "number" | "string" | "boolean" | "json" | "string-list" | "duration";

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

/** A flag of vllm-bench that is known, and refused because an HTTP client cannot honour it. */
export interface RefusedFlag {
  readonly flag: string;
  readonly key: string;
  /** Name of its argument. */
  readonly argument: string;
  readonly reason: string;
}

type FlagRow = readonly [
  flag: string,
  path: string,
  value: FlagValueKind,
  argument?: string,
  choices?: readonly string[],
];

const rows: readonly FlagRow[] = [
  ["--base-url", "target.baseUrl", "string", "URL"],
  ["--endpoint", "target.endpoint", "string", "KIND", ["completions", "chat-completions", "engine"]],
  ["--model", "target.model", "string", "NAME"],
  ["--api-key-env", "target.apiKeyEnv", "string", "VARIABLE"],
  ["--metrics-url", "target.metricsUrl", "string", "URL"],
  ["--engine-model", "engine.modelPath", "string", "FILE"],
  ["--draft-model", "engine.draftModelPath", "string", "FILE"],
  ["--draft-tokens", "engine.draftTokens", "integer", "N"],
  ["--ctx", "engine.contextSize", "integer", "N"],
  ["--threads", "engine.threads", "integer", "N"],
  ["--dataset-path", "datasetPath", "string", "FILE"],
  ["--num-prompts", "numPrompts", "integer", "N"],
  ["--input-len", "inputLen", "integer", "N"],
  ["--output-len", "outputLen", "integer", "N"],
  ["--concurrency", "concurrency", "integer", "N"],
  ["--warmup", "warmupRequests", "integer", "N"],
  ["--request-timeout", "requestTimeoutMs", "duration", "TIME"],
  ["--ignore-eos", "ignoreEos", "boolean"],
  ["--max-tokens", "maxTokens", "integer", "N"],
  ["--stop", "stop", "string-list", "TEXT"],
  ["--temperature", "sampling.temperature", "number", "X"],
  ["--top-p", "sampling.topP", "number", "X"],
  ["--top-k", "sampling.topK", "integer", "N"],
  ["--min-p", "sampling.minP", "number", "X"],
  ["--repetition-penalty", "sampling.repetitionPenalty", "number", "X"],
  ["--presence-penalty", "sampling.presencePenalty", "number", "X"],
  ["--frequency-penalty", "sampling.frequencyPenalty", "number", "X"],
  ["--seed", "seed", "integer", "N"],
  ["--skip-chat-template", "skipChatTemplate", "boolean"],
  ["--chat-template", "chatTemplate", "string", "FILE|TEXT"],
  ["--chat-template-kwargs", "chatTemplateKwargs", "json", "JSON"],
  ["--enable-thinking", "enableThinking", "boolean"],
  ["--tokenizer", "tokenizer", "string", "PATH"],
  ["--output", "output", "string", "FILE"],
  ["--output-json", "outputJson", "string", "FILE"],
];

function camelCase(flag: string): string {
  return flag.replace(/^--/u, "").replace(/-(.)/gu, (_, letter: string) => letter.toUpperCase());
}

/**
 * The flags of a benchmark run, one per field. The spellings of vllm-bench are kept. With `--endpoint engine`,
 * `--model` is the GGUF file, as in vllm-bench, unless `--engine-model` names it.
 */
export const benchFlags: readonly BenchFlag[] = rows.map(([flag, path, value, argument, choices]) => {
  const field = fieldAt(path);
  return {
    flag,
    key: camelCase(flag),
    negatable: value === "boolean",
    path,
    value,
    argument: argument ?? null,
    choices: choices ?? null,
    description: field?.description ?? "",
    default: field?.default,
  };
});

/** Flags of vllm-bench that set up the engine itself. They are refused by name instead of being ignored. */
export const refusedFlags: readonly RefusedFlag[] = (
  [
    [
      "--max-num-batched-tokens",
      "N",
      "the scheduler's batch is a setting of the server; start the server with it",
    ],
    ["--num-blocks", "N", "the size of the KV cache is a setting of the server; start the server with it"],
    ["--kv-cache-dtype", "TYPE", "the KV cache's type is a setting of the server; start the server with it"],
    [
      "--speculative-config",
      "JSON",
      "speculation is a setting of the server; start the server with it, or use --endpoint engine with " +
        "--draft-model and --draft-tokens",
    ],
    [
      "--output-token-ids",
      "FILE",
      "servers answer with text, not with token ids; --output keeps a record of every request instead",
    ],
  ] as const
).map(([flag, argument, reason]) => ({ flag, key: camelCase(flag), argument, reason }));

const byPath = new Map(benchFlags.map((flag) => [flag.path, flag.flag]));

/** The flag that sets a path; the path itself when none does. */
export function flagSpelling(path: string): string {
  return byPath.get(path) ?? path;
}
