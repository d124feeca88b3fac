import type { BenchConfig } from "@onpar/bench-config";
import { z } from "zod";
import type { ControlClient } from "./control-client.ts";
import { oneLine, RunError } from "./errors.ts";
import type { SystemUnderTest } from "./result.ts";
import { errorInBody, isObject } from "./stream/server-message.ts";
import type { ServerTemplate } from "./template-source.ts";

/** What a server says about itself before anything is measured. */
export interface ServerFacts {
  readonly system: SystemUnderTest;
  /** Served model name that requests carry. */
  readonly model: string;
  /** Tokens of prompt and output together; null when the server does not tell. */
  readonly contextLimit: number | null;
  readonly served: readonly string[];
}

const modelsSchema = z.looseObject({
  data: z.array(
    z.looseObject({
      id: z.string().min(1),
      owned_by: z.string().optional(),
      max_model_len: z.int().positive().nullish(),
    }),
  ),
});

/** Longest list of model names that a message shows. */
const NAMES_SHOWN = 8;

/**
 * Finds out whether there is a server, whether the key opens it and whether it serves the model.
 *
 * @throws {RunError} `SERVER_UNREACHABLE`, `SERVER_NOT_READY`, `UNAUTHORISED`, `MODEL_NOT_FOUND`
 */
export async function preflight(
  config: BenchConfig,
  client: ControlClient,
  signal?: AbortSignal,
): Promise<ServerFacts> {
  const answer = await client.get("/v1/models", signal);
  const url = `${client.root}/v1/models`;
  if (answer.status === 401 || answer.status === 403) {
    throw unauthorised(config, url, answer.status, client.headers.authorization !== undefined);
  }
  if (answer.status >= 500 && answer.status !== 501) {
    const says = errorInBody(answer.text, answer.contentType);
    throw new RunError(
      "SERVER_NOT_READY",
      `${url} answered ${answer.status} (${says}): wait until the server is ready`,
    );
  }
  const parsed = answer.status === 200 ? modelsSchema.safeParse(answer.json) : null;
  const models = parsed?.success === true ? parsed.data.data : null;
  const requested = config.target.model;
  if (models === null) {
    if (requested === null && answer.location !== null) {
      throw new RunError(
        "SERVER_UNREACHABLE",
        `${url} answered ${answer.status} and sends on to ${oneLine(answer.location, 200)}, which is not followed: ` +
          "name the server there with --base-url",
      );
    }
    if (requested === null) {
      throw new RunError(
        "MODEL_NOT_FOUND",
        `${url} does not list models (HTTP ${answer.status}${answer.status === 200 ? ", not a model list" : ""}): ` +
          "name the model with --model, or check the base URL",
      );
    }
    return { system: await identify(null, client, signal), model: requested, contextLimit: null, served: [] };
  }
  const served = models.map((model) => model.id);
  const found = requested === null ? models[0] : models.find((model) => model.id === requested);
  if (found === undefined) {
    throw new RunError(
      "MODEL_NOT_FOUND",
      requested === null
        ? `${url} lists no model`
        : `${client.root} does not serve ${JSON.stringify(requested)}; ${servedList(served)}`,
    );
  }
  return {
    system: await identify(found.owned_by ?? null, client, signal),
    model: found.id,
    contextLimit: found.max_model_len ?? null,
    served,
  };
}

/** "it serves a, b and 3 more", for messages. */
export function servedList(served: readonly string[]): string {
  if (served.length === 0) return "it does not say what it serves";
  const shown = served.slice(0, NAMES_SHOWN).map((name) => JSON.stringify(name));
  const rest = served.length - shown.length;
  return `it serves ${shown.join(", ")}${rest > 0 ? ` and ${rest} more` : ""}`;
}

/** 401 or 403, with the variable that the key comes from. */
export function unauthorised(config: BenchConfig, url: string, status: number, keySent: boolean): RunError {
  const variable = config.target.apiKeyEnv;
  const what = keySent ? `the key in ${variable} was refused` : `no key was sent: set ${variable}`;
  return new RunError("UNAUTHORISED", `${url} answered ${status}: ${what}`);
}

/** The template that a server gives away with `/props` (llama.cpp, onpar-server); null when it does not. */
export async function fetchServerTemplate(
  client: ControlClient,
  signal?: AbortSignal,
): Promise<ServerTemplate | null> {
  const { status, json } = await client.get("/props", signal);
  if (status !== 200 || !isObject(json)) return null;
  const text = json.chat_template;
  if (typeof text !== "string" || text === "") return null;
  const specialTokens: Record<string, string> = {};
  for (const name of ["bos_token", "eos_token"]) {
    const token = json[name];
    if (typeof token === "string" && token !== "") specialTokens[name] = token;
  }
  return { text, specialTokens };
}

/** Where servers say how many tokens they draft at most (bonus token not counted), and under which name. */
const BUDGET_PLACES: readonly (readonly [path: string, pattern: RegExp])[] = [
  ["/server_info", /"?(?:num_speculative_tokens|speculative_num_steps)\\?"?\s*[:=]\s*(\d+)/],
  ["/props", /"speculative\.n_max"\s*:\s*(\d+)/],
];

/** K by `/server_info` (vLLM, SGLang) or `/props` (llama.cpp, onpar-server); null when neither tells. */
export async function fetchDraftBudget(client: ControlClient, signal?: AbortSignal): Promise<number | null> {
  for (const [path, pattern] of BUDGET_PLACES) {
    try {
      const { status, text } = await client.get(path, signal);
      const budget = status === 200 ? Number(pattern.exec(text)?.[1] ?? 0) : 0;
      if (Number.isSafeInteger(budget) && budget > 0) return budget;
    } catch (error) {
      // The measurement is over: a server that is gone by now, or an interrupt, takes nothing from it.
      if (!(error instanceof RunError)) throw error;
    }
  }
  return null;
}

const ENGINES: Readonly<Record<string, string>> = {
  vllm: "vllm",
  onpar: "onpar-server",
  sglang: "sglang",
  llamacpp: "llama.cpp",
  lmdeploy: "lmdeploy",
  tensorrt_llm: "tensorrt-llm",
};

/** Engine and version from cheap probes; what cannot be told is null. */
async function identify(
  ownedBy: string | null,
  client: ControlClient,
  signal?: AbortSignal,
): Promise<SystemUnderTest> {
  const engine = ownedBy === null ? null : (ENGINES[ownedBy.toLowerCase()] ?? ownedBy);
  const [path, key] = engine === "llama.cpp" ? ["/props", "build_info"] : ["/version", "version"];
  const { status, json } = await client.get(path, signal);
  const version = status === 200 && isObject(json) ? json[key] : null;
  return {
    engine,
    version: typeof version === "string" ? version.slice(0, 200) : null,
    baseUrl: client.root,
  };
}
