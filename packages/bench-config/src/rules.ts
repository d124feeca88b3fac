import type { ConfigIssue } from "./error.ts";
import { isServerTemplate } from "./request.ts";
import type { BenchConfig } from "./schema.ts";

/** What a rule over several settings sees. */
export interface RuleContext {
  readonly config: BenchConfig;
  /** Whether a source other than the defaults set this path. */
  readonly isSet: (path: string) => boolean;
  /** Set by a flag, or set by another source to something else than the default. */
  readonly isDeliberate: (path: string) => boolean;
  /** As the user wrote it: `--stop`, `stop (file)`; the flag's own spelling for what was not set. */
  readonly spelled: (path: string) => string;
}

interface Refusal {
  readonly path: string;
  readonly message: string;
}

/** A refusal of what contradicts itself or could not be honoured. `reads` are the settings that it depends on. */
interface Rule {
  readonly reads: readonly string[];
  readonly check: (context: RuleContext) => readonly Refusal[];
}

function isTemplateSetting(context: RuleContext, path: string): boolean {
  const { chatTemplate, chatTemplateKwargs, enableThinking } = context.config;
  switch (path) {
    case "chatTemplate":
      return chatTemplate !== null;
    case "chatTemplateKwargs":
      return Object.keys(chatTemplateKwargs).length > 0;
    case "enableThinking":
      return enableThinking !== undefined;
    default:
      return context.isDeliberate(path);
  }
}

const templateSettings = ["chatTemplate", "chatTemplateKwargs", "enableThinking", "tokenizer"] as const;

const skippedTemplate: Rule = {
  reads: ["target.endpoint", "skipChatTemplate", ...templateSettings],
  check: (context) => {
    const { target, skipChatTemplate } = context.config;
    if (isServerTemplate(target.endpoint) || !skipChatTemplate) {
      return [];
    }
    const why = context.isSet("skipChatTemplate")
      ? context.spelled("skipChatTemplate")
      : "the default, --skip-chat-template";
    return templateSettings
      .filter((path) => isTemplateSetting(context, path))
      .map((path) => ({
        path,
        message:
          `cannot be honoured while the chat template is skipped (${why}): prompts are sent as they are; ` +
          "add --no-skip-chat-template or leave this out",
      }));
  },
};

const serverTemplate: Rule = {
  reads: ["target.endpoint", "skipChatTemplate", "chatTemplate", "tokenizer"],
  check: (context) => {
    const { target, skipChatTemplate, chatTemplate } = context.config;
    if (!isServerTemplate(target.endpoint)) {
      return [];
    }
    const refusals: Refusal[] = [];
    if (skipChatTemplate && context.isSet("skipChatTemplate")) {
      refusals.push({
        path: "skipChatTemplate",
        message:
          `cannot be honoured on ${target.endpoint}, where the server always applies its chat template; ` +
          "for raw prompts use --endpoint completions",
      });
    }
    if (chatTemplate !== null) {
      refusals.push({
        path: "chatTemplate",
        message:
          `cannot be honoured on ${target.endpoint}, where the server applies its own chat template; to render ` +
          "prompts with this one use --endpoint completions --no-skip-chat-template --chat-template FILE",
      });
    }
    if (context.isDeliberate("tokenizer")) {
      refusals.push({
        path: "tokenizer",
        message:
          `cannot be honoured on ${target.endpoint}, where the server applies its own chat template; to render ` +
          "prompts with this model's template use --endpoint completions --no-skip-chat-template",
      });
    }
    return refusals;
  },
};

const oneThinking: Rule = {
  reads: ["enableThinking", "chatTemplateKwargs"],
  check: ({ config: { enableThinking, chatTemplateKwargs }, spelled }) => {
    const other = chatTemplateKwargs["enable_thinking"];
    if (enableThinking === undefined || other === undefined || other === enableThinking) {
      return [];
    }
    const message =
      `sets enable_thinking to ${enableThinking}, ${spelled("chatTemplateKwargs")} sets it to ` +
      `${JSON.stringify(other)}; keep one`;
    return [{ path: "enableThinking", message }];
  },
};

const engineSettings = [
  "engine.modelPath",
  "engine.draftModelPath",
  "engine.draftTokens",
  "engine.contextSize",
  "engine.threads",
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
export const dependentSettings: readonly {
  readonly choice: string;
  readonly settings: readonly string[];
  readonly isMeaningless: (config: BenchConfig) => boolean;
  readonly message: (config: BenchConfig) => string;
}[] = [
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
    choice: "datasetPath",
    settings: ["inputLen"],
    isMeaningless: ({ datasetPath }) => datasetPath !== null,
    message: () =>
      "prompts of a dataset are sent whole, so their length cannot be chosen; leave this out, or leave out " +
      "--dataset-path for generated prompts",
  },
];

const strayDependents: readonly Rule[] = dependentSettings.map(
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

const engineModel: Rule = {
  reads: ["target.endpoint", "target.model", "engine.modelPath"],
  check: ({ config: { target, engine } }) =>
    target.endpoint === "engine" && engine.modelPath === null
      ? [{ path: "target.endpoint", message: "the in-process engine needs a model file; add --model FILE" }]
      : [],
};

const draftBudget: Rule = {
  reads: ["target.endpoint", "engine.draftModelPath", "engine.draftTokens"],
  check: (context) => {
    const { target, engine } = context.config;
    return target.endpoint === "engine" &&
      engine.draftModelPath === null &&
      context.isDeliberate("engine.draftTokens")
      ? [
          {
            path: "engine.draftTokens",
            message: "nothing is drafted without a draft model; add --draft-model FILE",
          },
        ]
      : [];
  },
};

const oneLength: Rule = {
  reads: ["maxTokens", "outputLen"],
  check: ({ config: { maxTokens, outputLen }, isSet, spelled }) =>
    maxTokens !== null && isSet("outputLen") && maxTokens !== outputLen
      ? [
          {
            path: "maxTokens",
            message: `asks for ${maxTokens} output tokens, ${spelled("outputLen")} for ${outputLen}; keep one`,
          },
        ]
      : [],
};

const stopUnderExactLength: Rule = {
  reads: ["stop", "ignoreEos"],
  check: ({ config: { stop, ignoreEos }, isSet, spelled }) => {
    if (stop.length === 0 || !ignoreEos) {
      return [];
    }
    const why = isSet("ignoreEos") ? spelled("ignoreEos") : "the default, --ignore-eos";
    const message =
      `a stop text would end an output before the exact length that ignoring EOS asks for (${why}); ` +
      "add --no-ignore-eos or leave this out";
    return [{ path: "stop", message }];
  },
};

/** Generated prompts are made before the first one is sent and stay in memory, together this many tokens at most. */
const MAX_GENERATED_TOKENS = 200_000_000;

const generatedPrompts: Rule = {
  reads: ["datasetPath", "numPrompts", "warmupRequests", "inputLen"],
  check: ({ config: { datasetPath, numPrompts, warmupRequests, inputLen }, isSet, spelled }) => {
    const tokens = (numPrompts + warmupRequests) * inputLen;
    if (datasetPath !== null || tokens <= MAX_GENERATED_TOKENS) {
      return [];
    }
    const message =
      `${numPrompts} prompts (${spelled("numPrompts")}) and ${warmupRequests} of the warm-up ` +
      `(${spelled("warmupRequests")}) of ${inputLen} tokens each (${spelled("inputLen")}) are ${tokens} tokens, and ` +
      `at most ${MAX_GENERATED_TOKENS} are generated for one run; lower ${spelled("numPrompts")} or ${spelled("inputLen")}`;
    return [{ path: isSet("numPrompts") ? "numPrompts" : "inputLen", message }];
  },
};

const twoFiles: Rule = {
  reads: ["output", "outputJson"],
  check: ({ config: { output, outputJson }, spelled }) =>
    output !== null && output === outputJson
      ? [
          {
            path: "outputJson",
            message: `names the same file as ${spelled("output")}, so the result would overwrite the records`,
          },
        ]
      : [],
};

const rules: readonly Rule[] = [
  skippedTemplate,
  serverTemplate,
  oneThinking,
  ...strayDependents,
  engineModel,
  draftBudget,
  oneLength,
  stopUnderExactLength,
  generatedPrompts,
  twoFiles,
];

/** Applies every rule whose settings are valid on their own. */
export function applyRules(context: RuleContext, invalid: ReadonlySet<string>): ConfigIssue[] {
  return rules
    .filter((rule) => !rule.reads.some((path) => invalid.has(path)))
    .flatMap((rule) => rule.check(context))
    .map(({ path, message }) => ({ path, origin: context.spelled(path), message }));
}
