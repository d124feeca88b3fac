import { benchConfigSchema } from "@onpar/bench-config";
import type { RunResult } from "@onpar/sweep-runner";
import { describe, expect, it } from "vitest";

import { judgeDifference, renderDifference } from "../src/index.ts";
import { breachResult, eosResult, failedResult, result } from "./results.ts";

const plain = { width: 100, color: false };

describe("renderDifference", () => {
  it("puts the verdict first and prints both values, the difference and the lengths", async () => {
    for (const width of [60, 120]) {
      const text = renderDifference(eosResult(), result(), { width, color: false });
      await expect(text).toMatchFileSnapshot(`golden/difference-${width}.txt`);
    }
  });

  it("names the rule that parts two runs", () => {
    const first = renderDifference(
      result({ protocol: { stoppingRule: { ...eosResult().protocol.stoppingRule, stop: [] } } }),
      result(),
      plain,
    ).split("\n")[0];
    expect(first).toBe(
      "not comparable: stopping rule differs (eos, cap 256 | ignore-eos, exactly 128 tokens)",
    );
  });

  it("says unknown where a run has no value", () => {
    const text = renderDifference(failedResult(), result(), plain);
    expect(text).toMatch(/acceptance rate +unknown +40\.5 % +unknown/);
    expect(text).toMatch(/ok of asked +0\/50 +50\/50/);
  });

  it("prints no ratio", () => {
    expect(renderDifference(eosResult(), result(), plain)).not.toMatch(/\d+(\.\d+)?x|times/);
  });
});

describe("judgeDifference", () => {
  it("never calls an unknown axis equal", () => {
    const { verdict, axes } = judgeDifference(result(), result());
    expect(verdict).toBe("matched-except");
    expect(axes.filter((axis) => axis.state !== "equal")).toMatchObject([
      { axis: "weights", state: "unknown" },
      { axis: "tokenizer", state: "unknown" },
      { axis: "speculation", state: "unknown" },
      { axis: "hardware", state: "unknown" },
    ]);
  });

  it("calls another concurrency a difference that can be lived with", () => {
    const other = result({ protocol: { load: { kind: "closed-loop", concurrency: 8, warmupRequests: 1 } } });
    const { verdict, reasons } = judgeDifference(result(), other);
    expect(verdict).toBe("matched-except");
    expect(reasons).toContain("load differs (closed loop at 4, 1 warm-up | closed loop at 8, 1 warm-up)");
  });

  it("knows models and drafts in this process by their files, whatever names they carry", () => {
    const inProcess = (modelPath: string, draftModelPath: string) =>
      result({
        protocol: { endpoint: "engine" },
        result: {
          config: benchConfigSchema.parse({
            target: { endpoint: "engine" },
            engine: { modelPath, draftModelPath },
          }),
        },
      });
    const one = inProcess("/a/m-q8.gguf", "/a/draft.gguf");
    const states = (other: RunResult) =>
      Object.fromEntries(judgeDifference(one, other).axes.map(({ axis, state }) => [axis, state]));
    expect(states(inProcess("/b/m-q8.gguf", "C:\\b\\draft.gguf"))).toMatchObject({
      model: "equal",
      speculation: "equal",
    });
    expect(states(inProcess("/a/m-q4.gguf", "/a/other.gguf"))).toMatchObject({
      model: "differs",
      speculation: "differs",
    });
  });

  it("calls two draft budgets a difference although the drafts are unknown", () => {
    const other = result({ protocol: { speculation: { draftBudget: 3, observed: true } } });
    expect(judgeDifference(result(), other).reasons).toContain(
      "speculation differs (draft budget 5, unknown draft model | draft budget 3, unknown draft model)",
    );
  });

  it("tells in which sampling values two runs part", () => {
    const { sampling } = result().protocol;
    const { reasons } = judgeDifference(
      result(),
      result({ protocol: { sampling: { ...sampling, minP: 0.1 } } }),
    );
    expect(reasons[0]).toMatch(/^sampling differs \(.*min_p=0,.*\|.*min_p=0\.1,/);
  });

  it.each([
    ["model", { model: { requested: null, resolved: "other" } }],
    ["endpoint", { endpoint: "chat-completions" as const }],
    ["workload", { workload: { source: "generated", sha256: "ff".repeat(32), prompts: 50 } }],
  ])("refuses to compare where the %s differs", (axis, protocol) => {
    const { verdict, reasons } = judgeDifference(result(), result({ protocol }));
    expect(verdict).toBe("not-comparable");
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toContain(`${axis} differs`);
  });

  it("refuses to compare with a run that did not keep its protocol", () => {
    const { verdict, reasons } = judgeDifference(result(), breachResult());
    expect(verdict).toBe("not-comparable");
    expect(reasons).toEqual(["B does not stand as stated (eos-not-ignored)"]);
  });

  it("does not call two runs matched where requests failed", () => {
    const failures = {
      summary: { counts: { asked: 50, ok: 48, failed: 2, dropped: 0, aborted: 0, unsent: 0, warmup: 1 } },
      result: {
        findings: [
          { severity: "warning" as const, code: "requests-failed", message: "2 of 50 requests failed" },
        ],
      },
    };
    const { verdict, reasons } = judgeDifference(result(failures), result());
    expect(verdict).toBe("matched-except");
    expect(reasons).toContain("requests answered differs (48 of 50 | 50 of 50)");
    const again = result({
      ...failures,
      result: { ...failures.result, startedAt: "2026-03-01T11:00:00.000Z" },
    });
    expect(judgeDifference(result(failures), again).reasons).toContain(
      "requests answered differs (48 of 50 | 48 of 50)",
    );
  });

  it("holds an unset template variable apart from one that is false", () => {
    const template = eosResult().protocol.template;
    const { axes } = judgeDifference(
      result({ protocol: { template } }),
      result({ protocol: { template: { ...template, kwargs: {} } } }),
    );
    expect(axes.find((axis) => axis.axis === "template kwargs")).toMatchObject({
      state: "differs",
      a: "enable_thinking=false",
      b: "none set; enable_thinking unset",
    });
  });

  it("does not call two server-side templates equal", () => {
    const template = {
      ...eosResult().protocol.template,
      mode: "server-side" as const,
      source: null,
      sha256: null,
    };
    const { axes } = judgeDifference(result({ protocol: { template } }), result({ protocol: { template } }));
    expect(axes.find((axis) => axis.axis === "template")?.state).toBe("unknown");
  });
});
