import type { SelftestResult } from "@onpar/sweep-runner";
import { describe, expect, it } from "vitest";

import { exitCodes } from "../src/exit-codes.ts";
import { onpar } from "./fake-env.ts";

const short = ["--duration", "0.2", "--first-token", "5", "--rate", "400"];

describe("onpar selftest", () => {
  it("prints a row per level: errors, events, CPU, memory", async () => {
    const { code, stdout, stderr } = await onpar(["selftest", "--streams", "1,4", ...short]);
    expect({ code, stderr }).toEqual({ code: exitCodes.ok.code, stderr: "" });
    const [headings, ...rows] = stdout.trimEnd().split("\n");
    expect(headings).toMatch(/streams +TTFT error p50 +p99 +ITL error p50 +p99 +events\/s/);
    expect(rows.map((row) => row.trim().split(/ +/)[0])).toEqual(["1", "4"]);
    for (const row of rows) expect(row).toMatch(/(\d+\.\d\d ms.*){5} 0$/);
  });

  it("gives the same as JSON, where every error is that of a stamp that came after it was sent", async () => {
    const { code, stdout } = await onpar([
      "selftest",
      "--streams",
      "3",
      "--workers",
      "2",
      "--json",
      ...short,
    ]);
    expect(code).toBe(0);
    const { schema, levels } = JSON.parse(stdout) as SelftestResult;
    expect(schema).toBe("onpar.selftest/1");
    expect(levels).toMatchObject([
      { streams: 3, requests: 6, failed: 0, firstMs: 5, everyMs: 7.5, workers: 2 },
    ]);
    const [level] = levels;
    expect(level?.ttftErrorMs.p50).toBeGreaterThan(0);
    expect(level?.itlErrorMs.p99).toBeGreaterThanOrEqual(level?.itlErrorMs.p50 ?? Infinity);
    // Tokens, and with them the finish, the usage and the end of each answer.
    expect(level?.events).toBe(6 * (13 + 3));
  });

  it.each([
    ["--streams", "1,x"],
    ["--streams", "0"],
    ["--rate", "0"],
    ["--workers", "none"],
    ["--duration", "-1"],
  ])("refuses %s %s by the name of the flag", async (flag, value) => {
    const { code, stderr } = await onpar(["selftest", flag, value]);
    expect(code).toBe(exitCodes.usage.code);
    expect(stderr).toContain(`${flag} ${value}`);
  });
});
