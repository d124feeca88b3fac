export const PROBE_SCHEMA = "onpar.probe/1";

/** Whether a protocol can rely on something: proved, proved otherwise, or not to be told. */
export type ProbeStatus = "yes" | "no" | "unknown";

/** One thing that was looked at. */
export interface ProbeCheck {
  /** Stable, for example `ignore_eos`. */
  readonly name: string;
  readonly status: ProbeStatus;
  /** What was seen, in words. */
  readonly seen: string;
  /** What to do about a gap, in one line; null where there is none. */
  readonly advice: string | null;
}

/** What a server is, and what a protocol can rely on there. */
export interface ProbeResult {
  readonly schema: typeof PROBE_SCHEMA;
  readonly url: string;
  readonly engine: {
    /** As the engine's authors write it; null when it cannot be told. */
    readonly name: string | null;
    readonly version: string | null;
    readonly confidence: "certain" | "likely" | "none";
    readonly evidence: readonly string[];
  };
  readonly model: string;
  readonly served: readonly string[];
  /** Tokens of prompt and output together; null when nothing tells. */
  readonly contextLimit: number | null;
  readonly checks: readonly ProbeCheck[];
  /** Generations that were asked for. */
  readonly generations: number;
  readonly durationMs: number;
}

export const yes = (name: string, seen: string): ProbeCheck => ({ name, status: "yes", seen, advice: null });
export const no = (name: string, seen: string, advice: string): ProbeCheck => ({
  name,
  status: "no",
  seen,
  advice,
});
export const unknown = (name: string, seen: string, advice: string | null = null): ProbeCheck => ({
  name,
  status: "unknown",
  seen,
  advice,
});
