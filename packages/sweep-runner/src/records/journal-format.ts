import type { BenchConfig } from "@onpar/bench-config";
import type { Acceptance } from "@onpar/metrics-client";
import { z } from "zod";
import type { RequestRecord } from "../record.ts";
import type { ClientCheck } from "../result.ts";
import { packChunks } from "./chunk-series.ts";

export const RECORDS_SCHEMA = "onpar.records/2";
/** Still read: chunks one by one, and nothing about repetitions, workers and plans. */
export const RECORDS_SCHEMA_1 = "onpar.records/1";

/** First line of a run in a records file. */
export interface JournalHeader {
  readonly type: "header";
  readonly schema: typeof RECORDS_SCHEMA | typeof RECORDS_SCHEMA_1;
  /** Unique to the run; several runs may stand in one file, one after the other. */
  readonly runId: string;
  /** ISO 8601, wall clock. */
  readonly startedAt: string;
  readonly tool: { readonly name: "onpar"; readonly version: string };
  /** As resolved. It holds no key: only the name of the variable that held it. */
  readonly config: BenchConfig;
  readonly host: HostFacts;
  /** Requests that were to be measured. */
  readonly asked: number;
}

/** The client's machine. */
export interface HostFacts {
  readonly node: string;
  readonly platform: string;
  readonly arch: string;
  readonly cpus: number;
  readonly cpuModel: string | null;
  readonly memoryBytes: number;
}

/** A run that was cut short goes on here; its records follow those that are there. */
export interface JournalResumed {
  readonly type: "resumed";
  readonly runId: string;
  readonly startedAt: string;
  readonly tool: { readonly name: "onpar"; readonly version: string };
  readonly host: HostFacts;
  /** Where the offsets of the records from here on begin, ns: after all that stand before. */
  readonly atNs: number;
}

/** Last line of a run. A run without it was killed. */
export interface JournalEnd {
  readonly type: "end";
  readonly runId: string;
  readonly interrupted: boolean;
  /** Records that were written since the header, or since the run went on. */
  readonly records: number;
  readonly facts?: RunFacts;
}

/** What figures need and records do not hold, so that a records file is enough to compute a result again. */
export interface RunFacts {
  /** Requests that the run was to measure in the end: under a limited duration, those that came due. */
  readonly asked: number;
  /** Output cap, tokens. */
  readonly cap: number;
  /** Requests that the closed loop kept in flight; null for an open load. */
  readonly concurrency: number | null;
  readonly acceptance: Acceptance | null;
  readonly acceptanceMissing: string | null;
  readonly client: ClientCheck | null;
}

/** One run of a records file. */
export interface JournalRun {
  readonly header: JournalHeader;
  readonly records: readonly RequestRecord[];
  /** Null when the run was killed before it could say that it ended. */
  readonly end: JournalEnd | null;
  /** The last line of the run, or the last one before it went on, was cut off in the middle and left out. */
  readonly torn: boolean;
}

const count = z.number().int();
const nullableCount = count.nullable();
const acceptanceSchema = z.looseObject({
  verifySteps: nullableCount,
  draftTokens: count,
  acceptedTokens: count,
  acceptedPerPosition: z.array(count).nullable(),
});

const usageSchema = {
  promptTokens: nullableCount,
  completionTokens: nullableCount,
  cachedPromptTokens: nullableCount,
};

/** What the lines of both versions hold. */
const commonFields = {
  type: z.literal("request"),
  id: z.string(),
  promptId: z.string(),
  phase: z.enum(["warmup", "measure"]),
  scheduledNs: z.number(),
  sentNs: z.number().nullable(),
  headersNs: z.number().nullable(),
  endNs: z.number(),
  status: nullableCount,
  finish: z.looseObject({ raw: z.string().nullable(), reason: z.string() }),
  outputTokens: nullableCount,
  tokenSource: z.enum(["usage", "token-ids", "tokenizer", "unknown"]),
  textSha256: z.string().nullable(),
  textBytes: count,
  requestSha256: z.string(),
  connection: z.enum(["new", "reused"]).nullable(),
  acceptance: acceptanceSchema.nullable(),
  firstEosIndex: nullableCount,
  error: z.looseObject({ kind: z.string(), message: z.string() }).nullable(),
};

/** What a reader relies on; fields that later versions add pass through. */
export const recordSchema = z
  .looseObject({
    ...commonFields,
    state: z.enum(["ok", "failed", "dropped", "aborted"]),
    repetition: count,
    turn: z.looseObject({ conversation: z.string(), index: count }).nullable(),
    worker: count,
    connectNs: z.number().nullable(),
    chunks: z.looseObject({
      kinds: z.string(),
      gapsNs: z.array(z.number()),
      bytes: z.array(z.number()),
      tokens: z.array(z.number().nullable()).nullable(),
    }),
    attempts: count,
    retries: count.optional(),
    retryAfterS: z.number().nullable(),
    plannedPromptTokens: nullableCount,
    plannedOutputTokens: nullableCount,
    usage: z.looseObject({ ...usageSchema, reasoningTokens: nullableCount }).nullable(),
  })
  .refine(({ chunks: { kinds, gapsNs, bytes, tokens } }) => {
    const columns = [gapsNs.length, bytes.length, ...(tokens === null ? [] : [tokens.length])];
    return columns.every((length) => length === kinds.length);
  }, "the columns of the chunks differ in length");

const KINDS = ["role", "reasoning", "content", "tool", "usage", "finish", "error", "done", "empty"] as const;

/** A line of {@link RECORDS_SCHEMA_1}, as the record that it would be today. */
export const record1Schema = z
  .looseObject({
    ...commonFields,
    state: z.enum(["ok", "failed", "aborted"]),
    chunks: z.array(z.tuple([z.number(), z.enum(KINDS), z.number(), z.number().nullable()])),
    usage: z.looseObject(usageSchema).nullable(),
  })
  .transform(({ chunks, usage, ...line }) => ({
    ...line,
    repetition: 0,
    turn: null,
    worker: 0,
    connectNs: null,
    chunks: packChunks(chunks),
    attempts: line.sentNs === null ? 0 : 1,
    retryAfterS: null,
    plannedPromptTokens: null,
    plannedOutputTokens: null,
    usage: usage === null ? null : { ...usage, reasoningTokens: null },
  }));

export const headerSchema = z.looseObject({
  type: z.literal("header"),
  schema: z.enum([RECORDS_SCHEMA, RECORDS_SCHEMA_1]),
  runId: z.string(),
  startedAt: z.string(),
  asked: count,
});

export const resumedSchema = z.looseObject({
  type: z.literal("resumed"),
  runId: z.string(),
  startedAt: z.string(),
  atNs: z.number(),
});

export const endSchema = z.looseObject({
  type: z.literal("end"),
  runId: z.string(),
  interrupted: z.boolean(),
  records: count,
});
