import { isServerTemplate } from "../request.ts";
import type { Rule } from "./rule.ts";

const fileKinds = ["prompts", "sharegpt", "openai-batch", "multi-turn", "trace"];

const fileOfDataset: Rule = {
  reads: ["dataset.kind", "datasetPath", "load.kind"],
  check: ({ config: { dataset, datasetPath, load } }) => {
    if (fileKinds.includes(dataset.kind) && datasetPath === null) {
      return [
        {
          path: "dataset.kind",
          message: `prompts of the kind ${dataset.kind} come from a file; add --dataset-path FILE`,
        },
      ];
    }
    return load.kind === "trace" && (datasetPath === null || !["auto", "trace"].includes(dataset.kind))
      ? [
          {
            path: "load.kind",
            message: "a trace says when to send; add --dataset-kind trace --dataset-path FILE",
          },
        ]
      : [];
  },
};

const idsAsPrompts: Rule = {
  reads: ["dataset.kind", "target.endpoint", "skipChatTemplate"],
  check: ({ config, isSet, spelled }) => {
    if (config.dataset.kind !== "random-ids") {
      return [];
    }
    if (isServerTemplate(config.target.endpoint)) {
      const message = `prompts of token ids cannot be sent to ${config.target.endpoint}, which takes messages; use random-text, or --endpoint completions`;
      return [{ path: "dataset.kind", message }];
    }
    const why = isSet("skipChatTemplate") ? ` (${spelled("skipChatTemplate")})` : "";
    return config.skipChatTemplate
      ? []
      : [
          {
            path: "dataset.kind",
            message: `prompts of token ids cannot be rendered with a template${why}; use random-text`,
          },
        ];
  },
};

const turnsAsMessages: Rule = {
  reads: ["dataset.kind", "dataset.turns", "target.endpoint", "skipChatTemplate"],
  check: ({ config }) =>
    (config.dataset.kind === "multi-turn" || (config.dataset.turns ?? 1) > 1) &&
    !isServerTemplate(config.target.endpoint) &&
    config.skipChatTemplate
      ? [
          {
            path: config.dataset.kind === "multi-turn" ? "dataset.kind" : "dataset.turns",
            message:
              "turns of a conversation need a chat template; add --endpoint chat-completions, or --no-skip-chat-template",
          },
        ]
      : [],
};

const hitRate: Rule = {
  reads: ["dataset.hitRate", "dataset.sharedPrefixLen", "cache.policy"],
  check: ({ config: { dataset, cache }, spelled }) => {
    if (dataset.hitRate === null) {
      return [];
    }
    const path = "dataset.hitRate";
    if (dataset.sharedPrefixLen > 0) {
      const message = `says how long the prefix is, as a share of ${spelled("inputLen")}, and so does ${spelled("dataset.sharedPrefixLen")}; keep one`;
      return [{ path, message }];
    }
    return cache.policy === "reset"
      ? [
          {
            path,
            message: `needs prefixes in the cache, and ${spelled("cache.policy")} empties it; use --cache nonce, under which only this run's are there`,
          },
        ]
      : [];
  },
};

const traceOrder: Rule = {
  reads: ["load.kind", "dataset.shuffle", "dataset.oversample"],
  check: ({ config: { load, dataset } }) =>
    load.kind === "trace"
      ? (["shuffle", "oversample"] as const)
          .filter((name) => dataset[name])
          .map((name) => ({
            path: `dataset.${name}`,
            message:
              "a trace is played once, in the order of its times; leave this out, or choose another --load",
          }))
      : [],
};

/** What contradicts itself in prompts and their times. */
export const workloadContradictions: readonly Rule[] = [
  fileOfDataset,
  idsAsPrompts,
  turnsAsMessages,
  hitRate,
  traceOrder,
];
