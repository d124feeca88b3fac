import { describe, expect, it } from "vitest";
import { aggregateRate, concurrencyRow } from "../../src/ladders/concurrency-row.ts";
import { contextRow } from "../../src/ladders/context-row.ts";
import { ladderCsv } from "../../src/ladders/ladder-csv.ts";
import { rungAcceptance } from "../../src/ladders/row-figures.ts";
import { fileStem } from "../../src/ladders/rung.ts";
import type { RequestRecord } from "../../src/record.ts";
import type { RunResult } from "../../src/result.ts";
import type { StepLine } from "../../src/sweep/sweep-journal.ts";
import { run } from "../support/run.ts";
import { chunksAt, record } from "../support/records.ts";
import { startBenchServer } from "../support/bench-server.ts";
import { config } from "../support/config.ts";

const MS = 1e6;
const length = { raw: "length", reason: "length" } as const;

/** A request with so many tokens, the first after `ttft` ms, one each 10 ms. */
function request(
  startMs: number,
  ttft: number,
  tokens: number,
  changes: Partial<RequestRecord> = {},
): RequestRecord {
  const first = startMs + ttft;
  const { chunks, ...rest } = record({
    scheduledNs: startMs * MS,
    sentNs: startMs * MS,
    endNs: (first + tokens * 10) * MS,
    outputTokens: tokens,
    textBytes: tokens * 4,
    finish: length,
    usage: { promptTokens: 500, completionTokens: tokens, cachedPromptTokens: null, reasoningTokens: null },
    chunks: chunksAt(...Array.from({ length: tokens }, (_, index) => [first + index * 10, 1] as const)),
  });
  return { ...rest, chunks, ...changes };
}

/** A real result, whose acceptance a test replaces. */
async function resultWith(counts: { V: number; D: number; A: number } | null): Promise<RunResult> {
  const server = await startBenchServer();
  const result = await run(config(server.url, { numPrompts: 1 }));
  await server.close();
  const acceptance =
    counts === null
      ? null
      : {
          verifySteps: counts.V,
          draftTokens: counts.D,
          acceptedTokens: counts.A,
          acceptedPerPosition: null,
          rate: counts.A / counts.D,
          meanAcceptanceLength: 1 + counts.A / counts.V,
          perPositionRate: null,
          source: "per-request" as const,
          effectiveTokensPerStep: null,
        };
  return { ...result, summary: { ...result.summary, acceptance } };
}

describe("a rung of the context ladder", () => {
  it("has the comparator's figures: cold and warm TTFT, prefill by the cold one, the median decode rate", async () => {
    const result = await resultWith({ V: 10, D: 50, A: 20 });
    const row = contextRow({
      records: [request(3000, 20, 40), request(0, 200, 20), request(1000, 30, 20), request(2000, 30, 40)],
      result,
      contextTarget: 480,
      contextTokens: 478,
      promptBytes: 2000,
      draftBudget: 5,
    });
    expect(row).toMatchObject({
      coldTtftS: 0.2,
      warmTtftS: 0.02,
      prefillTokensPerS: 2500,
      prefillBytesPerS: 10_000,
      outputTokens: [20, 20, 40],
      finishReasons: { length: 3 },
      reps: 3,
      ok: 4,
      failed: 0,
      acceptedPerPass: 3,
      saturation: 0.5,
      model: result.protocol.model.resolved,
    });
    expect(row.model).not.toBeNull();
    // n / (stream end - TTFT) = 20 / 0.2 s.
    expect(row.decodeTokensPerS).toBeCloseTo(100);
    expect(row.decodeBytesPerS).toBeCloseTo(400);
  });

  it("keeps failed and short outputs out of its rates, and says so", async () => {
    const result = await resultWith(null);
    const failed = request(0, 10, 20, { state: "failed" });
    const row = contextRow({
      records: [failed, request(1000, 30, 4), request(2000, 30, 20), request(3000, 5, 20)],
      result,
      contextTarget: 1,
      contextTokens: null,
      promptBytes: 1,
      draftBudget: null,
    });
    // Nothing cold ended well: nothing is made up for it.
    expect(row).toMatchObject({
      coldTtftS: null,
      prefillTokensPerS: null,
      failed: 1,
      shortDropped: 1,
      acceptedPerPass: null,
    });
    expect(row.decodeTokensPerS).toBeCloseTo(100);
  });
});

describe("a rung of the concurrency ladder", () => {
  it("has all tokens over the time from the first start to the last end", async () => {
    const records = [request(0, 100, 20), request(5, 100, 40)];
    // From 0 to 5 + 100 + 400 ms.
    expect(aggregateRate(records)).toBeCloseTo(60 / 0.505);
    expect(aggregateRate([...records, request(0, 1, 5, { state: "failed" })])).toBeNull();
    const result = await resultWith({ V: 10, D: 50, A: 20 });
    const other = await resultWith({ V: 30, D: 150, A: 20 });
    const row = concurrencyRow(
      2,
      [
        { records, result },
        { records: [request(0, 300, 20), request(0, 100, 20)], result: other },
      ],
      5,
    );
    expect(row).toMatchObject({ streams: 2, reps: 2, ok: 4, ttftMedianS: 0.1, outputTokensTotal: 100 });
    expect(row.outputTokens).toEqual({ min: 20, p50: 20, max: 40 });
    // Ratios of sums: 1 + 40/40.
    expect(row.acceptedPerPass).toBe(2);
    expect(row.acceptanceRate).toBe(0.2);
  });

  it("has no acceptance where one of its runs has none", async () => {
    expect(
      rungAcceptance([await resultWith({ V: 1, D: 5, A: 1 }), await resultWith(null)], 5).acceptanceRate,
    ).toBeNull();
  });
});

describe("rows as CSV", () => {
  const line = (id: string, row: StepLine["row"], values: StepLine["values"] = {}): StepLine => ({
    type: "step",
    id,
    boot: 1,
    rep: null,
    values,
    status: "ok",
    error: null,
    row,
    startedAt: "2026-05-01T10:00:00.000Z",
    durationS: 1,
  });

  it("have the comparator's columns for its ladders; what is unknown is empty", () => {
    const row = {
      kind: "context",
      contextTarget: 512,
      promptTokens: 530,
      outputTokens: [20, 30, 25],
      saturation: null,
      decodeTokensPerS: 12.3456789,
    };
    expect(ladderCsv([line("boot1/inputLen=512", row)])).toBe(
      "step,boot,temperature,ctx_target,prompt_tokens,prefill_tok_s,gen_tok_s,accepted_per_pass,saturation,cold_ttft_s," +
        "warm_ttft_s,prefill_bytes_s,gen_bytes_s,out_tokens,reps,date\r\n" +
        "boot1/inputLen=512,1,,512,530,,12.3457,,,,,,,25,,2026-05-01\r\n",
    );
  });

  it("have axes and figures for other sweeps, quoted where they need it", () => {
    const text = ladderCsv([
      line("a,b", { kind: "run", ok: 3, list: [1] }, { "load.rate": 2 }),
      line("c", null, { "load.rate": 4 }),
    ]);
    expect(text).toBe('step,boot,load.rate,kind,ok,date\r\n"a,b",1,2,run,3,2026-05-01\r\n');
  });
});

it("a step is a name of a file, whatever its values are", () => {
  expect(fileStem("boot1/rep2/stop=../../x y")).toBe("boot1_rep2_stop=.._.._x_y");
});
