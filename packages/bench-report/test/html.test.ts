import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";

import { describe, expect, it } from "vitest";

import {
  chartsOf,
  compareResults,
  importResult,
  renderComparisonHtml,
  renderHtml,
  resultOfRun,
  RunDigester,
  standaloneSvg,
  type Chart,
  type Result,
} from "../src/index.ts";
import { packChunks, type RequestRecord } from "@onpar/sweep-runner";
import { failedResult, record, result } from "./results.ts";

const fixture = (name: string) =>
  importResult(readFileSync(new URL(`fixtures/import/${name}`, import.meta.url), "utf8"), name);

/** Twenty requests, two in flight, one of them failed. */
function records(): RequestRecord[] {
  return Array.from({ length: 20 }, (_, index) => {
    const startNs = Math.floor(index / 2) * 1e9;
    return record({
      id: `measure-${index}`,
      promptId: `prompt-${index % 5}`,
      state: index === 7 ? "failed" : "ok",
      error: index === 7 ? { kind: "transport", message: "reset" } : null,
      scheduledNs: startNs,
      sentNs: startNs + 1e6,
      chunks: packChunks([
        [startNs + (90 + index) * 1e6, "content", 12, 20],
        [startNs + (500 + index) * 1e6, "content", 12, 20],
      ]),
      endNs: startNs + 900e6,
      acceptance: {
        verifySteps: 10,
        draftTokens: 50,
        acceptedTokens: 10 + 5 * (index % 5),
        acceptedPerPosition: null,
      },
    });
  });
}

function digest() {
  const digester = new RunDigester();
  for (const one of [record({ phase: "warmup", id: "warmup-0" }), ...records()]) digester.add(one);
  return digester.digest();
}

const run = result();
const page = renderHtml({ result: resultOfRun(run, "a run"), run, digest: digest() });

describe("renderHtml", () => {
  it("is golden for a run and for a ladder", async () => {
    await expect(page).toMatchFileSnapshot("fixtures/golden/run.html");
    await expect(renderHtml({ result: fixture("ctxsweep.csv") })).toMatchFileSnapshot(
      "fixtures/golden/ladder.html",
    );
  });

  it("leads nowhere: no address but those of namespaces, and a policy that forbids every request", () => {
    const addresses = [...page.matchAll(/(?:https?:)?\/\/[\w.]+[^"'<\s]*/g)].map(([found]) => found);
    expect(new Set(addresses)).toEqual(new Set(["http://www.w3.org/2000/svg"]));
    expect(page).toContain("default-src 'none'");
    const script = /<script>(.*?)<\/script>/s.exec(page)?.[1] ?? "";
    const hash = createHash("sha256").update(script).digest("base64");
    expect(page).toContain(`script-src 'sha256-${hash}'`);
  });

  it("says first what failed", () => {
    const failed = failedResult();
    const text = renderHtml({ result: resultOfRun(failed, "failed"), run: failed });
    expect(text).toMatch(/<header>.*class="head bad">50 asked: 0 ok, 50 failed/s);
  });

  it("takes what a server said for text", () => {
    const hostile = result({
      protocol: { model: { requested: null, resolved: '</dd><script>alert("x")</script>' } },
    });
    const text = renderHtml({ result: resultOfRun(hostile, "<b>\u202e"), run: hostile });
    expect(text).not.toContain("<script>alert");
    expect(text.match(/<script>/g)).toHaveLength(1);
    expect(text).not.toContain("\u202e");
  });

  it("gives every chart a title, a description and its numbers", () => {
    const charts = [...page.matchAll(/<svg [^>]*role="img" aria-labelledby="([\w-]+) ([\w-]+)"/g)];
    expect(charts.length).toBeGreaterThanOrEqual(9);
    for (const [, title, description] of charts) {
      expect(page).toMatch(
        new RegExp(`<title id="${title}">[^<]+</title><desc id="${description}">[^<]{20,}</desc>`),
      );
    }
    expect(page.match(/<summary>Numbers of the chart/g)).toHaveLength(charts.length);
  });
});

describe("the charts of a ladder", () => {
  const ids = (charts: readonly Chart[]) => charts.map(({ id }) => id);

  it("are nine over the context, with boots as whiskers and temperatures as lines", async () => {
    const charts = chartsOf({ result: fixture("ctxsweep.csv") });
    expect(ids(charts)).toEqual([
      "context-decode",
      "context-prefill",
      "context-ttft",
      "context-per-token",
      "context-accepted",
      "context-budget",
      "context-prefill-bytes",
      "context-decode-bytes",
      "context-cold-warm",
    ]);
    const [decode] = charts;
    expect(decode?.table).toEqual({
      head: ["prompt tokens", "temperature 0", "temperature 1"],
      rows: [
        ["501", "70.63", "64"],
        ["4090", "75.50", "-"],
      ],
    });
    expect(decode?.svg).toContain('class="whisker s0"');
    await expect(standaloneSvg(decode?.svg ?? "")).toMatchFileSnapshot("fixtures/golden/context-decode.svg");
  });

  it("are four over the streams", () => {
    expect(ids(chartsOf({ result: fixture("concbench.csv") }))).toEqual([
      "concurrency-aggregate",
      "concurrency-stream",
      "concurrency-ttft",
      "concurrency-accepted",
    ]);
  });

  it("leave out a panel that nothing is known of", () => {
    expect(ids(chartsOf({ result: fixture("ctxsweep.jsonl") }))).not.toContain("context-decode-bytes");
  });
});

const shared = new URL("../../../../shared/data/comparator/ctxsweep-recommended.csv", import.meta.url);

describe.runIf(existsSync(shared))("the comparator's ladder", () => {
  it("is drawn as nine panels", () => {
    const ladder = importResult(readFileSync(shared, "utf8"), "ctxsweep-recommended.csv");
    const charts = chartsOf({ result: ladder });
    expect(charts).toHaveLength(9);
    expect(charts[0]?.table.rows).toHaveLength(15);
  });
});

describe("RunDigester", () => {
  it("counts what its records say", () => {
    const { requests, ttftMs, timeline, acceptance, values } = digest();
    expect(requests).toBe(20);
    expect(ttftMs.reduce((sum, { count }) => sum + count, 0)).toBe(19);
    expect(timeline.reduce((sum, bin) => sum + bin.tokens, 0)).toBe(19 * 40);
    expect(timeline.reduce((sum, bin) => sum + bin.failed, 0)).toBe(1);
    expect(Math.max(...timeline.map(({ inFlight }) => inFlight))).toBe(2);
    expect(timeline.at(-1)?.inFlight).toBe(0);
    expect(acceptance.map(({ promptId, rate }) => [promptId, rate])).toEqual([
      ["prompt-0", 0.2],
      ["prompt-1", 0.3],
      ["prompt-2", 0.4],
      ["prompt-3", 0.5],
      ["prompt-4", 0.6],
    ]);
    expect(values?.promptIds).toHaveLength(19);
  });

  it("keeps the timeline of a long run in bounded size", () => {
    const digester = new RunDigester();
    for (const one of records()) digester.add({ ...one, endNs: one.endNs * 1e4 });
    const { timeline } = digester.digest();
    expect(timeline.length).toBeLessThanOrEqual(512);
    expect(timeline.reduce((sum, bin) => sum + bin.ok, 0)).toBe(19);
  });
});

describe("renderComparisonHtml", () => {
  const sideOf = (name: string, file: string) => ({ name, results: [fixture(file)] as [Result] });

  it("lays both ladders over each other, with the verdict first and ratios around 1", async () => {
    const [a, b] = [sideOf("first", "ctxsweep.csv"), sideOf("second", "ctxsweep.csv")];
    const html = renderComparisonHtml(compareResults(a, b), a, b);
    expect(html).toMatch(/<header><h1>first against second<\/h1><p class="head warn">matched except/);
    expect(html).toContain('id="ratio-1-title"');
    expect(html).toContain("A: first, temperature 0");
    expect(html).toContain("B: second, temperature 0");
    await expect(html).toMatchFileSnapshot("fixtures/golden/comparison.html");
  });

  it("draws no ratio where two results cannot be compared", () => {
    const [a, b] = [sideOf("first", "ctxsweep.csv"), sideOf("second", "vllm-bench.txt")];
    const html = renderComparisonHtml(compareResults(a, b), a, b);
    expect(html).toContain('class="head bad">not comparable');
    expect(html).not.toContain('id="ratio-');
  });
});

describe("acceptance by content", () => {
  const named = (names: readonly string[]) => {
    const digester = new RunDigester();
    for (const [index, promptId] of names.entries())
      digester.add(
        record({
          id: `measure-${index}`,
          promptId,
          acceptance: {
            verifySteps: 10,
            draftTokens: 50,
            acceptedTokens: promptId.startsWith("code") ? 40 : 10 + index,
            acceptedPerPosition: null,
          },
        }),
      );
    return chartsOf({ result: resultOfRun(run, "a run"), digest: digester.digest() }).find(
      ({ id }) => id === "acceptance-content-type",
    );
  };

  it("is drawn where prompts are named after what they are", () => {
    const chart = named(["code-1", "prose-1", "code-2", "prose-2"]);
    expect(chart?.table.rows).toEqual([
      // (11 + 13) of 100 draft tokens
      ["prose", "24.0 %"],
      ["code", "80.0 %"],
    ]);
  });

  it("is left out where names tell no types", () => {
    expect(named(["main-1", "main-2", "main-3"])).toBeUndefined();
    expect(named(["a-1", "b-1", "c-1"])).toBeUndefined();
    expect(named(["code-1", "code-2", "prose"])).toBeUndefined();
  });

  it("is drawn over the points of an experiment", () => {
    const step = (content: string, rate: number) => ({
      type: "step",
      id: `boot1/content=${content}`,
      boot: 1,
      values: { content },
      status: "ok",
      row: { kind: "content", content, ok: 8, failed: 0, acceptedPerPass: 3, acceptanceRate: rate },
    });
    const header = { type: "sweep", kind: "content", schema: "onpar.sweep/1", config: {} };
    const lines = [header, step("code", 0.8), step("prose", 0.5)].map((line) => JSON.stringify(line));
    const charts = chartsOf({ result: importResult(lines.join("\n"), "sweep.jsonl") });
    expect(charts.find(({ id }) => id === "acceptance-content-type")?.table.rows).toEqual([
      ["code", "80.0 %"],
      ["prose", "50.0 %"],
    ]);
  });
});
