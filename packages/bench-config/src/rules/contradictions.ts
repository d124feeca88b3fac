import { outputFiles } from "../field-checks.ts";
import { stoppingRule } from "../request.ts";
import { isSwept } from "./rule.ts";
import type { Refusal, Rule } from "./rule.ts";
import { workloadContradictions } from "./workload-contradictions.ts";

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

const draftLength: Rule = {
  reads: ["target.endpoint", "engine.draftModelPath", "engine.speculativeConfig", "engine.draftLength"],
  check: (context) => {
    const { target, engine } = context.config;
    return target.endpoint === "engine" &&
      engine.draftModelPath === null &&
      Object.keys(engine.speculativeConfig).length === 0 &&
      context.isDeliberate("engine.draftLength")
      ? [
          {
            path: "engine.draftLength",
            message: "nothing is drafted; add --draft-model FILE, or --speculative-config for prompt lookup",
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
  reads: outputFiles,
  check: ({ config, spelled }) => {
    const writers = new Map<string, string>();
    return outputFiles.flatMap((path): Refusal[] => {
      const file = config[path];
      const first = file === null ? undefined : writers.get(file);
      if (file !== null && first === undefined) {
        writers.set(file, path);
      }
      if (first === undefined) {
        return [];
      }
      const lost =
        first === "output" ? "so the result would overwrite the records" : "so one would overwrite the other";
      return [{ path, message: `names the same file as ${spelled(first)}, ${lost}` }];
    });
  },
};

const leastLength: Rule = {
  reads: ["minTokens", "maxTokens", "outputLen"],
  check: ({ config, isSet, spelled }) => {
    const { cap } = stoppingRule(config);
    const capPath = isSet("maxTokens") ? "maxTokens" : "outputLen";
    return config.minTokens > cap
      ? [
          {
            path: "minTokens",
            message: `asks for at least ${config.minTokens} output tokens, ${spelled(capPath)} for at most ${cap}`,
          },
        ]
      : [];
  },
};

const rateOfLoad: Rule = {
  reads: ["load.kind", "load.rate", "sweep.axes"],
  check: ({ config }) => {
    const needsRate = ["constant", "poisson", "gamma"].includes(config.load.kind);
    return needsRate && config.load.rate === null && !isSwept(config, "load.rate")
      ? [{ path: "load.kind", message: `${config.load.kind} arrivals need a rate; add --request-rate X` }]
      : [];
  },
};

const rampEnds: Rule = {
  reads: ["load.kind", "load.ramp"],
  check: ({ config: { load } }) => {
    if (load.kind !== "ramp") {
      return [];
    }
    const { fromRate, toRate, fromConcurrency, toConcurrency } = load.ramp;
    const rates = [fromRate, toRate].filter((end) => end !== null).length;
    const levels = [fromConcurrency, toConcurrency].filter((end) => end !== null).length;
    if (rates > 0 && levels > 0) {
      return [
        {
          path: "load.kind",
          message: "a ramp goes over rates or over concurrency; set the two ends of one of them",
        },
      ];
    }
    return rates === 2 || levels === 2
      ? []
      : [
          {
            path: "load.kind",
            message:
              "a ramp needs both ends; add --ramp-from-rate and --ramp-to-rate, or the two of concurrency",
          },
        ];
  },
};

const trust: Rule = {
  reads: ["target.caFile", "target.insecureTls", "target.baseUrl"],
  check: (context) => {
    const { target } = context.config;
    const refusals: Refusal[] = [];
    if (target.insecureTls && target.caFile !== null) {
      refusals.push({
        path: "target.insecureTls",
        message: `leaves the certificate unchecked, and ${context.spelled("target.caFile")} checks it; keep one`,
      });
    }
    for (const path of ["target.caFile", "target.insecureTls"] as const) {
      const isOn = path === "target.caFile" ? target.caFile !== null : target.insecureTls;
      if (isOn && target.baseUrl.startsWith("http:") && target.endpoint !== "engine") {
        const message = `is about certificates, and ${context.spelled("target.baseUrl")} is not https`;
        refusals.push({ path, message });
      }
    }
    return refusals;
  },
};

const statedForEngine: Rule = {
  reads: ["target.endpoint", "speculation", "server.command"],
  check: ({ config: { target, server }, isDeliberate }) => {
    if (target.endpoint !== "engine") {
      return [];
    }
    const stated = ["speculation.method", "speculation.draftTokens", "speculation.draftModel"].filter(
      isDeliberate,
    );
    return [
      ...stated.map((path) => ({
        path,
        message:
          "states the speculation of a server; the in-process engine speculates as --draft-model and --draft-tokens say",
      })),
      ...(server.command.length > 0
        ? [{ path: "server.command", message: "starts a server, and the in-process engine needs none" }]
        : []),
    ];
  },
};

/** What contradicts itself, and what something else is missing for. */
export const contradictionRules: readonly Rule[] = [
  engineModel,
  draftBudget,
  draftLength,
  oneLength,
  leastLength,
  stopUnderExactLength,
  generatedPrompts,
  rateOfLoad,
  rampEnds,
  ...workloadContradictions,
  trust,
  statedForEngine,
  twoFiles,
];
