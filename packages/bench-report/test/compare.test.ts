import { existsSync, readFileSync } from "node:fs";

import { benchConfigSchema, declaredProtocol, resolveConfig } from "@onpar/bench-config";
import { describe, expect, it } from "vitest";

import {
  checkRegressions,
  checkRequired,
  compareResults,
  comparisonMarkdown,
  importResult,
  parseFailOn,
  renderComparison,
  resultOfRun,
  type Comparison,
  type FigureName,
  type RequestValues,
  type Result,
} from "../src/index.ts";
import { displayWidth } from "../src/text.ts";
import { paired, repeated, repeatedPrompts } from "./compare-fixtures.ts";
import { breachResult, eosResult, result } from "./results.ts";

const side = (name: string, ...results: [Result, ...Result[]]) => ({ name, results });
const compare = (a: Result, b: Result) => compareResults(side("A", a), side("B", b));
const figureOf = (comparison: Comparison, name: FigureName) => {
  const found = comparison.rungs[0]?.figures.find(({ figure }) => figure === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
};

describe("two boots of one server", () => {
  it("are within noise: the interval covers 1 (19 of 20 pairs and more)", () => {
    const covered = Array.from({ length: 40 }, (_, seed) => {
      const { ci } = figureOf(compare(repeated(seed + 1), repeated(seed + 1001)), "decodeCtxsweep");
      return ci !== null && ci[0] <= 1 && ci[1] >= 1;
    });
    expect(covered.filter(Boolean).length).toBeGreaterThanOrEqual(36);
  });

  it("are told from one that is slowed by 10 %, with 8 repetitions each", () => {
    const found = Array.from({ length: 20 }, (_, seed) => {
      const comparison = compare(repeated(seed + 1), repeated(seed + 1001, { slow: 1.1 }));
      return (["decodeCtxsweep", "ttftMs"] as const).every(
        (name) => figureOf(comparison, name).change === "worse",
      );
    });
    expect(found.every(Boolean)).toBe(true);
  });

  it("are drawn boot by boot where a side has several", () => {
    const boots = (slow: number): [Result, Result, Result] => [
      repeated(1, { slow }),
      repeated(2, { slow: slow * 1.15 }),
      repeated(3, { slow: slow * 0.9 }),
    ];
    const comparison = compareResults(side("A", ...boots(1)), side("B", ...boots(1.05)));
    const decode = figureOf(comparison, "decodeCtxsweep");
    expect(decode.method).toBe("boots and repetitions");
    expect(decode.change).toBe("within noise");
    expect(comparison.rungs[0]?.warnings.join()).toMatch(/boots of one side differ by 2\d\.\d %/);
    expect(comparison.warnings.join()).not.toContain("one boot on a side");
  });
});

describe("points of one boot", () => {
  it("are its repetitions, and no restarts", () => {
    const swept = (seed: number, slow: number): Result => {
      const all = Array.from({ length: 8 }, (_, index) => repeated(seed + index, { slow, reps: 1 }));
      const [first] = all;
      if (first === undefined) throw new Error("there are eight");
      return {
        ...first,
        points: all.flatMap(({ points }) =>
          points.map((point) => ({ ...point, at: { ...point.at, boot: 1 } })),
        ),
      };
    };
    const comparison = compare(swept(1, 1), swept(101, 1.1));
    expect(figureOf(comparison, "decodeCtxsweep")).toMatchObject({
      method: "repetitions",
      change: "worse",
      a: { boots: 1 },
    });
    expect(comparison.warnings.join()).toContain("one boot on a side");
  });
});

describe("prompts that both sides sent", () => {
  it("are compared in pairs, which finds 3 % that lie far inside the spread of the prompts", () => {
    const a = resultOfRun(result(), "a", paired(1, 1));
    const b = resultOfRun(result(), "b", paired(2, 1.03));
    const tpot = figureOf(compare(a, b), "tpotMs");
    expect(tpot).toMatchObject({ method: "paired prompts", change: "worse" });
    const strip = (one: Result): Result => ({
      ...one,
      points: one.points.map((point) => ({ ...point, requestIds: null })),
    });
    expect(figureOf(compare(strip(a), strip(b)), "tpotMs")).toMatchObject({
      method: "requests",
      change: "within noise",
    });
  });
});

describe("prompts that both sides sent in several repetitions", () => {
  const tpotOf = (a: RequestValues, b: RequestValues) =>
    figureOf(compare(resultOfRun(result(), "a", a), resultOfRun(result(), "b", b)), "tpotMs");

  it("are drawn by repetition, which share what the machine does: two equal sides are within noise", () => {
    const covered = (strip: boolean): number =>
      Array.from({ length: 40 }, (_, seed) => {
        const sides = [repeatedPrompts(seed + 1, 1), repeatedPrompts(seed + 1001, 1)] as const;
        const [a, b] = strip ? sides.map((side) => ({ ...side, repetitions: undefined })) : sides;
        if (a === undefined || b === undefined) throw new Error("there are two");
        const { ci } = tpotOf(a, b);
        return ci !== null && ci[0] <= 1 && ci[1] >= 1;
      }).filter(Boolean).length;
    expect(covered(false)).toBeGreaterThanOrEqual(37);
    // Requests of a repetition that are taken for independent ones find changes that are none.
    expect(covered(true)).toBeLessThan(30);
  });

  it("find a side that is 10 % slower", () => {
    const quiet = { drift: 0.02 };
    const found = Array.from({ length: 20 }, (_, seed) =>
      tpotOf(repeatedPrompts(seed + 1, 1, quiet), repeatedPrompts(seed + 1001, 1.1, quiet)),
    );
    expect(found.every(({ method }) => method === "prompts and repetitions")).toBe(true);
    expect(found.every(({ change }) => change === "worse")).toBe(true);
    expect(found[0]?.ratio).toBeCloseTo(1.1, 1);
  });

  it("may be many, and lack some", () => {
    const [a, b] = [1, 2].map((seed) => repeatedPrompts(seed, 1, { prompts: 3000, reps: 3 }));
    if (a === undefined || b === undefined) throw new Error("there are two");
    const holes = (values: RequestValues): RequestValues => ({
      ...values,
      values: { tpotMs: values.values.tpotMs?.map((value, index) => (index % 5 === 0 ? null : value)) ?? [] },
    });
    const { method, ci } = tpotOf(holes(a), b);
    expect(method).toBe("prompts and repetitions");
    expect(ci?.every(Number.isFinite)).toBe(true);
  });
});

describe("verdicts", () => {
  it("stand before every ratio, and withhold it where two runs cannot be compared", () => {
    const comparison = compare(resultOfRun(result(), "a"), resultOfRun(eosResult(), "b"));
    expect(comparison.verdict).toBe("not-comparable");
    expect(comparison.reasons[0]).toMatch(/^stopping rule differs/);
    expect(comparison.rungs.flatMap(({ figures }) => figures).every(({ ratio }) => ratio === null)).toBe(
      true,
    );
    const text = renderComparison(comparison, { width: 120, color: false });
    expect(text.split("\n")[0]).toMatch(/^not comparable: stopping rule differs/);
    expect(text).not.toMatch(/\d \[\d/);
  });

  it("are not comparable where a run does not stand as stated", () => {
    const comparison = compare(resultOfRun(result(), "a"), resultOfRun(breachResult(), "b"));
    expect(comparison.reasons[0]).toBe("B does not stand as stated (eos-not-ignored)");
  });

  it("warn of values around several places, of an interrupted run and of a client that was the limit", () => {
    const many = { dip: 0.1, p: 0.002, multimodal: true };
    const { latency } = result().summary;
    const run = result({
      summary: {
        latency: {
          ...latency,
          ttftMs: latency.ttftMs === null ? null : { ...latency.ttftMs, modality: many },
        },
      },
      result: { interrupted: true },
    });
    const bound = resultOfRun(run, "b");
    const [point] = bound.points;
    const b: Result = point === undefined ? bound : { ...bound, points: [{ ...point, clientBound: true }] };
    const text = renderComparison(compare(resultOfRun(result(), "a"), b), { width: 160, color: false });
    expect(text).toContain("B: TTFT gathers around more than one place");
    expect(text).toContain("B was interrupted");
    expect(text).toContain("B: the client was the limit");
  });
});

describe("rules for CI", () => {
  const slow = compare(repeated(1), repeated(2, { slow: 1.1 }));

  it("find a figure that is worse than allowed", () => {
    const rule = parseFailOn("regression:5%");
    const wide = parseFailOn("regression:50%");
    if (rule === null || wide === null) throw new Error("both are rules");
    const failed = checkRegressions(slow, rule).filter(({ passed }) => !passed);
    expect(failed.map(({ name }) => name).join()).toContain("decode, ctxsweep, tok/s");
    expect(checkRegressions(slow, wide).every(({ passed }) => passed)).toBe(true);
  });

  it("fail where nothing can be said", () => {
    const rule = parseFailOn("regression:5%:ttftMs");
    if (rule === null) throw new Error("it is a rule");
    const checks = checkRegressions(compare(resultOfRun(result(), "a"), resultOfRun(eosResult(), "b")), rule);
    expect(checks).toMatchObject([{ passed: false }]);
  });

  it("require a verdict", () => {
    expect(checkRequired(slow, "matched-except").passed).toBe(true);
    expect(checkRequired(slow, "matched").passed).toBe(false);
  });

  it("refuse what is none", () => {
    for (const text of ["regression", "regression:5", "regression:5%:speed", "slower:5%"])
      expect(parseFailOn(text), text).toBeNull();
  });
});

describe("a comparison in text", () => {
  const comparison = compare(repeated(1, { name: "first" }), repeated(2, { slow: 1.1, name: "second" }));

  it("is golden in narrow and wide terminals", async () => {
    for (const width of [60, 150]) {
      const text = renderComparison(comparison, { width, color: false });
      for (const line of text.split("\n")) expect(displayWidth(line), line).toBeLessThanOrEqual(width);
      await expect(text).toMatchFileSnapshot(`fixtures/golden/comparison-${width}.txt`);
    }
  });

  it("is golden in Markdown and JSON", async () => {
    await expect(comparisonMarkdown(comparison)).toMatchFileSnapshot("fixtures/golden/comparison.md");
    await expect(`${JSON.stringify(comparison, null, 2)}\n`).toMatchFileSnapshot(
      "fixtures/golden/comparison.json",
    );
  });
});

const shared = new URL("../../../../shared/data/comparator/ctxsweep-recommended.csv", import.meta.url);

describe.runIf(existsSync(shared))("the comparator's ladder", () => {
  const ladder = () => importResult(readFileSync(shared, "utf8"), "ctxsweep-recommended.csv");

  it("cannot be compared with a run of vllm-bench's defaults, and gets no ratio", () => {
    const comparison = compare(ladder(), resultOfRun(result(), "vllm-bench"));
    expect(comparison.verdict).toBe("not-comparable");
    expect(comparison.reasons.join("; ")).toMatch(/stopping rule differs.*endpoint differs/);
    expect(renderComparison(comparison, { width: 100, color: false })).not.toMatch(/B \/ A \d/);
  });

  it("is compared rung by rung with a run of the preset ctxsweep, and unknown axes are named", () => {
    // Its prompt of 512 tokens has 324; that of 4096 has 4311 and 4275.
    const rungs = [ctxsweepRun(512, 512), ctxsweepRun(4096, 4290)];
    const [first, ...others] = rungs;
    if (first === undefined) throw new Error("there are two");
    const ours: Result = { ...first, points: [first, ...others].flatMap(({ points }) => points) };
    const comparison = compare(ladder(), ours);
    expect(comparison.verdict, comparison.reasons.join("; ")).toBe("matched-except");
    expect(comparison.reasons[0]).toMatch(
      /^1 of 2 rungs cannot be compared \(context 512, temperature 0: workload differs/,
    );
    expect(comparison.rungs.map(({ label }) => label)).toEqual([
      "context 512, temperature 0",
      "context 4096, temperature 0",
    ]);
    expect(comparison.axes.filter(({ state }) => state === "unknown").map(({ axis }) => axis)).toEqual(
      expect.arrayContaining(["model", "hardware"]),
    );
    expect(comparison.onlyA).toContain("context 512, temperature 1");
    const ratios = comparison.rungs.map(
      ({ figures }) => figures.find(({ figure }) => figure === "decodeCtxsweep") ?? null,
    );
    expect(ratios[0]).toMatchObject({ a: { boots: 2, statistic: "median over boots" }, ratio: null });
    expect(ratios[1]?.ratio).not.toBeNull();
  });

  function ctxsweepRun(inputLen: number, promptTokens: number): Result {
    const value = { preset: "ctxsweep", inputLen };
    const { config } = resolveConfig([{ source: "flags", value, origin: new Map() }]);
    const run = resultOfRun(result({ result: { config: benchConfigSchema.parse(config) } }), "ours");
    const [point] = run.points;
    if (point === undefined) throw new Error("a run has a point");
    const lengths = {
      ...point.promptTokens,
      value: promptTokens,
      min: promptTokens,
      p50: promptTokens,
      max: promptTokens,
    };
    return {
      ...run,
      protocol: declaredProtocol(config),
      points: [
        { ...point, at: { ...point.at, concurrency: 1 }, promptTokens: { ...emptyFigure, ...lengths } },
      ],
    };
  }
});

const emptyFigure = {
  value: null,
  statistic: "p50" as const,
  n: null,
  mean: null,
  std: null,
  min: null,
  p50: null,
  p90: null,
  p95: null,
  p99: null,
  max: null,
  ci: null,
  multimodal: null,
  values: null,
  repetitions: null,
};
