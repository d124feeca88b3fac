import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { benchConfigSchema } from "@onpar/bench-config";
import { describe, expect, it } from "vitest";
import { RunError } from "../../src/errors.ts";
import { nothingMeasured } from "../../src/ladders/nothing-measured.ts";
import { runSweep, type SweepEvent } from "../../src/sweep/run-sweep.ts";
import { openSweepJournal, readSweepJournal } from "../../src/sweep/sweep-journal.ts";
import { planSweep } from "../../src/sweep/sweep-plan.ts";
import { waitUntilIdle } from "../../src/sweep/wait-idle.ts";
import { runError, withFolder } from "../support/run.ts";

const planOf = (values: number[], reps = 1, cooldownS = 0) =>
  planSweep(
    benchConfigSchema.parse({
      repetition: { reps, cooldownS },
      sweep: { axes: [{ field: "concurrency", values }], order: "interleaved" },
    }),
  );
const journalOptions = { kind: "custom", resume: false, toolVersion: "0.0.0-test" };

describe("a sweep", () => {
  it("takes its points in order, with a pause between them, and tells how long it has left", async () => {
    let clock = 0;
    const events: SweepEvent[] = [];
    const result = await runSweep({
      plan: planOf([1, 2, 3], 1, 2),
      journal: null,
      runPoint: async (step) => {
        clock += 10_000;
        return { streams: step.config.concurrency };
      },
      now: () => clock,
      wait: async (ms) => void (clock += ms),
      onEvent: (event) => events.push(event),
    });
    expect(result.lines.map(({ row }) => row)).toEqual([{ streams: 1 }, { streams: 2 }, { streams: 3 }]);
    expect(events.filter(({ type }) => type === "cooldown")).toHaveLength(2);
    const left = events.flatMap((event) => (event.type === "step-ended" ? [event.leftS] : []));
    expect(left).toEqual([20, 11, 0]);
    expect(result).toMatchObject({ interrupted: false, failed: 0, missing: 0 });
  });

  it("records a point that fails, says why, and goes on", async () => {
    const result = await runSweep({
      plan: planOf([1, 2, 3]),
      journal: null,
      runPoint: async ({ config }) => {
        if (config.concurrency === 2) throw new RunError("REQUEST_REFUSED", "no room for 2");
        return null;
      },
    });
    expect(result.lines.map(({ status }) => status)).toEqual(["ok", "failed", "ok"]);
    expect(result.lines[1]?.error).toEqual({ code: "REQUEST_REFUSED", message: "no room for 2" });
    expect(result.failed).toBe(1);
  });

  it("takes a point again in which no request ended well", async () => {
    await withFolder(async (folder) => {
      const plan = planOf([1, 2]);
      const taken: string[] = [];
      const take = async (ok: number, resume: boolean) => {
        const journal = await openSweepJournal(folder, plan, { ...journalOptions, resume });
        const result = await runSweep({
          plan,
          journal,
          emptiness: nothingMeasured,
          runPoint: async ({ id, config }) => {
            taken.push(id);
            return config.concurrency === 1 ? { ok: 3, failed: 2 } : { ok, failed: 5 - ok };
          },
        });
        await journal.release();
        return result;
      };
      const first = await take(0, false);
      expect(first).toMatchObject({ failed: 1 });
      expect(first.lines[1]).toMatchObject({
        status: "failed",
        error: { code: "NOTHING_MEASURED", message: expect.stringContaining("5 failed") },
        row: { ok: 0, failed: 5 },
      });
      expect(await take(5, true)).toMatchObject({ failed: 0, missing: 0 });
      expect(taken).toEqual([...plan.steps.map(({ id }) => id), plan.steps[1]?.id]);
    });
  });

  it("keeps what was measured when the server ends in the middle, and names the end", async () => {
    const died = new AbortController();
    const result = await runSweep({
      plan: planOf([1, 2]),
      journal: null,
      prepare: async (step) => (step.config.concurrency === 1 ? died.signal : null),
      runPoint: async ({ config }, { signal }) => {
        if (config.concurrency === 1)
          died.abort(new RunError("SERVER_EXITED", "the server ended with code 9"));
        return { aborted: signal.aborted };
      },
    });
    expect(result.lines[0]).toMatchObject({
      status: "failed",
      error: { code: "SERVER_EXITED", message: "the server ended with code 9" },
      row: { aborted: true },
    });
    expect(result.lines[1]).toMatchObject({ status: "ok", row: { aborted: false } });
  });

  it("goes on after a kill without taking a point again or losing one, failed ones anew", async () => {
    await withFolder(async (folder) => {
      const plan = planOf([1, 2, 3, 4], 2);
      const stop = new AbortController();
      const taken: string[] = [];
      const first = await openSweepJournal(folder, plan, journalOptions);
      const cut = await runSweep({
        plan,
        journal: first,
        signal: stop.signal,
        runPoint: async ({ id, config }) => {
          taken.push(id);
          if (taken.length === 5) stop.abort();
          if (config.concurrency === 3) throw new RunError("REQUEST_REFUSED", "busy");
          return { id };
        },
      });
      await first.release();
      expect(cut).toMatchObject({ interrupted: true, missing: 4 });
      // A kill in the middle of a line.
      await appendFile(join(folder, "sweep.jsonl"), '{"type":"step","id":"boot1/rep2/conc');

      const second = await openSweepJournal(folder, plan, { ...journalOptions, resume: true });
      const again: string[] = [];
      const result = await runSweep({
        plan,
        journal: second,
        runPoint: async ({ id }) => {
          again.push(id);
          return { id };
        },
      });
      await second.release();
      expect(again).toEqual([plan.steps[2]?.id, ...plan.steps.slice(4).map(({ id }) => id)]);
      expect(result.lines.map(({ id }) => id)).toEqual(plan.steps.map(({ id }) => id));
      expect(result).toMatchObject({ interrupted: false, failed: 0, missing: 0 });
      const kept = await readSweepJournal(join(folder, "sweep.jsonl"));
      expect(kept?.steps.size).toBe(plan.steps.length);
    });
  });

  it("does not go on with another plan, another kind, or without being asked to", async () => {
    await withFolder(async (folder) => {
      const journal = await openSweepJournal(folder, planOf([1]), journalOptions);
      const held = await runError(openSweepJournal(folder, planOf([1]), { ...journalOptions, resume: true }));
      expect(held.message).toMatch(/another run \(process \d+\) is writing/);
      await journal.release();
      const unasked = await runError(openSweepJournal(folder, planOf([1]), journalOptions));
      expect(unasked.message).toMatch(/holds a sweep already: add --resume/);
      const otherPlan = await runError(
        openSweepJournal(folder, planOf([2]), { ...journalOptions, resume: true }),
      );
      expect(otherPlan.message).toMatch(/sweep with other settings/);
      const otherKind = await runError(
        openSweepJournal(folder, planOf([1]), { ...journalOptions, kind: "context", resume: true }),
      );
      expect(otherKind.message).toMatch(/another plan \(custom\)/);
    });
  });

  it("refuses a file that is no journal, and one that is broken in the middle", async () => {
    await withFolder(async (folder) => {
      const path = join(folder, "sweep.jsonl");
      await writeFile(path, '{"type":"header"}\n');
      const open = () => openSweepJournal(folder, planOf([1]), { ...journalOptions, resume: true });
      expect((await runError(open())).message).toMatch(/sweep\.jsonl:1: not the first line/);
      await writeFile(path, "");
      await (await open()).release();
      const good = await readFile(path, "utf8");
      await writeFile(path, `${good}{"type":\n{"type":"resumed"}\n{"bro\n{"type":"step"}\n`);
      expect((await runError(open())).message).toMatch(/sweep\.jsonl:4: no line of a sweep's journal/);
    });
  });
});

describe("waiting for an idle server", () => {
  const waiting = (loads: (number | null)[], timeoutMs = 10_000) => {
    let clock = 0;
    return waitUntilIdle({
      read: async () => (loads.length > 1 ? loads.shift() : loads[0]) ?? null,
      timeoutMs,
      pollMs: 1000,
      now: () => clock,
      wait: async (ms) => void (clock += ms),
    });
  };

  it("takes two looks in a row: a gauge may be old", async () => {
    expect(await waiting([0, 3, 1, 0, 0])).toEqual({ state: "idle", waitedS: 4, requests: 0 });
  });

  it("gives up in the end, and says how busy the server was", async () => {
    expect(await waiting([2], 3000)).toEqual({ state: "busy", waitedS: 3, requests: 2 });
  });

  it("does not wait for a server that tells nothing", async () => {
    expect(await waiting([null])).toEqual({ state: "unknown", waitedS: 0, requests: null });
  });
});
