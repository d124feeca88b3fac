import type { BenchConfig, ResolvedProtocol } from "@onpar/bench-config";
import type { Acceptance } from "@onpar/metrics-client";

/** Everything a finished (or interrupted) run says about itself. Serialised as it is with `--json`. */
export interface RunResult {
  readonly schema: "onpar.run/1";
  readonly tool: { readonly name: "onpar"; readonly version: string };
  /** ISO 8601, wall clock; for people only, never used in a figure. */
  readonly startedAt: string;
  readonly interrupted: boolean;
  readonly config: BenchConfig;
  readonly protocol: ResolvedProtocol;
  readonly system: SystemUnderTest;
  readonly summary: RunSummary;
  readonly findings: readonly Finding[];
  /** Where the records were appended; null when they were not kept. */
  readonly recordsPath: string | null;
}

/** The server or engine that was measured; null where it cannot be told. */
export interface SystemUnderTest {
  /** `llama.cpp`, `vllm`, `onpar-server`, …; null when it cannot be told. */
  readonly engine: string | null;
  readonly version: string | null;
  readonly baseUrl: string | null;
}

/** The figures of a run: of its measured requests that ended well, unless a field says otherwise. */
export interface RunSummary {
  /** asked = ok + failed + aborted + unsent, always. */
  readonly counts: RequestCounts;
  /** failed / (ok + failed), 0 to 1; null when nothing ended. */
  readonly errorRate: number | null;
  readonly errors: Readonly<Record<string, number>>;
  /** First send to last end of the measured requests, s. */
  readonly durationS: number;
  readonly outputs: OutputSummary;
  readonly promptTokens: Distribution | null;
  readonly cachedPromptTokens: number | null;
  readonly latency: LatencySummary;
  readonly rates: RateSummary;
  readonly acceptance: AcceptanceSummary | null;
  /** Why there is no acceptance, in words; null when there is. */
  readonly acceptanceMissing: string | null;
}

/** Requests by what became of them. `unsent` were asked for and never sent; `warmup` ones are in none of the others. */
export interface RequestCounts {
  readonly asked: number;
  readonly ok: number;
  readonly failed: number;
  readonly aborted: number;
  readonly unsent: number;
  readonly warmup: number;
}

/** Percentiles by linear interpolation (type 7). Values missing from records are left out, never 0. */
export interface Distribution {
  readonly n: number;
  readonly min: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** How long outputs were, in tokens, and how they ended. */
export interface OutputSummary {
  readonly lengths: Distribution | null;
  /** Outputs with exactly the cap. */
  readonly reachedCap: number;
  readonly finishReasons: Readonly<Record<string, number>>;
  readonly tokenSource: string;
}

/** Milliseconds. */
export interface LatencySummary {
  readonly ttftMs: Distribution | null;
  /** (E2EL - TTFT) / (n - 1), requests with n >= 2. */
  readonly tpotMs: Distribution | null;
  /** Gaps between chunks that carry tokens. */
  readonly itlChunkMs: Distribution | null;
  /** Chunk gap divided by the tokens of the later chunk; null when chunks do not tell their tokens. */
  readonly itlTokenMs: Distribution | null;
  readonly e2elMs: Distribution | null;
}

/** Tokens or requests per second. */
export interface RateSummary {
  /** Per request with n >= 2, n / (stream end - first token): the ctxsweep convention. */
  readonly decodeCtxsweep: Distribution | null;
  /** Per request, (n - 1) / (E2EL - TTFT): the vllm convention. */
  readonly decodeVllm: Distribution | null;
  readonly outputTokensPerS: number | null;
  readonly totalTokensPerS: number | null;
  readonly requestsPerS: number | null;
}

/** Acceptance of the measured requests, and what clients got of it. */
export interface AcceptanceSummary extends Acceptance {
  /**
   * (G - R) / S: what the client got per decode step, G output tokens and R requests that produced one;
   * S = G - R - A where steps are not exposed. Null when it cannot be told.
   */
  readonly effectiveTokensPerStep: number | null;
}

/** A disagreement between what was asked and what was seen, or a broken invariant. */
export interface Finding {
  readonly severity: "breach" | "warning" | "note";
  /** Stable, for example `eos-not-ignored`. */
  readonly code: string;
  readonly message: string;
}
