import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import type { StepLine } from "@onpar/sweep-runner";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { describeSaturation, meetsLevels } from "../src/sweep/saturation.ts";
import { describeEosBias, describeLossless } from "../src/sweep/experiment-text.ts";
import { sweepTable, sweepTrouble } from "../src/sweep/sweep-table.ts";
import { onpar } from "./fake-env.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "onpar-sweep-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const line = (id: string, row: StepLine["row"], error: StepLine["error"] = null): StepLine => ({
  type: "step",
  id,
  boot: 1,
  rep: null,
  values: {},
  status: error === null ? "ok" : "failed",
  error,
  row,
  startedAt: "2026-05-01T10:00:00.000Z",
  durationS: 1,
});

describe("a sweep of the bundled pair in this process", () => {
  it(
    "prints a row per point, keeps them, and adds nothing when it is asked to resume",
    { timeout: 60_000 },
    async () => {
      const argv = [
        "sweep",
        "draft",
        "--demo",
        "--values=1,5",
        "--num-prompts=2",
        "--input-len=24",
        "--output-len=16",
      ];
      argv.push(`--output-dir=${join(folder, "draft")}`);
      const { code, stdout, stderr } = await onpar(argv);
      expect(code, stderr).toBe(0);
      const lines = stdout.trimEnd().split("\n");
      expect(lines[0]).toMatch(/^point +ok .* outputs +per pass +acceptance +saturation$/);
      expect(lines[1]).toMatch(/^boot1\/engine\.draftTokens=1 +2 .* 16, length 2 /);
      expect(lines[2]).toMatch(/^boot1\/engine\.draftTokens=5 +2 /);
      const journal = await readFile(join(folder, "draft", "sweep.jsonl"), "utf8");
      const again = await onpar([...argv, "--resume", "--json"]);
      expect(again.code, again.stderr).toBe(0);
      const { lines: rows } = JSON.parse(again.stdout) as { lines: StepLine[] };
      const budgets = rows.map(({ row }) => (row as { perPosition: number[] }).perPosition.length);
      expect(budgets).toEqual([1, 5]);
      const after = await readFile(join(folder, "draft", "sweep.jsonl"), "utf8");
      expect(after.startsWith(journal)).toBe(true);
      expect(after.split("\n").filter((text) => text.includes('"type":"step"'))).toHaveLength(2);
    },
  );

  it(
    "finds the largest load that meets the levels, and says when none does",
    { timeout: 60_000 },
    async () => {
      const argv = [
        "sweep",
        "saturation",
        "--demo",
        "--num-prompts=4",
        "--input-len=24",
        "--output-len=8",
        "--to=2",
      ];
      argv.push("--trials=1", "--json");
      const met = await onpar([...argv, "--slo=p50(e2el)<=1000s", `--output-dir=${join(folder, "met")}`]);
      expect(met.code, met.stderr).toBe(0);
      expect(JSON.parse(met.stdout)).toMatchObject({ result: { largest: 2, smallestMiss: null } });
      const missed = await onpar([...argv, "--slo=ttft<=0.001ms", `--output-dir=${join(folder, "missed")}`]);
      expect(missed.code, missed.stderr).toBe(6);
      expect(JSON.parse(missed.stdout)).toMatchObject({ result: { largest: null, smallestMiss: 1 } });
    },
  );
});

describe("command lines of sweeps", () => {
  it.each([
    [["context", "--values=1,2"], /--values 1,2: give different whole numbers from 16/],
    [["concurrency", "--values=2,2"], /--values 2,2: give different whole numbers/],
    [["points"], /--sweep: name a setting and its values/],
    [["context", "--resume"], /--resume: name the folder of the sweep with --output-dir/],
    [["saturation"], /--slo: name the service levels/],
    [["saturation", "--from=9", "--to=3"], /--to 3: is below --from 9/],
    [["saturation", "--share=2"], /--share 2: give a number from 0 to 1/],
    [["context", "--output=records.jsonl"], /unknown option '--output=records\.jsonl'|unknown option/],
  ])("refuse %j", async (flags, message) => {
    const { code, stderr } = await onpar(["sweep", ...flags]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it.each([
    [["--arms=on"], /--arms on: give at least two different ones/],
    [["--arms=on,of"], /--arms on,of: give at least two/],
    [["--arms=on,off"], /over HTTP the arms without speculation need --off-base-url/],
    [["--off-base-url=nowhere"], /--off-base-url nowhere: give an http or https URL/],
    [["--background=0"], /--background 0: give a whole number/],
  ])("of the losslessness experiment refuse %j", async (flags, message) => {
    const { code, stderr } = await onpar(["experiment", "lossless", ...flags]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });
});

describe("what a sweep says", () => {
  const row = {
    kind: "run",
    ok: 3,
    failed: 0,
    decodeTokensPerS: 12.34,
    outputTokens: { min: 5, p50: 6, max: 9 },
    finishReasons: { eos: 3 },
  };

  it("leaves out columns that nothing is known of, and puts lengths beside the rates", () => {
    expect(sweepTable([line("a", row)])).toBe(
      "point  ok  decode tok/s     outputs\na       3          12.3  5-9, eos 3\n",
    );
  });

  it("says under the table what speaks against a point", () => {
    const failed = line("b", {
      ...row,
      failed: 2,
      breaches: ["eos-not-ignored"],
      warnings: ["client-bound"],
    });
    const text = sweepTable([
      line("a", null, { code: "SERVER_EXITED", message: "the server ended with code 9" }),
      failed,
    ]);
    expect(text).toContain("a: the server ended with code 9\n");
    expect(text).toContain(
      "b: 2 requests failed\nb: not as stated: eos-not-ignored\nb: warnings: client-bound\n",
    );
    expect(sweepTrouble([failed])).toEqual({ breached: true, failed: true });
    expect(sweepTrouble([line("a", row)])).toEqual({ breached: false, failed: false });
  });

  it("a load meets its levels when nothing failed, limits on the run hold, and enough requests meet theirs", () => {
    const good = { failed: 0, dropped: 0, slosMissed: 0, goodput: 0.99, interrupted: false };
    expect(meetsLevels(line("a", good), 0.99)).toBe(true);
    expect(meetsLevels(line("a", { ...good, goodput: null }), 0.99)).toBe(true);
    for (const worse of [
      { failed: 1 },
      { dropped: 1 },
      { slosMissed: 1 },
      { goodput: 0.98 },
      { interrupted: true },
    ]) {
      expect(meetsLevels(line("a", { ...good, ...worse }), 0.99), JSON.stringify(worse)).toBe(false);
    }
    expect(meetsLevels(line("a", null, { code: "X", message: "x" }), 0)).toBe(false);
  });

  it("tells a search, the bias of forced length and divergences in words", () => {
    const search = { over: "rate", from: 1, to: 8, trials: 3, share: 0.99 } as const;
    const trials = [
      { value: 1, met: 2, of: 2, holds: true },
      { value: 2, met: 0, of: 2, holds: false },
    ];
    expect(describeSaturation(search, { largest: 1, smallestMiss: 2, trials })).toMatch(
      /1\.00: 2 of 2 trials met the levels\n.*\nthe service levels are met up to 1\.00 requests per second, and missed at 2\.00\n$/,
    );
    const figure = { value: 0.5, ci: [0.4, 0.6] as const };
    const sides = {
      before: figure,
      after: { value: 0.75, ci: null },
      difference: { value: 0.25, ci: [0.1, 0.4] as const },
    };
    const bias = describeEosBias({
      pairs: 9,
      ended: 8,
      capped: 1,
      parted: 0,
      failed: 0,
      exact: null,
      paired: { prompts: 8, acceptanceRate: sides, tokensPerStep: null, decodeTokensPerS: sides },
      reported: { honoured: null, forced: null, difference: null },
    });
    expect(bias).toContain(
      "8 of 9 outputs ended on EOS by themselves; left out: 1 reached the cap under both rules\n",
    );
    expect(bias).toContain(
      "before EOS 50.0 % [40.0 %, 60.0 %], after it 75.0 %, difference +25.0 points [+10.0 points, +40.0 points]",
    );
    const divergence = {
      promptId: "p",
      token: 3,
      character: 9,
      a: " a",
      b: " b",
      gap: 0.01,
      verdict: "near-tie" as const,
    };
    expect(
      describeLossless([
        { a: "on", b: "off", compared: 2, identical: 1, divergences: [divergence], unpaired: ["q"] },
      ]),
    ).toBe(
      'off against on: 1 of 2 outputs are the same\n  p parts at token 3: " a" and " b" (near-tie, log gap 0.010)\n  in one arm only: q\n',
    );
  });
});
