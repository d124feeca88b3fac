import type { BenchConfig } from "../schema.ts";
import { datasetDependents, loadDependents } from "./workload-dependents.ts";
import type { Dependents, Rule } from "./rule.ts";

const engineSettings = [
  "engine.modelPath",
  "engine.draftModelPath",
  "engine.draftTokens",
  "engine.draftLength",
  "engine.contextSize",
  "engine.threads",
  "engine.gpu",
] as const;

const serverSettings = [
  "target.baseUrl",
  "target.apiKeyEnv",
  "target.metricsUrl",
  "target.metricsUrls",
  "target.headers",
  "target.extraBody",
  "target.caFile",
  "target.insecureTls",
  "target.stream",
  "retries",
] as const;

/** Settings of the engine that people know from vllm-bench: what they are for where a server runs it. */
const setOnServer = {
  "engine.maxNumBatchedTokens": "the scheduler's batch is a setting of the server; start the server with it",
  "engine.numBlocks": "the size of the KV cache is a setting of the server; start the server with it",
  "engine.kvCacheDtype": "the KV cache's type is a setting of the server; start the server with it",
  "engine.speculativeConfig":
    "speculation is a setting of the server; start the server with it, or use --endpoint engine with " +
    "--draft-model and --draft-tokens",
  outputTokenIds:
    "servers answer with text, not with token ids; --output keeps a record of every request instead",
} as const;

/** Settings that mean something only under another choice. */
export const dependentSettings: readonly Dependents[] = [
  {
    choice: "target.endpoint",
    settings: engineSettings,
    isMeaningless: ({ target }) => target.endpoint !== "engine",
    message: ({ target }) =>
      `only the in-process engine can honour this, and the endpoint is ${target.endpoint}; add --endpoint engine, ` +
      "or set it on the server",
  },
  {
    choice: "target.endpoint",
    settings: ["engine.kind", "engine.library"],
    isMeaningless: ({ target }) => target.endpoint !== "engine",
    message: ({ target }) =>
      `names an engine of this process, and the endpoint is ${target.endpoint}; add --endpoint engine`,
  },
  ...Object.entries(setOnServer).map(([path, reason]) => ({
    choice: "target.endpoint",
    settings: [path],
    isMeaningless: ({ target }: BenchConfig) => target.endpoint !== "engine",
    message: () => `cannot be honoured by a client: ${reason}`,
  })),
  {
    choice: "target.endpoint",
    settings: serverSettings,
    isMeaningless: ({ target }) => target.endpoint === "engine",
    message: () => "the in-process engine has no server; leave this out, or choose --endpoint completions",
  },
  {
    choice: "engine.kind",
    settings: ["engine.library"],
    isMeaningless: ({ engine }) => engine.kind !== "vllm",
    message: () => "llama.cpp comes with its own library; leave this out, or add --engine vllm",
  },
  ...datasetDependents,
  ...loadDependents,
  {
    choice: "server.command",
    settings: ["server.cwd", "server.envNames", "server.readyUrl", "server.logFile", "repetition.boots"],
    isMeaningless: ({ server }) => server.command.length === 0,
    message: () => "needs a server that this program starts; set server.command",
  },
  {
    choice: "sweep.axes",
    settings: ["sweep.order"],
    isMeaningless: ({ sweep }) => sweep.axes.length === 0,
    message: () => "orders the points of a sweep, and nothing is swept; add --sweep SETTING=VALUE,VALUE",
  },
];

/** A dependent that was set although the choice makes it meaningless is refused. */
export const strayDependents: readonly Rule[] = dependentSettings.map(
  ({ choice, settings, isMeaningless, message }) => ({
    reads: [choice],
    check: (context) =>
      isMeaningless(context.config)
        ? settings
            .filter((path) => context.isDeliberate(path))
            .map((path) => ({ path, message: message(context.config) }))
        : [],
  }),
);
