import type { Endpoint, SamplingConfig } from "./schema.ts";

/** JSON as it is sent and stored. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };

/** How a conversation becomes a prompt. */
export type TemplateMode = "none" | "client-side" | "server-side";

/** Name of the rule that ends an output. */
export type StoppingRuleName = "eos" | "ignore-eos";

/**
 * The protocol a run was really taken under: what was asked for beside what the requests that were built carried.
 * A result without it cannot be compared with anything.
 */
export interface ResolvedProtocol {
  readonly model: { readonly requested: string | null; readonly resolved: string | null };
  readonly endpoint: Endpoint;
  readonly template: ResolvedTemplate;
  readonly stoppingRule: ResolvedStoppingRule;
  /** Every sampling value as it was sent. */
  readonly sampling: SamplingConfig & { readonly seed: number };
  readonly workload: {
    /** File name or `generated`. */
    readonly source: string;
    /** sha256 (hex) over the prompts in order. */
    readonly sha256: string;
    readonly prompts: number;
  };
  readonly load: {
    readonly kind: "closed-loop";
    readonly concurrency: number;
    readonly warmupRequests: number;
  };
  readonly speculation: {
    /** Draft budget K when it is known. */
    readonly draftBudget: number | null;
    /** Whether the source of the acceptance counts shows drafting; null when nothing is known. */
    readonly observed: boolean | null;
  };
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
