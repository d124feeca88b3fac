import type { Endpoint, Slo } from "@onpar/bench-config";
import type { RequestRecord } from "../../record.ts";

/** Harnesses whose figures can be computed from the same records. */
export const CONVENTIONS = ["vllm", "sglang", "guidellm", "ctxsweep"] as const;
export type ConventionName = (typeof CONVENTIONS)[number];

/** Figures under the names that the harness itself writes; null is unknown, a list has one entry per percentile or chunk. */
export type ConventionFigures = Readonly<Record<string, number | null>>;

export interface ConventionOptions {
  /** Output cap of the run, tokens: what a harness takes for the length of an output that it cannot count. */
  readonly cap: number;
  readonly slos?: readonly Slo[] | undefined;
  /** Where the requests went: sglang's client counts otherwise on its own endpoint. Default: an OpenAI-style one. */
  readonly endpoint?: Endpoint | undefined;
}

/** Takes the records of a run one by one; warm-up ones are left out. */
export interface Convention {
  add(record: RequestRecord): void;
  figures(): ConventionFigures;
}
