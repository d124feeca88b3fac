import type { RequestRecord } from "@onpar/sweep-runner";
import { describe, expect, it } from "vitest";

import { exitCodes } from "../src/exit-codes.ts";
import { withInterrupts } from "../src/interrupts.ts";
import { createProgress, progressLine } from "../src/progress.ts";
import { fakeEnv } from "./fake-env.ts";

describe("progressLine", () => {
  const phase = { name: "measuring", unit: "req/s", startedAtMs: 1000, done: 0, total: 50 };

  it("says done, total, rate and time left", () => {
    expect(progressLine({ ...phase, done: 10 }, 0, 5000)).toBe("measuring 10/50, 2.50 req/s, 16 s left");
    expect(progressLine({ ...phase, done: 1 }, 2, 11_000)).toBe(
      "measuring 1/50, 0.10 req/s, 8 min 10 s left, 2 failed",
    );
  });

  it("shows no rate of the preparation, which is the client's own work", () => {
    const making = { ...phase, name: "making prompts", unit: null, done: 10 };
    expect(progressLine(making, 0, 5000)).toBe("making prompts 10/50, 16 s left");
  });

  it("claims no rate before the first request has ended", () => {
    expect(progressLine(phase, 0, 9000)).toBe("measuring 0/50");
  });
});

describe("createProgress", () => {
  it("draws on a terminal and takes its line away", () => {
    const env = fakeEnv({ stderrIsTerminal: true });
    const progress = createProgress(env, true);
    progress.onEvent({ type: "phase-started", phase: "measure", total: 3 });
    progress.end();
    expect(env.written.stderr).toContain("measuring 0/3");
    expect(env.written.stderr.endsWith("\r\u001b[K")).toBe(true);
  });

  it("does not count a failed warm-up request among the measured ones", () => {
    const env = fakeEnv({ stderrIsTerminal: true });
    const progress = createProgress(env, true);
    const record = { state: "failed" } as RequestRecord;
    progress.onEvent({ type: "phase-started", phase: "warmup", total: 1 });
    progress.onEvent({ type: "request-finished", record, done: 1, total: 1 });
    progress.onEvent({ type: "phase-started", phase: "measure", total: 3 });
    progress.end();
    expect(env.written.stderr).toContain("measuring 0/3");
    expect(env.written.stderr).not.toContain("failed");
  });

  it("writes nothing into a pipe, and nothing when it is not wanted", () => {
    for (const [isTerminal, isWanted] of [
      [false, true],
      [true, false],
    ] as const) {
      const env = fakeEnv({ stderrIsTerminal: isTerminal });
      const progress = createProgress(env, isWanted);
      progress.announce("loading");
      progress.onEvent({ type: "phase-started", phase: "measure", total: 3 });
      progress.end();
      expect(env.written.stderr).toBe("");
    }
  });
});

describe("withInterrupts", () => {
  it("stops on the first interrupt and ends the process on a later one", async () => {
    let nowMs = 1000;
    const env = fakeEnv({ nowMs: () => nowMs });
    const result = await withInterrupts(env, (signal) => {
      env.interrupt();
      expect(signal.aborted).toBe(true);
      // The same Ctrl-C, passed on by npm.
      nowMs += 10;
      env.interrupt();
      expect(env.exits).toEqual([]);
      nowMs += 500;
      env.interrupt();
      return Promise.resolve("kept");
    });
    expect(result).toBe("kept");
    expect(env.exits).toEqual([exitCodes.interrupted.code]);
  });

  it("lets go of the signals afterwards, also when the task throws", async () => {
    const env = fakeEnv();
    await expect(withInterrupts(env, () => Promise.reject(new Error("broken")))).rejects.toThrow("broken");
    env.interrupt();
    env.interrupt();
    expect(env.exits).toEqual([]);
  });
});
