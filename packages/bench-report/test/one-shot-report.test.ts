import { describe, expect, it } from "vitest";

import { renderOneShotReport } from "../src/index.ts";
import { record, result } from "./results.ts";

describe("renderOneShotReport", () => {
  it("prints tokens, ending, times and acceptance with its source", async () => {
    const { acceptance } = result().summary;
    if (acceptance === null) throw new Error("the fixture has acceptance");
    const oneShot = {
      record: record(),
      ttftMs: 90,
      e2elMs: 880.5,
      decodeCtxsweep: 49.38,
      acceptance,
      acceptanceMissing: null,
    };
    for (const width of [60, 100]) {
      const text = renderOneShotReport(oneShot, { width, color: false });
      await expect(text).toMatchFileSnapshot(`golden/one-shot-${width}.txt`);
    }
  });

  it("says unknown where the server does not tell", () => {
    const silent = record({
      usage: null,
      outputTokens: null,
      tokenSource: "unknown",
      finish: { raw: null, reason: "unknown" },
    });
    const text = renderOneShotReport(
      {
        record: silent,
        ttftMs: null,
        e2elMs: null,
        decodeCtxsweep: null,
        acceptance: null,
        acceptanceMissing: "the metrics page was not read",
      },
      { width: 100, color: false },
    );
    expect(text).toMatch(/tokens +prompt unknown, output unknown/);
    expect(text).toMatch(/decode rate +unknown/);
    expect(text).toMatch(/acceptance +unknown: the metrics page was not read/);
  });

  it("prints drafted and accepted tokens of a source that counts no steps", () => {
    const acceptance = {
      verifySteps: null,
      draftTokens: 40,
      acceptedTokens: 10,
      acceptedPerPosition: null,
      rate: 0.25,
      meanAcceptanceLength: null,
      perPositionRate: null,
      source: "per-request" as const,
    };
    const text = renderOneShotReport(
      {
        record: record(),
        ttftMs: 90,
        e2elMs: 880.5,
        decodeCtxsweep: 49.38,
        acceptance,
        acceptanceMissing: null,
      },
      { width: 100, color: false },
    );
    expect(text).toMatch(/acceptance rate +25\.0 % = A \/ D = 10 \/ 40 draft tokens/);
    expect(text).toMatch(/mean length +unknown/);
    expect(text).toMatch(/accepted per pass +unknown/);
    expect(text).toContain("per position: the source does not tell");
  });
});
