import { packChunks, summarize, type RequestRecord } from "@onpar/sweep-runner";
import { describe, expect, it } from "vitest";

import { compareResults, importResult, renderComparison, resultOfRun, type Result } from "../src/index.ts";
import { normal, uniform } from "./compare-fixtures.ts";
import { record, result } from "./results.ts";

/** Requests one after the other whose first token comes after what `ttftMs` draws. */
function runOf(ttftMs: (draw: () => number, index: number) => number): Result {
  const draw = uniform(11);
  const records = Array.from({ length: 200 }, (_, index): RequestRecord => {
    const sentNs = index * 2e9;
    const firstNs = sentNs + Math.round(ttftMs(draw, index) * 1e6);
    return record({
      id: `measure-${index}`,
      promptId: `prompt-${index}`,
      scheduledNs: sentNs,
      sentNs,
      chunks: packChunks([
        [firstNs, "content", 4, 1],
        [firstNs + 500e6, "content", 4, 39],
      ]),
      endNs: firstNs + 500e6 + 1000,
    });
  });
  const summary = summarize(records, {
    asked: 200,
    cap: 40,
    acceptance: null,
    acceptanceMissing: "no drafts",
  });
  return resultOfRun(result({ summary }), "run");
}

describe("a run whose requests gather around two places", () => {
  const single = runOf((draw) => 100 + 5 * normal(draw));
  const twofold = runOf((draw, index) => (index % 3 === 0 ? 180 : 100) + 5 * normal(draw));

  it("is flagged, and one with a single place is not", () => {
    expect(twofold.points[0]?.figures.ttftMs?.multimodal).toBe(true);
    expect(single.points[0]?.figures.ttftMs?.multimodal).toBe(false);
    const text = renderComparison(
      compareResults({ name: "A", results: [single] }, { name: "B", results: [twofold] }),
      { width: 200, color: false },
    );
    expect(text).toContain(
      "B: TTFT gathers around more than one place, so that its median describes no request",
    );
    expect(text).not.toContain("A: TTFT gathers");
  });
});

describe("an imported result whose requests gather around two places", () => {
  const imported = (ttft: (draw: () => number, index: number) => number): Result => {
    const draw = uniform(5);
    const ttfts = Array.from({ length: 120 }, (_, index) => ttft(draw, index) / 1000);
    const text = JSON.stringify({
      backend: "openai",
      model_id: "acme/target-9b",
      num_prompts: ttfts.length,
      request_rate: "inf",
      completed: ttfts.length,
      duration: 60,
      total_input_tokens: 1000,
      total_output_tokens: 2000,
      median_ttft_ms: 100,
      output_throughput: 30,
      ttfts,
      input_lens: ttfts.map(() => 10),
      output_lens: ttfts.map(() => 20),
    });
    return importResult(text, "served.json");
  };

  it("is flagged by its single values, and one without them is not looked at", () => {
    const twofold = imported((draw, index) => (index % 3 === 0 ? 180 : 100) + 5 * normal(draw));
    const single = imported((draw) => 100 + 5 * normal(draw));
    expect(twofold.points[0]?.figures.ttftMs?.multimodal).toBe(true);
    expect(single.points[0]?.figures.ttftMs?.multimodal).toBe(false);
    expect(single.points[0]?.figures.outputTokensPerS?.multimodal).toBeNull();
  });
});
