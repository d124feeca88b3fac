import type { BenchConfig, ResolvedProtocol } from "@onpar/bench-config";
import type { Acceptance } from "@onpar/metrics-client";
import type { HostFacts } from "./records/journal-format.ts";

export const RUN_SCHEMA = "onpar.run/2";

/** Everything a finished (or interrupted) run says about itself. Serialised as it is with `--json`. */
export interface RunResult {
  readonly schema: typeof RUN_SCHEMA;
  readonly tool: { readonly name: "onpar"; readonly version: string };
  /** ISO 8601, wall clock; for people only, never used in a figure. */
  readonly startedAt: string;
  readonly interrupted: boolean;
  readonly config: BenchConfig;
  readonly protocol: ResolvedProtocol;
  readonly system: SystemUnderTest;
  /** The client's machine; earlier versions left it out. */
  readonly host?: HostFacts | undefined;
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
  /** How an engine of this process runs, as it found it at load; absent for a server. */
  readonly inProcess?: EngineSetup | undefined;
}

/** What an engine of this process decides by itself, and figures hang on. */
export interface EngineSetup {
  /** Also where they were measured (`auto`); null when the engine does not tell. */
  readonly threads: number | null;
  /** `cuda`, `vulkan`, `metal`; `false` for the CPU alone, null when the engine does not tell. */
  readonly gpu: string | false | null;
  /** Null without speculation. */
  readonly draftLength: "fixed" | "adaptive" | null;
}

/** The figures of a run: of its measured requests that ended well, unless a field says otherwise. */
export interface RunSummary {
  readonly counts: RequestCounts;
  /** (failed + dropped) / (ok + failed + dropped), 0 to 1; null when nothing ended. */
  readonly errorRate: number | null;
  /** Failed requests by kind of error. */
  readonly errors: Readonly<Record<string, number>>;
  /** HTTP statuses of failed requests, as text: `429`, `503`. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests that went out more than once. */
  readonly resent: number;
  /** First send to last end of the measured requests, s; of several repetitions, the sum of theirs. */
  readonly durationS: number;
  readonly outputs: OutputSummary;
  readonly promptTokens: Distribution | null;
  readonly cachedPromptTokens: number | null;
  /** Prompt tokens from the prefix cache, as a share of all, 0 to 1; null when the server does not tell. */
  readonly cacheHitRate: number | null;
  readonly latency: LatencySummary;
  readonly rates: RateSummary;
  /** Requests in flight, mean over the duration: sum of (end - sent) / duration, failed ones included. */
  readonly meanConcurrency: number | null;
  readonly steady: SteadyWindow | null;
  /** Why there is no steady window, in words; null when there is. */
  readonly steadyMissing: string | null;
  /** Null when no service level was asked for. */
  readonly goodput: GoodputSummary | null;
  /** Spread over repetitions and boots; null when there was one of each. */
  readonly spread: SpreadSummary | null;
  /** How the client itself did; null in process. */
  readonly client: ClientCheck | null;
  readonly acceptance: AcceptanceSummary | null;
  /** Why there is no acceptance, in words; null when there is. */
  readonly acceptanceMissing: string | null;
}

/**
 * Requests by what became of them: asked = ok + failed + dropped + aborted + unsent, always. `unsent` had not come due
 * when a run was cut short, so that nothing was recorded of them; it is 0 in a run that came to its end. `warmup` ones are
 * in none of the others.
 */
export interface RequestCounts {
  readonly asked: number;
  readonly ok: number;
  readonly failed: number;
  readonly dropped: number;
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
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
  /** Confidence of the figures above; only where it was asked for and there are values enough. */
  readonly ci?: DistributionIntervals;
  /** Largest relative error of the percentiles; only where there were too many values to keep each of them. */
  readonly relativeError?: number;
  /** Only where it was looked for. */
  readonly modality?: Modality;
}

/** Lower and upper end of a confidence interval. */
export type Interval = readonly [low: number, high: number];

/** Percentile intervals of a seeded bootstrap over requests. */
export interface DistributionIntervals {
  /** 0.95 */
  readonly level: number;
  readonly mean: Interval;
  readonly p50: Interval;
  readonly p90: Interval;
  readonly p95: Interval;
  readonly p99: Interval;
}

/** Whether values gather around more than one place: Hartigan's dip test. Then one median describes nobody. */
export interface Modality {
  readonly dip: number;
  /** Probability of such a dip in values with one mode. */
  readonly p: number;
  readonly multimodal: boolean;
}

/** How long outputs were, in tokens, and how they ended. */
export interface OutputSummary {
  readonly lengths: Distribution | null;
  /** Outputs with exactly the cap. */
  readonly reachedCap: number;
  readonly finishReasons: Readonly<Record<string, number>>;
  readonly tokenSource: string;
  /** Sum over requests, inside their output tokens; null when no answer tells. */
  readonly reasoningTokens: number | null;
}

/** Milliseconds. */
export interface LatencySummary {
  readonly ttftMs: Distribution | null;
  /** First token of the answer, reasoning left out. */
  readonly firstAnswerMs: Distribution | null;
  /** (E2EL - TTFT) / (n - 1), requests with n >= 2. */
  readonly tpotMs: Distribution | null;
  /** Gaps between chunks that carry tokens. */
  readonly itlChunkMs: Distribution | null;
  /** Chunk gap divided by the tokens of the later chunk; null when chunks do not tell their tokens. */
  readonly itlTokenMs: Distribution | null;
  readonly e2elMs: Distribution | null;
  /** From the due time instead of from sending; the difference is {@link queueMs}. */
  readonly ttftFromScheduleMs: Distribution | null;
  readonly e2elFromScheduleMs: Distribution | null;
  /** How long requests waited in the client: sent minus due, opening a connection included. */
  readonly queueMs: Distribution | null;
  /** Opening of connections, of the requests that had to open one. */
  readonly connectMs: Distribution | null;
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
  /** Highest output rate over one second, counted in tokens; null when chunks do not tell their tokens. */
  readonly peakOutputTokensPerS: number | null;
  /** Prompt tokens / TTFT of requests that ran alone; null when none did. */
  readonly prefill: Distribution | null;
  /** The same without the tokens that came from the prefix cache; null where the server does not tell. */
  readonly prefillUncached: Distribution | null;
}

/**
 * From the moment the target concurrency is reached to the moment it is first lost for good. Tokens count where their chunk
 * arrives; where chunks do not tell, those of a request are spread evenly over its chunks.
 */
export interface SteadyWindow {
  /** s since the first send. */
  readonly startS: number;
  readonly endS: number;
  readonly durationS: number;
  /** Requests in flight that bound the window. */
  readonly concurrency: number;
  readonly outputTokensPerS: number | null;
  readonly totalTokensPerS: number | null;
  readonly requestsPerS: number;
  readonly completed: number;
}

/** Requests that met every service level; failed and dropped ones never do. */
export interface GoodputSummary {
  readonly slos: readonly SloResult[];
  /** Null, as the other figures, where every limit is one on the run. */
  readonly met: number | null;
  /** Of ok + failed + dropped, 0 to 1; null when nothing ended. */
  readonly share: number | null;
  readonly requestsPerS: number | null;
  readonly outputTokensPerS: number | null;
}

/** One service level, as it was written. */
export interface SloResult {
  readonly slo: string;
  /** Whether it is judged for each request or once, on a statistic of the run. */
  readonly scope: "request" | "run";
  /** Of {@link of}. */
  readonly met: number;
  /** Requests that ended (ok + failed + dropped), or 1 for the run. */
  readonly of: number;
  /** Requests that ended well and do not tell the figure; they count as missed. */
  readonly unknown: number;
  /** The statistic of the run, in the unit of the limit; null for levels per request. */
  readonly value: number | null;
}

/** Figures of the repetitions beside each other. */
export interface SpreadSummary {
  readonly repetitions: number;
  readonly boots: number;
  /** By name of the figure, for example `ttftMs.p50`. */
  readonly figures: Readonly<Record<string, SpreadFigure>>;
}

/** One figure over repetitions: its median, and the bootstrap over boots and the repetitions inside them. */
export interface SpreadFigure {
  /** In order of repetition; null where a repetition does not tell. */
  readonly values: readonly (number | null)[];
  readonly median: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** Standard deviation / mean; null for fewer than two values. */
  readonly cv: number | null;
  readonly ci: Interval | null;
}

/** How the client itself did during the measured phase. */
export interface ClientCheck {
  readonly eventLoopDelayMs: DelaySummary;
  /** Due times against the times at which requests were taken up while there was room for them; null in a closed loop. */
  readonly scheduleErrorMs: DelaySummary | null;
  /** CPU seconds per second and core that the client may use, of its busiest thread, 0 to 1; null when unknown. */
  readonly cpuShare: number | null;
  /** Bytes that arrived and waited to be read, or requests that waited for a socket, at most; null when unknown. */
  readonly socketBacklog: number | null;
  /** What was over its limit, in words; empty for a client that was not the bottleneck. */
  readonly limits: readonly string[];
  readonly clientBound: boolean;
}

export interface DelaySummary {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
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
