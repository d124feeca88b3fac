import { fileName } from "./axes/axis.ts";
import type { JsonValue, LengthSpread, PartialProtocol, ResolvedLoad } from "./protocol.ts";
import { effectiveTemplateMode, requestFields, stoppingRule, templateKwargs } from "./request.ts";
import type { BenchConfig, DatasetKind } from "./schema.ts";

/** What the prompts are, as far as the configuration tells: a file of kind `auto` tells by its content. */
function datasetKind({ dataset, datasetPath }: BenchConfig): DatasetKind | null {
  if (dataset.kind !== "auto") {
    return dataset.kind;
  }
  return datasetPath === null ? "random-text" : null;
}

const lengthIsChosen = new Set<DatasetKind | null>([
  "random-ids",
  "random-text",
  "source-code",
  "shared-prefix",
]);

/** Tokens of generated prompts, before a template adds its own. */
function promptTokens(config: BenchConfig): LengthSpread | null {
  if (!lengthIsChosen.has(datasetKind(config)) || (config.dataset.turns ?? 1) > 1) {
    return null;
  }
  const { inputLen, dataset } = config;
  const length = dataset.kind === "source-code" ? inputLen : inputLen + dataset.sharedPrefixLen;
  const spread = Math.floor(inputLen * dataset.rangeRatio);
  return { min: length - spread, p50: length, max: length + spread };
}

/** Tokens of a prompt that others share. */
function sharedPrefix({ dataset, inputLen }: BenchConfig): number {
  const { hitRate, sharedPrefixLen } = dataset;
  return hitRate === null ? sharedPrefixLen : Math.min(Math.round(hitRate * inputLen), inputLen - 1);
}

function workload(config: BenchConfig): NonNullable<PartialProtocol["workload"]> {
  const { dataset, datasetPath, numPrompts } = config;
  const kind = datasetKind(config);
  const generated = lengthIsChosen.has(kind);
  return {
    source: datasetPath === null ? "generated" : fileName(datasetPath),
    prompts: numPrompts,
    kind,
    promptTokens: promptTokens(config),
    task: kind === "source-code" || dataset.task !== null ? dataset.task : "none",
    sharedPrefixTokens: generated ? sharedPrefix(config) : null,
    prefixGroups: kind === "shared-prefix" ? dataset.prefixGroups : null,
    hitRate: dataset.hitRate,
    turns: kind === "multi-turn" ? (dataset.turns ?? "all") : generated ? 1 : dataset.turns,
    outputCaps: dataset.recordedLengths ? "recorded" : "one",
    ...(kind === "multi-turn" || (dataset.turns ?? 1) > 1
      ? { history: dataset.history, turnDelayMs: dataset.turnDelayMs }
      : {}),
  };
}

/** The load of a configuration, as a protocol has it. */
export function loadOf(config: BenchConfig): ResolvedLoad {
  const { load, concurrency, warmupRequests, retries } = config;
  const { fromRate, toRate, fromConcurrency, toConcurrency, shape } = load.ramp;
  const common = {
    warmupRequests,
    durationS: load.durationS ?? ("all" as const),
    ...(retries === 0 ? {} : { retries }),
  };
  const isOpen = load.kind !== "closed-loop" && load.kind !== "ramp";
  const limit = { maxInFlight: load.maxInFlight ?? ("unlimited" as const) };
  switch (load.kind) {
    case "closed-loop":
      return { kind: load.kind, concurrency, ...common, startTogether: load.startTogether };
    case "ramp": {
      const ramp =
        fromRate !== null && toRate !== null
          ? { of: "rate" as const, from: fromRate, to: toRate, shape }
          : { of: "concurrency" as const, from: fromConcurrency ?? 1, to: toConcurrency ?? 1, shape };
      return { kind: load.kind, concurrency: null, ...common, ramp, startTogether: load.startTogether };
    }
    case "trace":
      return { kind: load.kind, concurrency: null, ...common, ...limit, traceSpeed: load.traceSpeed };
    default: {
      // Gamma arrivals of shape 1 are Poisson arrivals.
      const kind = load.kind === "gamma" && load.burstiness === 1 ? "poisson" : load.kind;
      const burstiness = kind === "gamma" ? { burstiness: load.burstiness } : {};
      return { kind, concurrency: null, ...common, ...(isOpen ? limit : {}), rate: load.rate, ...burstiness };
    }
  }
}

/** Begins the method of an engine that chooses how many tokens to draft, none included. */
export const ADAPTIVE = "adaptive ";

function speculation(config: BenchConfig): NonNullable<PartialProtocol["speculation"]> {
  const { engine, target } = config;
  if (target.endpoint !== "engine") {
    const { method, draftTokens, draftModel } = config.speculation;
    return { method, draftBudget: draftTokens, draftModel, observed: null };
  }
  const adaptive = engine.draftLength === "adaptive" ? ADAPTIVE : "";
  if (Object.keys(engine.speculativeConfig).length > 0) {
    const { method, num_speculative_tokens: budget, model } = engine.speculativeConfig;
    return {
      method: `${adaptive}${typeof method === "string" ? method : "draft"}`,
      draftBudget: typeof budget === "number" ? budget : null,
      draftModel: typeof model === "string" ? fileName(model) : null,
      observed: null,
    };
  }
  return engine.draftModelPath === null
    ? { method: "off", draftBudget: null, draftModel: null, observed: null }
    : {
        method: `${adaptive}draft`,
        draftBudget: engine.draftTokens,
        draftModel: fileName(engine.draftModelPath),
        observed: null,
      };
}

const ruleFields = ["max_tokens", "min_tokens", "ignore_eos", "stop"] as const;

function rule(config: BenchConfig): NonNullable<PartialProtocol["stoppingRule"]> {
  const body = requestFields(config);
  const sent: Record<string, JsonValue> = {};
  for (const name of ruleFields) {
    const value = body[name];
    if (value !== undefined) {
      sent[name] = value;
    }
  }
  return { ...stoppingRule(config), stop: config.stop, requested: { ignoreEos: config.ignoreEos }, sent };
}

/** Fields of the body that no axis has a place of its own for. */
function extraBody({ target, logprobs }: BenchConfig): Record<string, JsonValue> {
  return { ...target.extraBody, ...(logprobs === null ? {} : { logprobs }) };
}

/**
 * The protocol that a configuration states, before anything is sent. What only a run can tell is unknown: the hash of the
 * prompts, the template's text, the server's version, what was cached, whether drafting was seen.
 *
 * Configurations that ask for the same in other words give the same protocol: `maxTokens` and `outputLen`,
 * `enableThinking` and the template variable of that name, gamma arrivals of shape 1 and Poisson arrivals.
 */
export function declaredProtocol(config: BenchConfig): PartialProtocol {
  const { target, engine, declared, sampling, repetition } = config;
  const mode = effectiveTemplateMode(config);
  const isEngine = target.endpoint === "engine";
  const modelFile = isEngine ? fileName(engine.modelPath) : null;
  const name = isEngine ? modelFile : target.model;
  const [engineName, engineVersion] = declared.engine?.split(/\s+/u) ?? [];
  return {
    model: {
      requested: name,
      resolved: null,
      file: modelFile,
      repository: declared.repository,
      revision: declared.revision,
      quantization: declared.quantization,
      kvDtype: declared.kvDtype ?? (isEngine ? engine.kvCacheDtype : null),
    },
    tokenizer: declared.tokenizer,
    endpoint: target.endpoint,
    ...(target.stream ? {} : { delivery: "whole" as const }),
    template: {
      requested: { skipChatTemplate: config.skipChatTemplate, chatTemplate: config.chatTemplate },
      mode,
      source: null,
      sha256: null,
      kwargs: mode === "none" ? {} : templateKwargs(config),
    },
    stoppingRule: rule(config),
    sampling: { ...sampling, seed: config.seed },
    extraBody: extraBody(config),
    workload: workload(config),
    load: loadOf(config),
    cache: { policy: config.cache.policy, state: null },
    speculation: speculation(config),
    repetition: { reps: repetition.reps, boots: repetition.boots },
    counting: { tokenSource: null, rateConventions: ["ctxsweep", "vllm"] },
    engine: engineName === undefined ? null : { name: engineName, version: engineVersion ?? null },
    hardware: { device: declared.hardware, clientHost: null },
  };
}
