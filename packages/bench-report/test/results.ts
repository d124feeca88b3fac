import { benchConfigSchema, type ResolvedProtocol } from "@onpar/bench-config";
import { packChunks, RUN_SCHEMA } from "@onpar/sweep-runner";
import type { Distribution, RequestRecord, RunResult, RunSummary } from "@onpar/sweep-runner";

/** Hand-made results: the numbers agree with each other, and were never measured. */

export function spread(n: number, min: number, max: number): Distribution {
  const at = (share: number) => min + (max - min) * share;
  return { n, min, mean: at(0.52), p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), max };
}

function flat(n: number, value: number): Distribution {
  return { n, min: value, mean: value, p50: value, p90: value, p95: value, p99: value, max: value };
}

const protocol: ResolvedProtocol = {
  model: { requested: null, resolved: "acme/target-9b" },
  endpoint: "completions",
  template: {
    requested: { skipChatTemplate: true, chatTemplate: null },
    mode: "none",
    source: null,
    sha256: null,
    kwargs: {},
  },
  stoppingRule: {
    name: "ignore-eos",
    cap: 128,
    stop: [],
    requested: { ignoreEos: true },
    sent: { ignore_eos: true, max_tokens: 128 },
  },
  sampling: {
    temperature: 0,
    topP: 1,
    topK: -1,
    minP: 0,
    repetitionPenalty: 1,
    presencePenalty: 0,
    frequencyPenalty: 0,
    seed: 0,
  },
  workload: { source: "generated", sha256: "4f2a".padEnd(64, "0"), prompts: 50 },
  load: { kind: "closed-loop", concurrency: 4, warmupRequests: 1 },
  speculation: { draftBudget: 5, observed: true },
};

const noLatency = {
  firstAnswerMs: null,
  ttftFromScheduleMs: null,
  e2elFromScheduleMs: null,
  queueMs: null,
  connectMs: null,
};

const noRates = { peakOutputTokensPerS: null, prefill: null, prefillUncached: null };

const summary: RunSummary = {
  counts: { asked: 50, ok: 50, failed: 0, dropped: 0, aborted: 0, unsent: 0, warmup: 1 },
  errorRate: 0,
  errors: {},
  statuses: {},
  resent: 0,
  cacheHitRate: 0,
  meanConcurrency: 3.9,
  steady: null,
  steadyMissing: "the run was too short",
  goodput: null,
  spread: null,
  client: null,
  durationS: 42.125,
  outputs: {
    lengths: flat(50, 128),
    reachedCap: 50,
    finishReasons: { length: 50 },
    tokenSource: "usage",
    reasoningTokens: null,
  },
  promptTokens: flat(50, 512),
  cachedPromptTokens: 0,
  latency: {
    ttftMs: spread(50, 81.25, 140.5),
    tpotMs: spread(50, 22.5, 31.125),
    itlChunkMs: spread(2150, 40.5, 310.75),
    itlTokenMs: null,
    e2elMs: spread(50, 3001, 4100.5),
    ...noLatency,
    queueMs: spread(50, 0, 1.5),
  },
  rates: {
    decodeCtxsweep: spread(50, 31.5, 44.25),
    decodeVllm: spread(50, 31.25, 43.9),
    outputTokensPerS: 151.9,
    totalTokensPerS: 759.5,
    requestsPerS: 1.187,
    ...noRates,
  },
  acceptance: {
    verifySteps: 2100,
    draftTokens: 10_500,
    acceptedTokens: 4250,
    acceptedPerPosition: [1500, 1100, 800, 500, 350],
    rate: 4250 / 10_500,
    meanAcceptanceLength: 1 + 4250 / 2100,
    perPositionRate: [1500 / 2100, 1100 / 2100, 800 / 2100, 500 / 2100, 350 / 2100],
    source: "metrics-delta",
    effectiveTokensPerStep: 3.0238,
  },
  acceptanceMissing: null,
};

export interface Changes {
  readonly protocol?: Partial<ResolvedProtocol>;
  readonly summary?: Partial<RunSummary>;
  readonly result?: Partial<RunResult>;
}

/** EOS ignored, everything well. */
export function result(changes: Changes = {}): RunResult {
  return {
    schema: RUN_SCHEMA,
    tool: { name: "onpar", version: "0.1.0" },
    startedAt: "2026-03-01T10:00:00.000Z",
    interrupted: false,
    config: benchConfigSchema.parse({}),
    protocol: { ...protocol, ...changes.protocol },
    system: { engine: "vllm", version: "0.14.1", baseUrl: "http://127.0.0.1:8000" },
    summary: { ...summary, ...changes.summary },
    findings: [],
    recordsPath: "records.jsonl",
    ...changes.result,
  };
}

/** The same run with EOS honoured: shorter outputs, lower acceptance. */
export function eosResult(): RunResult {
  return result({
    protocol: {
      stoppingRule: {
        name: "eos",
        cap: 256,
        stop: ["\n\n"],
        requested: { ignoreEos: false },
        sent: { ignore_eos: false, max_tokens: 256, stop: ["\n\n"] },
      },
      template: {
        requested: { skipChatTemplate: false, chatTemplate: "./chat.jinja" },
        mode: "client-side",
        source: "./chat.jinja",
        sha256: "9b1c".padEnd(64, "0"),
        kwargs: { enable_thinking: false },
      },
    },
    summary: {
      outputs: {
        lengths: spread(50, 20, 256),
        reachedCap: 2,
        finishReasons: { length: 2, stop: 48 },
        tokenSource: "usage",
        reasoningTokens: null,
      },
      acceptance: {
        verifySteps: 1000,
        draftTokens: 5000,
        acceptedTokens: 1500,
        acceptedPerPosition: null,
        rate: 0.3,
        meanAcceptanceLength: 2.5,
        perPositionRate: null,
        source: "metrics-delta",
        effectiveTokensPerStep: null,
      },
      rates: { ...summary.rates, decodeCtxsweep: spread(50, 28.5, 40.25) },
    },
    result: {
      findings: [
        { severity: "note", code: "tokenizer-unknown", message: "The server does not name its tokenizer." },
      ],
    },
  });
}

/** Every request refused. */
export function failedResult(): RunResult {
  return result({
    protocol: { speculation: { draftBudget: null, observed: null } },
    summary: {
      counts: { asked: 50, ok: 0, failed: 50, dropped: 0, aborted: 0, unsent: 0, warmup: 1 },
      errorRate: 1,
      errors: { "http 503: no capacity": 47, "transport: connection reset by peer": 3 },
      durationS: 1.5,
      outputs: {
        lengths: null,
        reachedCap: 0,
        finishReasons: {},
        tokenSource: "unknown",
        reasoningTokens: null,
      },
      promptTokens: null,
      cachedPromptTokens: null,
      latency: { ttftMs: null, tpotMs: null, itlChunkMs: null, itlTokenMs: null, e2elMs: null, ...noLatency },
      rates: {
        decodeCtxsweep: null,
        decodeVllm: null,
        outputTokensPerS: null,
        totalTokensPerS: null,
        requestsPerS: null,
        ...noRates,
      },
      acceptance: null,
      acceptanceMissing: "no request ended well",
    },
    result: {
      findings: [
        {
          severity: "warning",
          code: "requests-failed",
          message: "50 of 50 requests failed and are in no latency and no rate.",
        },
      ],
      recordsPath: null,
      system: { engine: null, version: null, baseUrl: "http://127.0.0.1:8000" },
    },
  });
}

/** Stopped by hand after 7 of 50; too few values for tail percentiles. */
export function interruptedResult(more: Partial<RunSummary> = {}): RunResult {
  return result({
    summary: {
      ...more,
      counts: { asked: 50, ok: 7, failed: 1, dropped: 0, aborted: 4, unsent: 38, warmup: 1 },
      errorRate: 1 / 8,
      errors: { "timeout: no answer within 600 s": 1 },
      outputs: {
        lengths: flat(7, 128),
        reachedCap: 7,
        finishReasons: { length: 7 },
        tokenSource: "usage",
        reasoningTokens: null,
      },
      latency: {
        ttftMs: spread(7, 81.25, 140.5),
        tpotMs: spread(7, 22.5, 31.125),
        itlChunkMs: spread(301, 40.5, 310.75),
        itlTokenMs: spread(301, 8.5, 62.75),
        e2elMs: spread(7, 3001, 4100.5),
        ...noLatency,
      },
      rates: {
        decodeCtxsweep: spread(7, 31.5, 44.25),
        decodeVllm: spread(7, 31.25, 43.9),
        outputTokensPerS: 148.2,
        totalTokensPerS: 741,
        requestsPerS: 1.158,
        ...noRates,
      },
    },
    result: { interrupted: true },
  });
}

/** An in-process run without a draft. */
export function noAcceptanceResult(): RunResult {
  return result({
    protocol: {
      endpoint: "engine",
      model: { requested: "target.gguf", resolved: "target.gguf" },
      speculation: { draftBudget: null, observed: false },
    },
    summary: { acceptance: null, acceptanceMissing: "the engine has no draft model" },
    result: {
      config: benchConfigSchema.parse({
        target: { endpoint: "engine" },
        engine: { modelPath: "target.gguf", threads: 2 },
      }),
      system: { engine: "llama.cpp", version: "b7000", baseUrl: null },
    },
  });
}

/** The server dropped `ignore_eos`. */
export function breachResult(): RunResult {
  return result({
    summary: {
      outputs: {
        lengths: spread(50, 11, 128),
        reachedCap: 9,
        finishReasons: { stop: 41, length: 9 },
        tokenSource: "usage",
        reasoningTokens: null,
      },
    },
    result: {
      findings: [
        {
          severity: "note",
          code: "foreign-traffic-unknown",
          message: "The server does not count its requests.",
        },
        {
          severity: "warning",
          code: "client-busy",
          message: "The event loop of this client was late by up to 30 ms.",
        },
        {
          severity: "breach",
          code: "eos-not-ignored",
          message:
            "41 of 50 outputs ended before the cap of 128 tokens with finish reason stop although ignore_eos=true was sent: the server did not obey.",
        },
      ],
    },
  });
}

export function record(changes: Partial<RequestRecord> = {}): RequestRecord {
  return {
    type: "request",
    id: "measure-0",
    promptId: "prompt-0",
    phase: "measure",
    state: "ok",
    repetition: 0,
    turn: null,
    worker: 0,
    scheduledNs: 0,
    sentNs: 1000,
    connectNs: null,
    headersNs: 2000,
    chunks: packChunks([[90_000_000, "content", 12, 3]]),
    endNs: 900_000_000,
    attempts: 1,
    status: 200,
    retryAfterS: null,
    plannedPromptTokens: null,
    plannedOutputTokens: null,
    finish: { raw: "stop", reason: "stop" },
    usage: { promptTokens: 33, completionTokens: 40, cachedPromptTokens: 16, reasoningTokens: null },
    outputTokens: 40,
    tokenSource: "usage",
    textSha256: null,
    textBytes: 120,
    requestSha256: "00".repeat(32),
    connection: "new",
    acceptance: null,
    firstEosIndex: null,
    error: null,
    ...changes,
  };
}
