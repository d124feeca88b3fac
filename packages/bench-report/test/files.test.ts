import { parquetMetadata, parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";

import {
  concurrencyLadderCsv,
  contextLadderCsv,
  junitXml,
  ParquetTable,
  recordsParquet,
  renderResultReport,
  resultMarkdown,
  resultOfRun,
  resultSchema,
  resultToJson,
  runMarkdown,
  runSummaryMarkdown,
  vllmServeJson,
} from "../src/index.ts";
import { displayWidth } from "../src/text.ts";
import { breachResult, eosResult, failedResult, interruptedResult, record, result } from "./results.ts";

const runs = {
  "ignore-eos": result(),
  eos: eosResult(),
  failed: failedResult(),
  interrupted: interruptedResult(),
  breach: breachResult(),
};

describe("a run in files", () => {
  for (const [name, run] of Object.entries(runs)) {
    it(`is Markdown that says everything: ${name}`, async () => {
      await expect(runMarkdown(run)).toMatchFileSnapshot(`fixtures/golden/run-${name}.md`);
    });

    it(`is a result of the one schema: ${name}`, async () => {
      const made = resultOfRun(run, name);
      expect(resultSchema.parse(JSON.parse(resultToJson(made)))).toEqual(made);
      await expect(resultToJson(made)).toMatchFileSnapshot(`fixtures/golden/result-${name}.json`);
    });

    it(`is CSV with the comparator's columns first: ${name}`, async () => {
      await expect(contextLadderCsv(resultOfRun(run, name))).toMatchFileSnapshot(
        `fixtures/golden/ladder-${name}.csv`,
      );
    });
  }

  it("has the keys of vllm bench serve", async () => {
    const made = resultOfRun(result(), "a run");
    const [point] = made.points;
    if (point === undefined) throw new Error("a run has a point");
    await expect(`${JSON.stringify(vllmServeJson(made, point), null, 2)}\n`).toMatchFileSnapshot(
      "fixtures/golden/vllm-serve.json",
    );
  });

  it("is a row of a concurrency ladder", async () => {
    await expect(concurrencyLadderCsv(resultOfRun(result(), "a run"))).toMatchFileSnapshot(
      "fixtures/golden/concurrency.csv",
    );
  });

  it("is a short block for the summary of a job", async () => {
    await expect(runSummaryMarkdown(breachResult())).toMatchFileSnapshot("fixtures/golden/run-summary.md");
  });

  it("prints as a result in narrow and wide terminals", async () => {
    const made = resultOfRun(result(), "a run");
    for (const width of [60, 200]) {
      const text = renderResultReport(made, { width, color: false });
      for (const line of text.split("\n")) expect(displayWidth(line), line).toBeLessThanOrEqual(width);
      await expect(text).toMatchFileSnapshot(`fixtures/golden/result-report-${width}.txt`);
    }
  });
});

describe("the Markdown of a run", () => {
  it("tells what was asked and resolved, how outputs ended, what failed and whether the client was the limit", () => {
    const delay = { p50Ms: 1, p99Ms: 80, maxMs: 120 };
    const client = {
      eventLoopDelayMs: delay,
      scheduleErrorMs: null,
      cpuShare: 0.99,
      socketBacklog: null,
      limits: ["the event loop was late by 80 ms (p99), and 50 ms are allowed"],
      clientBound: true,
    };
    const text = runMarkdown(interruptedResult({ client }));
    expect(text).toContain("50 asked: 7 ok, 1 failed");
    expect(text).toContain("ignore\\_eos requested true; sent ignore\\_eos=true, max\\_tokens=128");
    expect(text).toContain("| ended by | length 7 |");
    expect(text).toContain("The client was the limit");
    expect(text).toContain("late by 80 ms");
  });

  it("keeps a hostile text inside its cell", () => {
    const run = result({ protocol: { model: { requested: null, resolved: "a|b\n# <script>" } } });
    const line = runMarkdown(run)
      .split("\n")
      .find((text) => text.startsWith("| model "));
    expect(line).toContain("a\\|b \\# \\<script\\>");
  });
});

describe("resultMarkdown", () => {
  it("names every unknown axis as unknown", () => {
    const made = { ...resultOfRun(result(), "x"), protocol: {} };
    const text = resultMarkdown(made);
    expect(text).toContain("| stopping rule | unknown |");
    expect(text).toContain("| model | unknown |");
  });
});

describe("junitXml", () => {
  it("is golden, and escapes what XML cannot hold", async () => {
    const text = junitXml("onpar gate", [
      { name: "ttft<=500ms", passed: true, message: "120 ms" },
      { name: 'a "quoted" <name>', passed: false, message: "2 & 3\u0000" },
    ]);
    await expect(text).toMatchFileSnapshot("fixtures/golden/junit.xml");
  });
});

describe("recordsParquet", () => {
  it("packs group by group", async () => {
    const table = new ParquetTable(100);
    for (let index = 0; index < 250; index++) table.add(record({ worker: index }));
    const bytes = table.bytes();
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    expect(parquetMetadata(file).row_groups).toHaveLength(3);
    const rows = await parquetReadObjects({ file, columns: ["worker"] });
    expect(rows).toHaveLength(250);
    expect(rows.at(-1)).toEqual({ worker: 249 });
  });

  it("gives back one row per request", async () => {
    const records = [record(), record({ id: "measure-1", usage: null, outputTokens: null, sentNs: null })];
    const bytes = recordsParquet(records);
    const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
    const rows = await parquetReadObjects({ file });
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ id: "measure-0", output_tokens: 40, sent_ns: 1000n, state: "ok" });
    expect(rows[0]?.["ttft_ms"]).toBeCloseTo(89.999, 6);
    expect(rows[1]?.["output_tokens"] ?? null).toBeNull();
    expect(rows[1]?.["ttft_ms"] ?? null).toBeNull();
  });
});
