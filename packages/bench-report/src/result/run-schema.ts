import { benchConfigSchema } from "@onpar/bench-config";
import { RUN_SCHEMA, type RunResult } from "@onpar/sweep-runner";
import { z } from "zod";

const number = z.number();
const nullable = number.nullable();
const count = z.int();
const text = z.string().nullable();

const distribution = z
  .looseObject({
    n: count,
    min: number,
    mean: number,
    p50: number,
    p90: number,
    p95: number,
    p99: number,
    max: number,
    ci: z.looseObject({ level: number, p50: z.tuple([number, number]) }).optional(),
    relativeError: number.optional(),
    modality: z.looseObject({ dip: number, p: number, multimodal: z.boolean() }).optional(),
  })
  .nullable();

const spread = z
  .looseObject({
    repetitions: count,
    boots: count,
    figures: z.record(
      z.string(),
      z.looseObject({
        values: z.array(nullable),
        median: nullable,
        min: nullable,
        max: nullable,
        cv: nullable,
        ci: z.tuple([number, number]).nullable(),
      }),
    ),
  })
  .nullable();

const goodput = z
  .looseObject({
    slos: z.array(
      z.looseObject({
        slo: z.string(),
        scope: z.enum(["request", "run"]),
        met: count,
        of: count,
        unknown: count,
        value: nullable,
      }),
    ),
    met: nullable,
    share: nullable,
    requestsPerS: nullable,
    outputTokensPerS: nullable,
  })
  .nullable();

const delays = z.looseObject({ p50Ms: number, p99Ms: number, maxMs: number });

const client = z
  .looseObject({
    eventLoopDelayMs: delays,
    scheduleErrorMs: delays.nullable(),
    cpuShare: nullable,
    socketBacklog: nullable,
    limits: z.array(z.string()),
    clientBound: z.boolean(),
  })
  .nullable();

const acceptance = z
  .looseObject({
    verifySteps: count.nullable(),
    draftTokens: count,
    acceptedTokens: count,
    acceptedPerPosition: z.array(count).nullable(),
    rate: nullable,
    meanAcceptanceLength: nullable,
    perPositionRate: z.array(number).nullable(),
    source: z.string(),
    effectiveTokensPerStep: nullable,
  })
  .nullable();

const steady = z
  .looseObject({
    startS: number,
    endS: number,
    durationS: number,
    concurrency: number,
    outputTokensPerS: nullable,
    totalTokensPerS: nullable,
    requestsPerS: number,
    completed: count,
  })
  .nullable();

const tally = z.record(z.string(), count);

const summary = z.looseObject({
  counts: z.looseObject({
    asked: count,
    ok: count,
    failed: count,
    dropped: count,
    aborted: count,
    unsent: count,
    warmup: count,
  }),
  errorRate: nullable,
  errors: tally,
  statuses: tally,
  resent: count,
  durationS: number,
  outputs: z.looseObject({
    lengths: distribution,
    reachedCap: count,
    finishReasons: tally,
    tokenSource: z.string(),
    reasoningTokens: nullable,
  }),
  promptTokens: distribution,
  cachedPromptTokens: nullable,
  cacheHitRate: nullable,
  latency: z.looseObject({
    ttftMs: distribution,
    firstAnswerMs: distribution,
    tpotMs: distribution,
    itlChunkMs: distribution,
    itlTokenMs: distribution,
    e2elMs: distribution,
    ttftFromScheduleMs: distribution,
    e2elFromScheduleMs: distribution,
    queueMs: distribution,
    connectMs: distribution,
  }),
  rates: z.looseObject({
    decodeCtxsweep: distribution,
    decodeVllm: distribution,
    outputTokensPerS: nullable,
    totalTokensPerS: nullable,
    requestsPerS: nullable,
    peakOutputTokensPerS: nullable,
    prefill: distribution,
    prefillUncached: distribution,
  }),
  meanConcurrency: nullable,
  steady,
  steadyMissing: text,
  goodput,
  spread,
  client,
  acceptance,
  acceptanceMissing: text,
});

const protocol = z.looseObject({
  model: z.looseObject({ requested: text, resolved: text }),
  endpoint: z.string(),
  template: z.looseObject({
    requested: z.looseObject({ skipChatTemplate: z.boolean(), chatTemplate: text }),
    mode: z.enum(["none", "client-side", "server-side"]),
    source: text,
    sha256: text,
    kwargs: z.record(z.string(), z.json()),
  }),
  stoppingRule: z.looseObject({
    name: z.enum(["eos", "ignore-eos", "fixed"]),
    cap: count,
    stop: z.array(z.string()),
    requested: z.looseObject({ ignoreEos: z.boolean() }),
    sent: z.record(z.string(), z.json()),
  }),
  sampling: z.looseObject({ temperature: number, seed: number }),
  workload: z.looseObject({ source: z.string(), sha256: z.string(), prompts: count }),
  load: z.looseObject({ kind: z.string(), concurrency: nullable, warmupRequests: count }),
  speculation: z.looseObject({ draftBudget: nullable, observed: z.boolean().nullable() }),
});

/**
 * What a reader of a run's result relies on; fields that later versions add pass through. The configuration is that of
 * bench-config, whole.
 */
export const runSchema = z.looseObject({
  schema: z.literal(RUN_SCHEMA),
  tool: z.looseObject({ name: z.literal("onpar"), version: z.string() }),
  startedAt: z.string().describe("ISO 8601, wall clock; for people only"),
  interrupted: z.boolean(),
  config: benchConfigSchema,
  protocol,
  system: z.looseObject({ engine: text, version: text, baseUrl: text }),
  host: z
    .looseObject({
      node: z.string(),
      platform: z.string(),
      arch: z.string(),
      cpus: count,
      cpuModel: text,
      memoryBytes: number,
    })
    .optional(),
  summary,
  findings: z.array(
    z.looseObject({
      severity: z.enum(["breach", "warning", "note"]),
      code: z.string(),
      message: z.string(),
    }),
  ),
  recordsPath: text,
});

/** Whether a value is a run's result, as far as anything here reads it. */
export function isRun(value: unknown): value is RunResult {
  return runSchema.safeParse(value).success;
}

/** The JSON Schema (draft 2020-12) of a run's result, as `onpar run --output-json` writes it. */
export function runJsonSchema(): Readonly<Record<string, unknown>> {
  return z.toJSONSchema(runSchema, { io: "input", unrepresentable: "any" });
}
