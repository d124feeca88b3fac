import type { BenchConfig } from "@onpar/bench-config";
import { z } from "zod";
import type { RequestRecord } from "./record.ts";

export const RECORDS_SCHEMA = "onpar.records/1";

/** First line of a run in a records file. */
export interface JournalHeader {
  readonly type: "header";
  readonly schema: typeof RECORDS_SCHEMA;
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

/** Last line of a run. A run without it was killed. */
export interface JournalEnd {
  readonly type: "end";
  readonly runId: string;
  readonly interrupted: boolean;
  readonly records: number;
}

/** One run of a records file. */
export interface JournalRun {
  readonly header: JournalHeader;
  readonly records: readonly RequestRecord[];
  /** Null when the run was killed before it could say that it ended. */
  readonly end: JournalEnd | null;
  /** The last line of the run was cut off in the middle and left out. */
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

/** What a reader relies on; fields that later versions add pass through. */
export const recordSchema = z.looseObject({
  type: z.literal("request"),
  id: z.string(),
  promptId: z.string(),
  phase: z.enum(["warmup", "measure"]),
  state: z.enum(["ok", "failed", "aborted"]),
  scheduledNs: z.number(),
  sentNs: z.number().nullable(),
  headersNs: z.number().nullable(),
  chunks: z.array(z.tuple([z.number(), z.string(), z.number(), z.number().nullable()])),
  endNs: z.number(),
  status: nullableCount,
  finish: z.looseObject({ raw: z.string().nullable(), reason: z.string() }),
  usage: z
    .looseObject({
      promptTokens: nullableCount,
      completionTokens: nullableCount,
      cachedPromptTokens: nullableCount,
    })
    .nullable(),
  outputTokens: nullableCount,
  tokenSource: z.enum(["usage", "token-ids", "tokenizer", "unknown"]),
  textSha256: z.string().nullable(),
  textBytes: count,
  requestSha256: z.string(),
  connection: z.enum(["new", "reused"]).nullable(),
  acceptance: acceptanceSchema.nullable(),
  firstEosIndex: nullableCount,
  error: z.looseObject({ kind: z.string(), message: z.string() }).nullable(),
});

export const headerSchema = z.looseObject({
  type: z.literal("header"),
  schema: z.literal(RECORDS_SCHEMA),
  runId: z.string(),
  startedAt: z.string(),
  asked: count,
});

export const endSchema = z.looseObject({
  type: z.literal("end"),
  runId: z.string(),
  interrupted: z.boolean(),
  records: count,
});
