import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import type { Comparison } from "@onpar/bench-report";
import { demoModel } from "@onpar/demo-model";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { paced, type PacingOptions } from "../src/pacing-proxy.ts";
import { onpar, startServer } from "../src/processes.ts";
import { temporaryFolder } from "../src/runs.ts";

const folder = temporaryFolder();
const declared = folder.file("declared.yaml");
afterAll(() => folder.remove());

/** What no server tells, and a comparison has to know. */
const DECLARED = `
declared: { repository: onpar/demo, revision: "1", quantization: f16, kvDtype: f16, tokenizer: onpar/demo, hardware: CPU }
speculation: { method: draft-model, draftTokens: 5, draftModel: onpar/demo-draft }
`;

beforeAll(() => writeFileSync(declared, DECLARED));

/** Boots the bundled server, benches it through a proxy with a pace, and ends it. */
async function boot(name: string, pacing: PacingOptions, ...flags: readonly string[]): Promise<string> {
  const server = await startServer(["--slots=2"]);
  const proxy = await paced(server.url, pacing);
  const [json, records] = [folder.file(`${name}.json`), folder.file(`${name}.jsonl`)];
  try {
    const { code, stderr } = await onpar([
      "run",
      `--base-url=${proxy.url}`,
      `--config=${declared}`,
      "--endpoint=chat-completions",
      "--ignore-eos",
      "--output-len=24",
      `--dataset-path=${demoModel.promptsPath}`,
      "--num-prompts=8",
      "--concurrency=2",
      "--quiet",
      `--output-json=${json}`,
      `--output=${records}`,
      ...flags,
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    return json;
  } finally {
    await proxy.close();
    expect(await server.stop()).toBe(0);
  }
}

async function compared(a: string, b: string): Promise<Comparison> {
  const { code, stdout, stderr } = await onpar(["compare", a, b, "--json"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Comparison;
}

function figureOf({ rungs }: Comparison, name: string) {
  const found = rungs[0]?.figures.find(({ figure }) => figure === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

/** Whether two rates differ is told by times, which a busy machine bends: run on a quiet one, with TIMED_TESTS=1. */
const timed = process.env["TIMED_TESTS"] === "1";

describe.skipIf(!timed)("boots of a real server", () => {
  let first = "";

  beforeAll(async () => {
    first = await boot("first", { eventMs: 40 }, "--reps=8");
  }, 120_000);

  test("of the same server are matched, and no rate of theirs has changed", async () => {
    const comparison = await compared(first, await boot("second", { eventMs: 40 }, "--reps=8"));
    expect(comparison.verdict).toBe("matched");
    for (const name of ["decodeCtxsweep", "tpotMs"]) {
      const { change, method, ci } = figureOf(comparison, name);
      expect(method).toBe("prompts and repetitions");
      expect(ci).not.toBeNull();
      // One interval of twenty misses 1; none of two boots at one pace is far from it.
      expect(["within noise", "below threshold"]).toContain(change);
    }
    // Two slots share evaluations as it happens, which may tip a near-tie.
    expect(figureOf(comparison, "acceptanceRate").ratio).toBeCloseTo(1, 1);
  });

  test("of a server that is slowed by 10 % are told apart, with 8 repetitions", async () => {
    const slowed = await boot("slowed", { eventMs: 44 }, "--reps=8");
    const comparison = await compared(first, slowed);
    expect(comparison.verdict).toBe("matched");
    const { change, ratio, ci } = figureOf(comparison, "tpotMs");
    expect(change).toBe("worse");
    expect(ratio).toBeGreaterThan(1.05);
    expect(ratio).toBeLessThan(1.15);
    expect(ci?.[0]).toBeGreaterThan(1);
    expect(figureOf(comparison, "decodeCtxsweep").change).toBe("worse");
    const gate = await onpar([
      "compare",
      first,
      slowed,
      "--require=matched",
      "--fail-on=regression:5%:tpotMs",
    ]);
    expect(gate.code).toBe(6);
    expect(gate.stderr).toMatch(/^onpar: failed: .*TPOT.*\n$/);
  });

  test("whose first tokens come at two places are flagged", async () => {
    const waitMs = (request: number): number => (request % 3 === 0 ? 400 : 0);
    const twofold = await boot("twofold", { eventMs: 5, waitMs }, "--reps=8");
    const { stdout } = await onpar(["compare", first, twofold]);
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("B: TTFT gathers around more than one place");
  });
});

describe("a published ladder", () => {
  const published = (name: string) =>
    fileURLToPath(new URL(`../../../../shared/data/comparator/${name}`, import.meta.url));
  const ladder = published("ctxsweep-recommended.csv");

  test.skipIf(!existsSync(ladder))(
    "is laid beside a ladder of ours rung by rung, and what it does not say is named",
    { timeout: 300_000 },
    async () => {
      const server = await startServer(["--slots=1", "--ctx=4096"]);
      const directory = folder.file("ladder");
      try {
        const swept = await onpar([
          "sweep",
          "context",
          "--preset=ctxsweep",
          `--base-url=${server.url}`,
          // As many prompt tokens as the publisher counted at its first two rungs.
          "--values=281,1050",
          `--output-dir=${directory}`,
          "--quiet",
        ]);
        expect(swept.code, swept.stderr).toBe(0);
      } finally {
        await server.stop();
      }
      const comparison = await compared(ladder, directory);
      expect(comparison.verdict).toBe("matched-except");
      expect(comparison.rungs.map(({ label }) => label)).toEqual([
        "context 512, temperature 0",
        "context 1024, temperature 0",
      ]);
      expect(comparison.reasons).toContain("weights unknown");
      const unknown = comparison.axes.filter(({ state }) => state === "unknown").map(({ axis }) => axis);
      expect(unknown).toEqual(expect.arrayContaining(["weights", "hardware", "engine"]));
      for (const { figures } of comparison.rungs) {
        const ratios = figures.filter(({ ratio }) => ratio !== null).map(({ figure }) => figure);
        expect(ratios).toEqual(
          expect.arrayContaining([
            "coldTtftMs",
            "warmTtftMs",
            "prefill",
            "decodeCtxsweep",
            "acceptanceLength",
          ]),
        );
      }
      expect(comparison.onlyA).toContain("context 259584, temperature 0");
    },
  );

  test.skipIf(!existsSync(ladder))("is not comparable with a run under another protocol", async () => {
    const server = await startServer(["--slots=1"]);
    const json = folder.file("vllm-bench.json");
    try {
      const ran = await onpar([
        "run",
        "--preset=vllm-bench",
        `--base-url=${server.url}`,
        "--num-prompts=4",
        "--input-len=64",
        "--output-len=16",
        "--quiet",
        `--output-json=${json}`,
      ]);
      expect(ran.code, ran.stderr).toBe(0);
    } finally {
      await server.stop();
    }
    const { code, stdout } = await onpar(["compare", ladder, json]);
    expect(code).toBe(0);
    const headline = stdout.split("\n\n")[0]?.replaceAll(/\s+/g, " ") ?? "";
    expect(headline).toMatch(/^not comparable: no rung stands on both sides; stopping rule differs /);
    expect(headline).toContain("endpoint differs (chat-completions | completions)");
    expect(stdout).not.toMatch(/\d \[[\d.]+, [\d.]+\][,:]/);
    const gated = await onpar(["compare", ladder, json, "--require=matched-except"]);
    expect(gated.code).toBe(7);
  });
});
