import type { DatasetKind, Endpoint, LoadKind, SamplingConfig } from "./schema.ts";

/** JSON as it is sent and stored. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** How a conversation becomes a prompt. */
export type TemplateMode = "none" | "client-side" | "server-side";

/** Name of the rule that ends an output; `fixed` sends the same least and most length, and honours EOS. */
export type StoppingRuleName = "eos" | "ignore-eos" | "fixed";

/**
 * The protocol a run was really taken under: what was asked for beside what the requests that were built carried.
 * A result without it cannot be compared with anything. A part that is null or absent is unknown, and unknown is never
 * equal to anything; parts that may be absent are those that earlier results do not have.
 */
export interface ResolvedProtocol {
  readonly model: ResolvedModel;
  /** Name or hash of the tokenizer. */
  readonly tokenizer?: string | null;
  readonly endpoint: Endpoint;
  /** `whole` where answers were not streamed; left out where they were. */
  readonly delivery?: "whole" | null;
  readonly template: ResolvedTemplate;
  readonly stoppingRule: ResolvedStoppingRule;
  /** Every sampling value as it was sent. */
  readonly sampling: SamplingConfig & { readonly seed: number };
  /** Fields of the body that have no place of their own here, as they were sent. */
  readonly extraBody?: Readonly<Record<string, JsonValue>> | null;
  readonly workload: ResolvedWorkload;
  readonly load: ResolvedLoad;
  readonly cache?: ResolvedCache | null;
  readonly speculation: ResolvedSpeculation;
  readonly repetition?: { readonly reps: number; readonly boots: number } | null;
  readonly counting?: ResolvedCounting | null;
  /** Engine under test, with its version. */
  readonly engine?: { readonly name: string; readonly version: string | null } | null;
  readonly hardware?: ResolvedHardware | null;
  /** Output lengths that were observed, in tokens. */
  readonly outputTokens?: LengthSpread | null;
}

/** Each part may be missing or null, which means that nobody knows it. */
type Unknowable<T> = T extends readonly unknown[]
  ? T | null
  : T extends object
    ? string extends keyof T
      ? T | null
      : { readonly [K in keyof T]?: Unknowable<T[K]> } | null
    : T | null;

/** Sampling values; `unset` for one that no request carried, so that the server's own default holds. */
type PartialSampling = {
  readonly [K in keyof ResolvedProtocol["sampling"]]?: number | "unset" | null;
};

/**
 * A protocol of which parts may be unknown: one that was imported from somebody else's table, or that a configuration states
 * before anything was sent. Every resolved protocol is one, too.
 */
export type PartialProtocol = {
  readonly [K in Exclude<keyof ResolvedProtocol, "sampling">]?: Unknowable<ResolvedProtocol[K]>;
} & { readonly sampling?: PartialSampling | null };

/** The model that was asked for and the one that answered. */
export interface ResolvedModel {
  readonly requested: string | null;
  readonly resolved: string | null;
  readonly repository?: string | null;
  readonly revision?: string | null;
  readonly quantization?: string | null;
  readonly kvDtype?: string | null;
  /** Name of the model file without its folder, in process. */
  readonly file?: string | null;
}

export interface ResolvedWorkload {
  /** File name or `generated`. */
  readonly source: string;
  /** sha256 (hex) over the prompts in order. */
  readonly sha256: string;
  readonly prompts: number;
  readonly kind?: DatasetKind | null;
  /** Tokens of the prompts as the server counted them. */
  readonly promptTokens?: LengthSpread | null;
  /** Text that says what to do with a context. */
  readonly task?: string | null;
  readonly sharedPrefixTokens?: number | null;
  readonly prefixGroups?: number | null;
  /** Share of prompt tokens that the prefix cache can serve. */
  readonly hitRate?: number | null;
  /** Most turns of each conversation; `all` where all that the file has are played. */
  readonly turns?: number | "all" | null;
  /** Whose answers later turns hold; left out where there are none. */
  readonly history?: "file" | "live" | null;
  /** `recorded` where each output is capped at the length of its row's answer, `one` where one cap holds for all. */
  readonly outputCaps?: "one" | "recorded" | null;
  /** Pause before each further turn, ms; left out where there are none. */
  readonly turnDelayMs?: number | null;
}

/** Lengths in tokens. */
export interface LengthSpread {
  readonly min: number;
  readonly p50: number;
  readonly max: number;
}

export interface ResolvedLoad {
  readonly kind: LoadKind;
  /** Requests in flight of the closed loop; null where the load is open. */
  readonly concurrency: number | null;
  readonly warmupRequests: number;
  /** Requests per second. */
  readonly rate?: number | null;
  readonly burstiness?: number | null;
  /** Most requests in flight of an open loop. */
  readonly maxInFlight?: number | "unlimited" | null;
  /** Seconds that the run sends for; `all` where it sends all prompts. */
  readonly durationS?: number | "all" | null;
  readonly ramp?: {
    readonly from: number;
    readonly to: number;
    readonly of: "rate" | "concurrency";
    readonly shape: string;
  } | null;
  readonly startTogether?: boolean | null;
  readonly traceSpeed?: number | null;
  /** How often a request may go out again after a refusal; left out where it may not. */
  readonly retries?: number | null;
}

export interface ResolvedCache {
  readonly policy: "none" | "nonce" | "reset";
  /** What the prefix cache held of the measured prompts; null where the server does not tell. */
  readonly state: "cold" | "warm" | null;
  /** Prompt tokens that came from the cache. */
  readonly cachedTokens?: number | null;
}

export interface ResolvedSpeculation {
  /** Draft budget K when it is known. */
  readonly draftBudget: number | null;
  /** Whether the source of the acceptance counts shows drafting; null when nothing is known. */
  readonly observed: boolean | null;
  readonly method?: string | null;
  readonly draftModel?: string | null;
}

export interface ResolvedCounting {
  /** Where token counts come from: `usage`, `token-ids`, `tokenizer`. */
  readonly tokenSource: string | null;
  /** Conventions that the decode rate is told in: `ctxsweep`, `vllm`. */
  readonly rateConventions: readonly string[] | null;
}

export interface ResolvedHardware {
  /** GPU or CPU of the system under test. */
  readonly device: string | null;
  /** Machine that the client ran on. */
  readonly clientHost: string | null;
}

/** The template that was asked for and the one that was used. */
export interface ResolvedTemplate {
  readonly requested: { readonly skipChatTemplate: boolean; readonly chatTemplate: string | null };
  readonly mode: TemplateMode;
  /** Where the template came from (file, `literal`, `gguf`, `server`), null when the server renders or none is used. */
  readonly source: string | null;
  /** sha256 (hex) of the template text, null when it is not known. */
  readonly sha256: string | null;
  /** Template variables as they were sent or rendered with; an unset variable is not a key. */
  readonly kwargs: Readonly<Record<string, JsonValue>>;
}

/** The stopping rule that was asked for and the fields that carried it. */
export interface ResolvedStoppingRule {
  readonly name: StoppingRuleName;
  /** Cap on output tokens; under `ignore-eos` the exact length. */
  readonly cap: number;
  readonly stop: readonly string[];
  readonly requested: { readonly ignoreEos: boolean };
  /** The fields of the request body that carry the rule, as they were sent. */
  readonly sent: Readonly<Record<string, JsonValue>>;
}
