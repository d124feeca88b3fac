import { packChunks, summarize, type RequestRecord } from "@onpar/sweep-runner";
import { describe, expect, it } from "vitest";

import { compareResults, renderComparison, resultOfRun, type Result } from "../src/index.ts";
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
