import {
  array,
  assert,
  asyncProperty,
  boolean,
  constantFrom,
  integer,
  property,
  record as recordOf,
  uuid,
  type Arbitrary,
} from "fast-check";
import { describe, expect, test } from "vitest";
import { distribution } from "../src/figures/percentiles.ts";
import {
  clientQueueMs,
  decodeRateCtxsweep,
  decodeRateVllm,
  e2elFromScheduleMs,
  e2elMs,
  itlChunkGapsMs,
  timeToFirstAnswerMs,
  tpotVllmMs,
  ttftFromScheduleMs,
  ttftMs,
} from "../src/figures/request-figures.ts";
import { summarize, summarizeFigures } from "../src/figures/summarize.ts";
import { readRecords, scanRecords } from "../src/records/read-records.ts";
import { openJournal } from "../src/records/journal.ts";
import { RECORDS_SCHEMA } from "../src/records/journal-format.ts";
import { hostFacts } from "../src/records/host-facts.ts";
import type { ChunkMark, RequestRecord } from "../src/record.ts";
import type { Distribution } from "../src/result.ts";
import { RunTally } from "../src/run-tally.ts";
import { config } from "./support/config.ts";
import { record } from "./support/records.ts";
import { startBenchServer } from "./support/bench-server.ts";
import { run, withFolder } from "./support/run.ts";

const rule = { name: "eos", cap: 8, stop: [], requested: { ignoreEos: false }, sent: {} } as const;

const anyRecord: Arbitrary<RequestRecord> = recordOf({
  state: constantFrom("ok", "ok", "ok", "failed", "dropped", "aborted"),
  phase: constantFrom("measure", "measure", "measure", "warmup"),
  scheduledNs: integer({ min: 0, max: 1e9 }),
  waitNs: integer({ min: 0, max: 1e8 }),
  gapsNs: array(integer({ min: 0, max: 5e7 }), { minLength: 1, maxLength: 8 }),
  role: boolean(),
  reasoning: boolean(),
  usage: boolean(),
}).map(({ state, phase, scheduledNs, waitNs, gapsNs, role, reasoning, usage }) => {
  const wasSent = state !== "dropped";
  const sentNs = wasSent ? scheduledNs + waitNs : null;
  let atNs = scheduledNs + waitNs;
  const chunks = (wasSent ? gapsNs : []).map((gap, index): ChunkMark => {
    atNs += gap;
    if (role && index === 0) return [atNs, "role", 0, null];
    return [atNs, reasoning && index < 3 ? "reasoning" : "content", 3, null];
  });
  return record({
    state,
    phase,
    scheduledNs,
    sentNs,
    endNs: atNs,
    chunks,
    outputTokens: usage ? chunks.length : null,
    tokenSource: usage ? "usage" : "unknown",
    error: state === "failed" ? { kind: "http", message: "HTTP 500" } : null,
  });
});

const FIGURES = ["n", "min", "mean", "p50", "p90", "p95", "p99", "max"] as const;

/** How far two distributions are apart, relatively; both ways add in another order. */
function apart(a: Distribution | null, b: Distribution | null): number {
  if (a === null || b === null) return a === b ? 0 : Infinity;
  return Math.max(...FIGURES.map((name) => Math.abs(a[name] - b[name]) / (1 + Math.abs(b[name]))));
}

describe("what a run keeps of its records", () => {
  test("gives the figures that formulas over all records give", () => {
    assert(
      property(array(anyRecord, { maxLength: 40 }), (records) => {
        const tally = new RunTally({ rule });
        for (const one of records) tally.add(one);
        const { latency, rates, counts } = summarizeFigures(tally.figures, {
          asked: records.length,
          cap: 8,
          acceptance: null,
          acceptanceMissing: null,
        });
        const ok = records.filter(({ phase, state }) => phase === "measure" && state === "ok");
        const plain = (figure: (one: RequestRecord) => number | null) =>
          distribution(ok.map(figure).filter((value) => value !== null));
        expect(counts.ok).toBe(ok.length);
        expect(tally.ok).toBe(ok.length);
        const named = [
          [latency.ttftMs, ttftMs],
          [latency.firstAnswerMs, timeToFirstAnswerMs],
          [latency.e2elMs, e2elMs],
          [latency.tpotMs, tpotVllmMs],
          [latency.queueMs, clientQueueMs],
          [latency.ttftFromScheduleMs, ttftFromScheduleMs],
          [latency.e2elFromScheduleMs, e2elFromScheduleMs],
          [rates.decodeCtxsweep, decodeRateCtxsweep],
          [rates.decodeVllm, decodeRateVllm],
        ] as const;
        expect(Math.max(...named.map(([seen, figure]) => apart(seen, plain(figure))))).toBeLessThan(1e-9);
        expect(latency.itlChunkMs).toEqual(distribution(ok.flatMap(itlChunkGapsMs)));
      }),
    );
  });

  test("a records file read line by line tells what the list of its records tells", async () => {
    await withFolder(async (folder) => {
      await assert(
        asyncProperty(array(anyRecord, { maxLength: 20 }), uuid(), async (records, name) => {
          const path = `${folder}/${name}.jsonl`;
          const journal = await openJournal(path, () => {}, { fsync: "end" });
          await journal.begin({
            schema: RECORDS_SCHEMA,
            startedAt: "2026-01-01T00:00:00.000Z",
            tool: { name: "onpar", version: "0" },
            config: config("http://127.0.0.1:1"),
            host: hostFacts(),
            asked: records.length,
          });
          for (const one of records) journal.append(one);
          await journal.finish(false);
          await journal.release();
          const context = { asked: records.length, cap: 8, acceptance: null, acceptanceMissing: null };
          const tally = new RunTally({ rule });
          await scanRecords(path, { record: (one) => tally.add(one) });
          expect(summarizeFigures(tally.figures, context)).toEqual(summarize(records, context));
          expect((await readRecords(path))[0]?.records).toEqual(records);
        }),
        { numRuns: 20 },
      );
    });
  });

  test("the records file of a run holds all that its summary is made of", async () => {
    const server = await startBenchServer();
    try {
      await withFolder(async (folder) => {
        const output = `${folder}/run.jsonl`;
        const { summary } = await run(config(server.url, { numPrompts: 12, concurrency: 3, output }));
        const [kept] = await readRecords(output);
        const facts = kept?.end?.facts;
        if (kept === undefined || facts === undefined) throw new Error("no facts in the last line");
        expect(summarize(kept.records, facts)).toEqual(summary);
        expect(summary.client).toMatchObject({ scheduleErrorMs: null, limits: expect.any(Array) as unknown });
      });
    } finally {
      await server.close();
    }
  });
});
