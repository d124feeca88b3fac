import {
  loadOf,
  stoppingRule,
  type BenchConfig,
  type JsonValue,
  type ResolvedProtocol,
  type ResolvedStoppingRule,
  type ResolvedTemplate,
} from "@onpar/bench-config";
import type { Workload } from "./datasets/workload.ts";

/** What a run knows about itself when its requests are built. */
export interface ProtocolInput {
  readonly config: BenchConfig;
  readonly model: string | null;
  readonly template: ResolvedTemplate;
  readonly workload: Workload;
  /** The body of the first measured request, read back from what goes out. */
  readonly body: Readonly<Record<string, JsonValue>>;
  readonly draftBudget: number | null;
  readonly drafting: boolean | null;
}

/** Fields that carry the stopping rule, in the spelling of servers and of the engine interface. */
const STOPPING_FIELDS = [
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "max_new_tokens",
  "n_predict",
  "num_predict",
  "min_new_tokens",
  "min_tokens",
  "ignore_eos",
  "stop",
  "stop_token_ids",
  "maxTokens",
  "minTokens",
  "ignoreEos",
  "stopTokenIds",
] as const;

/** Spellings of the cap, by the endpoints that have them. */
const CAP_FIELDS = [
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "max_new_tokens",
  "n_predict",
  "num_predict",
  "maxTokens",
] as const;

/** Other spellings of sampling fields. */
const SPELLINGS: Readonly<Record<string, string>> = {
  repetition_penalty: "repeat_penalty",
  seed: "sampling_seed",
};

/** SGLang and Ollama keep these fields in an object of their own. */
function flatBody(body: Readonly<Record<string, JsonValue>>): Readonly<Record<string, JsonValue>> {
  return { ...body, ...asObject(body.sampling_params), ...asObject(body.options) };
}

/** The protocol as the requests that were really built carry it. */
export function resolveProtocol(input: ProtocolInput): ResolvedProtocol {
  const { config, template, workload } = input;
  const body = flatBody(input.body);
  const kwargs = template.mode === "server-side" ? asObject(body.chat_template_kwargs) : template.kwargs;
  return {
    model: { requested: config.target.model ?? config.engine.modelPath, resolved: input.model },
    endpoint: config.target.endpoint,
    ...(body.stream === false ? { delivery: "whole" as const } : {}),
    template: { ...template, kwargs },
    stoppingRule: resolveStoppingRule(config, body),
    sampling: resolveSampling(config, body),
    workload: { source: workload.source, sha256: workload.sha256, prompts: workload.measured.length },
    load: loadOf(config),
    speculation: { draftBudget: input.draftBudget, observed: input.drafting },
  };
}

/** The rule by name, with the fields that carried it. */
export function resolveStoppingRule(
  config: BenchConfig,
  written: Readonly<Record<string, JsonValue>>,
): ResolvedStoppingRule {
  const body = flatBody(written);
  const sent: Record<string, JsonValue> = {};
  for (const name of STOPPING_FIELDS) {
    const value = body[name];
    if (value !== undefined) sent[name] = value;
  }
  const asked = stoppingRule(config);
  const ignore = body.ignore_eos ?? body.ignoreEos ?? false;
  const cap = CAP_FIELDS.map((name) => body[name]).find((value) => value !== undefined);
  return {
    name: ignore === true ? "ignore-eos" : asked.name === "fixed" ? "fixed" : "eos",
    cap: typeof cap === "number" ? cap : asked.cap,
    stop: [...config.stop],
    requested: { ignoreEos: config.ignoreEos },
    sent,
  };
}

function resolveSampling(
  config: BenchConfig,
  body: Readonly<Record<string, JsonValue>>,
): ResolvedProtocol["sampling"] {
  const nested = asObject(body.sampling);
  const sent = (wire: string, own: keyof BenchConfig["sampling"] | "seed", fallback: number): number => {
    const value = body[wire] ?? body[SPELLINGS[wire] ?? wire] ?? nested[own];
    return typeof value === "number" ? value : fallback;
  };
  const { sampling } = config;
  return {
    temperature: sent("temperature", "temperature", sampling.temperature),
    topP: sent("top_p", "topP", sampling.topP),
    topK: sent("top_k", "topK", sampling.topK),
    minP: sent("min_p", "minP", sampling.minP),
    repetitionPenalty: sent("repetition_penalty", "repetitionPenalty", sampling.repetitionPenalty),
    presencePenalty: sent("presence_penalty", "presencePenalty", sampling.presencePenalty),
    frequencyPenalty: sent("frequency_penalty", "frequencyPenalty", sampling.frequencyPenalty),
    seed: sent("seed", "seed", config.seed),
  };
}

function asObject(value: JsonValue | undefined): Readonly<Record<string, JsonValue>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
}
