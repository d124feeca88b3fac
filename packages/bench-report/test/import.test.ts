import { existsSync, readFileSync } from "node:fs";

import { benchConfigSchema } from "@onpar/bench-config";
import { describe, expect, it } from "vitest";

import {
  concurrencyLadderCsv,
  contextLadderCsv,
  IMPORT_FORMATS,
  importResult,
  isConcurrencyLadder,
  readResult,
  ReportError,
  resultToJson,
  vllmServeJson,
  type Result,
} from "../src/index.ts";

const fixture = (name: string) => readFileSync(new URL(`fixtures/import/${name}`, import.meta.url), "utf8");
const imported = (name: string): Result => importResult(fixture(name), name);

const files = {
  "vllm-serve.json": "vllm-serve",
  "vllm-serve-detailed.json": "vllm-serve",
  "sglang.jsonl": "sglang-bench-serving",
  "guidellm.json": "guidellm",
  "aiperf.json": "aiperf",
  "genai-perf.json": "genai-perf",
  "llama-benchy.json": "llama-benchy",
  "ctxsweep.csv": "ctxsweep",
  "ctxsweep.jsonl": "ctxsweep",
  "concbench.csv": "concbench",
  "vllm-bench.txt": "bench-text",
  "serve.txt": "bench-text",
} as const;

describe("importResult", () => {
  for (const [file, format] of Object.entries(files)) {
    it(`reads ${file} as ${format}, and what it writes of it again`, async () => {
      const result = imported(file);
      expect(result.source.format).toBe(format);
      expect(readResult(JSON.parse(resultToJson(result)), file)).toEqual(result);
      expect(importResult(resultToJson(result), file)).toEqual(result);
      await expect(resultToJson(result)).toMatchFileSnapshot(`fixtures/golden/import-${file}.json`);
    });
  }

  it("has a fixture of every format", () => {
    expect(new Set<string>(Object.values(files))).toEqual(new Set(IMPORT_FORMATS));
  });

  it("says what formats there are for a file of none", () => {
    expect(() => importResult('{"speed": 1}', "x.json")).toThrow(
      /x\.json: is a result in no known format \(vllm-serve/,
    );
    expect(() => importResult("hello", "x.txt")).toThrow(ReportError);
    expect(() => importResult("{", "x.json")).toThrow(/x\.json: is no JSON/);
    expect(() => importResult("ctx_target,gen_tok_s\n512\n", "x.csv")).toThrow(/x\.csv: row 1 has 1 cells/);
  });
});

describe("what a file does not say", () => {
  it("is null: stopping rule, sampling and workload of vllm bench serve", () => {
    const { protocol, points } = imported("vllm-serve.json");
    expect(protocol.stoppingRule ?? null).toBeNull();
    expect(protocol.sampling ?? null).toBeNull();
    expect(protocol.workload).toEqual({ prompts: 200 });
    expect(points[0]?.figures.ttftMs?.p90).toBeNull();
    expect(points[0]?.figures.ttftMs?.n).toBeNull();
    expect(points[0]?.outputTokens).toBeNull();
  });

  it("is null for a failed request among single values, never 0", () => {
    const [point] = imported("vllm-serve-detailed.json").points;
    expect(point?.figures.ttftMs?.values).toEqual([125, 150, null, 200]);
    expect(point?.outputTokens).toMatchObject({ n: 3, min: 128, max: 128 });
    expect(point?.figures.e2elMs?.n).toBe(3);
  });

  it("is not taken from a figure of another definition", () => {
    const [point] = imported("guidellm.json").points;
    // time_per_output_token_ms of guidellm contains the time to first token.
    expect(point?.figures.tpotMs?.mean).toBe(19.6);
  });
});

describe("protocols of other harnesses", () => {
  it("tell a rate of inf as the closed loop that it is", () => {
    const { points } = imported("sglang.jsonl");
    expect(points[0]?.protocol?.load).toEqual({ kind: "closed-loop", concurrency: 8, durationS: "all" });
    expect(points[1]?.protocol?.load).toMatchObject({ kind: "poisson", rate: 4 });
    expect(imported("vllm-serve-detailed.json").protocol.load).toMatchObject({
      kind: "gamma",
      burstiness: 0.5,
    });
  });

  it("tell the draft budget that a table's saturation implies", () => {
    expect(imported("ctxsweep.csv").protocol.speculation).toMatchObject({ draftBudget: 15 });
  });

  it("tell the stopping rule where the text prints it", () => {
    expect(imported("vllm-bench.txt").points[0]?.protocol?.stoppingRule).toEqual({ name: "ignore-eos" });
    expect(imported("serve.txt").points[0]?.protocol?.stoppingRule ?? null).toBeNull();
  });
});

describe("import, export, import", () => {
  const points = ({ points }: Result) => points;

  it("gives the same points of a context ladder", () => {
    for (const file of ["ctxsweep.csv", "ctxsweep.jsonl"]) {
      const once = imported(file);
      const again = importResult(contextLadderCsv(once), file);
      expect(points(again).map((point) => ({ ...point, date: null }))).toEqual(
        points(once).map((point) => ({ ...point, date: null })),
      );
      expect(contextLadderCsv(again)).toBe(contextLadderCsv(once));
    }
  });

  it("gives the same bytes of a ladder that was written without further columns", () => {
    expect(contextLadderCsv(imported("ctxsweep.csv"), { beside: false })).toBe(fixture("ctxsweep.csv"));
    expect(concurrencyLadderCsv(imported("concbench.csv"), { beside: false })).toBe(fixture("concbench.csv"));
  });

  it("gives the same points of a concurrency ladder", () => {
    const once = imported("concbench.csv");
    expect(isConcurrencyLadder(once)).toBe(true);
    expect(points(importResult(concurrencyLadderCsv(once), "concbench.csv"))).toEqual(points(once));
  });

  it("gives the same result under the keys of vllm bench serve", () => {
    const once = imported("vllm-serve.json");
    const [point] = once.points;
    if (point === undefined) throw new Error("the fixture has a point");
    const again = importResult(JSON.stringify(vllmServeJson(once, point)), "vllm-serve.json");
    expect(again.points).toEqual(once.points);
    expect(again.protocol).toEqual(once.protocol);
  });
});

const shared = new URL("../../../../shared/data/comparator/", import.meta.url);

describe.runIf(existsSync(shared))("the comparator's tables", () => {
  const read = (name: string) => importResult(readFileSync(new URL(name, shared), "utf8"), name);

  it("are ladders of 25 and 17 points", () => {
    const ladder = read("ctxsweep-recommended.csv");
    expect(ladder.points).toHaveLength(25);
    expect(ladder.points[9]).toMatchObject({
      at: { contextTokens: 259_584, boot: 1, temperature: 0 },
      outputTokens: { value: 278 },
    });
    expect(ladder.points[9]?.figures.coldTtftMs?.value).toBeCloseTo(277_153, 6);
    expect(read("concbench.csv").points).toHaveLength(17);
    expect(read("concbench.csv").points[16]?.server).toEqual({ max_running: 32, mem_fraction: 0.65 });
  });

  it("come back from CSV as they were", () => {
    const ladder = read("ctxsweep-recommended.csv");
    expect(importResult(contextLadderCsv(ladder), "ctxsweep-recommended.csv").points).toEqual(ladder.points);
    const streams = read("concbench.csv");
    expect(importResult(concurrencyLadderCsv(streams), "concbench.csv").points).toEqual(streams.points);
  });
});

describe("the journal of a sweep", () => {
  const config = benchConfigSchema.parse({ inputLen: 512 });
  const row = (contextTarget: number, decode: number) => ({
    kind: "context",
    contextTarget,
    promptTokens: contextTarget + 3,
    temperature: 0,
    coldTtftS: 0.4,
    warmTtftS: 0.2,
    prefillTokensPerS: 2000,
    decodeTokensPerS: decode,
    outputTokens: [100, 120, 110, null],
    finishReasons: { eos: 4 },
    reps: 4,
    ok: 5,
    failed: 0,
    acceptedPerPass: 3.5,
    acceptanceRate: 0.5,
    saturation: 0.583,
    perPosition: [0.8, 0.6],
    source: "metrics-delta",
    breaches: [],
    warnings: ["client-busy"],
  });
  const step = (id: string, inputLen: number, of: object | null, error: object | null = null) => ({
    type: "step",
    id,
    boot: 1,
    rep: null,
    values: { inputLen },
    status: error === null ? "ok" : "failed",
    error,
    row: of,
    startedAt: "2026-03-01T10:00:00.000Z",
    durationS: 3,
  });
  const text = [
    {
      type: "sweep",
      schema: "onpar.sweep/1",
      kind: "context",
      tool: { name: "onpar", version: "0.1.0" },
      config,
    },
    step("boot1/inputLen=512", 512, row(512, 60)),
    step("boot1/inputLen=512", 512, row(512, 70)),
    step("boot1/inputLen=1024", 1024, row(1024, 68)),
    step("boot1/inputLen=2048", 2048, null, { code: "PROMPT_TOO_LONG", message: "no room" }),
  ]
    .map((line) => JSON.stringify(line))
    .join("\n");

  it("is a ladder: the last measurement of each point, with what failed among the findings", () => {
    const result = importResult(`${text}\n{"type":"st`, "sweep.jsonl");
    expect(result.points.map(({ at }) => at.contextTokens)).toEqual([512, 1024]);
    const [first] = result.points;
    expect(first?.figures.decodeCtxsweep?.value).toBe(70);
    expect(first?.figures.coldTtftMs?.value).toBe(400);
    expect(first?.outputTokens).toMatchObject({ n: 3, min: 100, max: 120 });
    expect(result.findings.map(({ severity, code }) => `${severity} ${code}`)).toEqual([
      "warning client-busy",
      "warning client-busy",
      "warning point-failed",
    ]);
    expect(result.protocol.stoppingRule).toMatchObject({ name: "ignore-eos", cap: 128 });
    expect(readResult(JSON.parse(resultToJson(result)), "x")).toEqual(JSON.parse(resultToJson(result)));
  });

  it("says who answered, and on which machine the client ran, where the sweep does", () => {
    expect(importResult(text, "sweep.jsonl").protocol).toMatchObject({
      model: { resolved: null },
      engine: null,
      hardware: { clientHost: null },
    });
    const host = {
      node: "v20",
      platform: "linux",
      arch: "x64",
      cpus: 4,
      cpuModel: "Some CPU",
      memoryBytes: 2 ** 33,
    };
    const named = (version: string) =>
      [
        { type: "sweep", schema: "onpar.sweep/1", kind: "context", config, host },
        step("a", 512, { ...row(512, 60), model: "m-1", engine: "vllm", engineVersion: "0.25" }),
        step("b", 1024, { ...row(1024, 60), model: "m-1", engine: "vllm", engineVersion: version }),
      ]
        .map((line) => JSON.stringify(line))
        .join("\n");
    expect(importResult(named("0.25"), "sweep.jsonl").protocol).toMatchObject({
      model: { resolved: "m-1" },
      engine: { name: "vllm", version: "0.25" },
      hardware: { clientHost: "linux x64, 4 x Some CPU, 8 GiB" },
    });
    // Points of two versions are those of none.
    expect(importResult(named("0.26"), "sweep.jsonl").protocol.engine).toEqual({
      name: "vllm",
      version: null,
    });
  });
});
