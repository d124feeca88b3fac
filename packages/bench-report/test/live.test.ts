import { createHash } from "node:crypto";

import { benchConfigSchema } from "@onpar/bench-config";
import { acceptanceFrom } from "@onpar/metrics-client";
import { packChunks, summarize, type RequestRecord, type RunView } from "@onpar/sweep-runner";
import { describe, expect, it } from "vitest";

import { LIVE_POLICY, livePage, LiveRun, liveView } from "../src/index.ts";
import { breachResult, record, result } from "./results.ts";

const MS = 1e6;
const config = benchConfigSchema.parse({ numPrompts: 40, concurrency: 2, ignoreEos: false });

/** Two repetitions of twenty requests with a pause between them; every ninth one failed. */
function records(): RequestRecord[] {
  return Array.from({ length: 40 }, (_, index) => {
    const repetition = Math.floor(index / 20);
    const sentNs = (index + 100 * repetition) * 100 * MS;
    const isFailed = index % 9 === 8;
    const ttft = (20 + ((index * 7) % 40)) * MS;
    const tokens = 20 + (index % 11);
    return record({
      id: `measure-${index}`,
      repetition,
      state: isFailed ? "failed" : "ok",
      error: isFailed ? { kind: "http", message: "HTTP 503: no capacity" } : null,
      scheduledNs: sentNs,
      sentNs,
      chunks: packChunks([
        [sentNs + ttft, "content", 12, 1],
        [sentNs + ttft + tokens * 3 * MS, "content", 12, tokens - 1],
      ]),
      endNs: sentNs + ttft + tokens * 3 * MS,
      outputTokens: isFailed ? null : tokens,
      acceptance: null,
    });
  });
}

function follow(given: readonly RequestRecord[], live: LiveRun, total = given.length): void {
  for (const [index, one] of given.entries()) {
    live.onEvent({ type: "request-finished", record: one, done: index + 1, total }, 2000 + (index + 1) * 100);
  }
}

const view: RunView = {
  findings: () => [{ severity: "breach", code: "eos-not-ignored", message: "the server did not obey" }],
  acceptance: () => Promise.resolve({ acceptance: null, missing: null, drafting: null }),
};

function started(total: number, of = config): LiveRun {
  const live = new LiveRun(of, 0);
  live.onEvent({ type: "run-started", total, warmup: 0, view }, 1000);
  live.onEvent({ type: "phase-started", phase: "measure", total }, 2000);
  return live;
}

describe("LiveRun", () => {
  it("has the counts, lengths and rates that the records have in the end", () => {
    const all = records();
    const live = started(all.length);
    follow(all, live);
    const state = live.state(10_000);
    const summary = summarize(all, {
      asked: all.length,
      cap: 128,
      acceptance: null,
      acceptanceMissing: null,
      concurrency: 2,
      client: null,
    });
    const { ok, failed, dropped, aborted } = summary.counts;
    expect(state.counts).toEqual({ ok, failed, dropped, aborted });
    expect(failed).toBeGreaterThan(0);
    expect(state.outputTokensPerS).toBeCloseTo(summary.rates.outputTokensPerS ?? NaN, 6);
    expect(state.requestsPerS).toBeCloseTo(summary.rates.requestsPerS ?? NaN, 6);
    const { n, min, mean, max } = summary.outputs.lengths ?? { n: 0 };
    expect(state.lengths).toEqual({ n, min, mean, max });
    expect(state.firstError).toBe("HTTP 503: no capacity");
    const figures = [
      [state.figures.ttftMs, summary.latency.ttftMs],
      [state.figures.e2elMs, summary.latency.e2elMs],
      [state.figures.tpotMs, summary.latency.tpotMs],
      [state.figures.decode, summary.rates.decodeCtxsweep],
    ] as const;
    for (const [seen, wanted] of figures) {
      expect(seen.n).toBe(wanted?.n);
      // Bins are 9 % wide, and values lie 5 % apart at most.
      expect(seen.p50 ?? NaN).toBeGreaterThan(0.9 * (wanted?.p50 ?? NaN));
      expect(seen.p50 ?? NaN).toBeLessThan(1.1 * (wanted?.p50 ?? NaN));
    }
  });

  it("leaves warm-up out, and says how much is done and left", () => {
    const live = new LiveRun(config, 0);
    live.onEvent({ type: "preparing", step: "prompts", done: 5, total: 10 }, 500);
    expect(live.state(1000)).toMatchObject({ phase: "preparing", done: 5, total: 10, share: 0.5, leftS: 1 });
    live.onEvent({ type: "run-started", total: 4, warmup: 1, view }, 1000);
    live.onEvent({ type: "phase-started", phase: "warmup", total: 1 }, 1000);
    expect(live.isMeasuring).toBe(false);
    const [one, two] = records();
    if (one === undefined || two === undefined) throw new Error("there are records");
    live.onEvent({ type: "request-finished", record: { ...one, phase: "warmup" }, done: 1, total: 1 }, 1500);
    expect(live.state(1500)).toMatchObject({ phase: "warm-up", done: 1, counts: { ok: 0 } });
    live.onEvent({ type: "phase-started", phase: "measure", total: 4 }, 2000);
    expect(live.state(2000)).toMatchObject({ done: 0, total: 4, share: 0, leftS: null, lengths: null });
    live.onEvent({ type: "request-finished", record: two, done: 1, total: 4 }, 3000);
    expect(live.state(3000)).toMatchObject({
      phase: "measuring",
      done: 1,
      share: 0.25,
      elapsedS: 1,
      leftS: 3,
    });
  });

  it("goes by the clock where the load does", () => {
    const timed = benchConfigSchema.parse({
      load: { kind: "constant", rate: 5, durationS: 10 },
      repetition: { reps: 2, cooldownS: 5 },
    });
    const live = started(1000, timed);
    expect(live.state(7000)).toMatchObject({ elapsedS: 5, leftS: 20, share: 0.2 });
  });

  it("takes no more room for more requests", () => {
    const size = (count: number): number => {
      const live = started(count);
      const [one] = records();
      if (one === undefined) throw new Error("there are records");
      for (let index = 0; index < count; index++) {
        const sentNs = index * 50 * MS;
        const moved = { ...one, sentNs, scheduledNs: sentNs, endNs: sentNs + 90 * MS };
        live.onEvent(
          { type: "request-finished", record: moved, done: index + 1, total: count },
          3000 + index,
        );
      }
      return JSON.stringify(live.state(1e6)).length;
    };
    expect(size(20_000)).toBeLessThan(1.5 * size(2000));
  });
});

describe("liveView", () => {
  it("shows findings and acceptance as the run goes", () => {
    const live = started(40);
    follow(records().slice(0, 9), live, 40);
    expect(liveView(live.state(3000)).texts["acceptance"]).toBe("not read yet");
    const counts = {
      verifySteps: 100,
      draftTokens: 500,
      acceptedTokens: 380,
      acceptedPerPosition: [90, 80, 75, 70, 65],
    };
    live.note({ acceptance: acceptanceFrom(counts, "metrics-delta"), missing: null, drafting: true });
    const seen = liveView(live.state(3000));
    expect(seen).toMatchObject({ isOver: false, tone: "bad", share: 9 / 40 });
    expect(seen.texts["phase"]).toBe("Measuring.");
    expect(seen.texts["counts"]).toBe("8 ok, 1 failed, 0 dropped, 0 aborted");
    expect(seen.texts["progress"]).toMatch(/^9 of 40 requests, 1 s so far, about 3 s left$/);
    expect(seen.texts["acceptance"]).toContain("76.0 % = A / D = 380 / 500");
    expect(seen.texts["acceptance"]).toContain("metrics-delta");
    expect(seen.texts["outputs"]).toMatch(/^20\/[\d.]+\/27 tokens \(min\/mean\/max\), eos, 8 requests/);
    expect(seen.texts["ttftMs-n"]).toBe("8");
    // A percentile that too few values stand behind is left out.
    expect(seen.texts["ttftMs-p90"]).toBe("-");
    expect(seen.lists["findings"]).toEqual(["breach eos-not-ignored: the server did not obey"]);
    expect(seen.charts["chart-ttft"]).toContain("<svg");
    expect(seen.charts["chart-position"]).toContain("draft position");
  });

  it("ends with the run's own findings and acceptance, and says where the results are", () => {
    const live = started(40);
    follow(records(), live);
    const files = [["--output-json", "out/result.json"]] as const;
    live.end({ result: breachResult(), error: null, files }, 9000);
    const seen = liveView(live.state(99_000));
    expect(seen).toMatchObject({ isOver: true, share: 1, title: "over - onpar run" });
    expect(seen.texts["phase"]).toMatch(/^The run is over\. It does not stand as stated: eos-not-ignored/);
    expect(seen.texts["progress"]).toBe("40 of 40 requests, 7 s so far");
    expect(seen.lists["files"]?.[0]).toBe("--output-json: out/result.json");
    expect(seen.lists["findings"]?.[0]).toMatch(/^breach eos-not-ignored: /);
  });

  it("says why nothing could be measured", () => {
    const live = new LiveRun(config, 0);
    live.end({ result: null, error: "no server at http://127.0.0.1:1", files: [] }, 100);
    const seen = liveView(live.state(200));
    expect(seen.tone).toBe("bad");
    expect(seen.texts["phase"]).toContain("nothing could be measured. no server at http://127.0.0.1:1");
  });
});

describe("livePage", () => {
  const live = started(40);
  live.note({ acceptance: null, missing: "<img src=x onerror=alert(1)>\u001b[31m", drafting: null });
  const hostile = benchConfigSchema.parse({ target: { model: "</title><script>alert(1)</script>" } });
  const page = livePage(hostile, liveView(live.state(3000)));

  it("lets its own script and styles run, and nothing else", () => {
    const hash = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    const [scripts, styles] = ["script", "style"].map((name) =>
      [...page.matchAll(new RegExp(`<${name}>([^]*?)</${name}>`, "g"))].map(([, body]) => body ?? ""),
    );
    expect(scripts).toHaveLength(1);
    expect(styles).toHaveLength(1);
    expect(LIVE_POLICY).toContain(`script-src ${hash(scripts?.[0] ?? "")};`);
    expect(LIVE_POLICY).toContain(`style-src ${hash(styles?.[0] ?? "")};`);
    expect(LIVE_POLICY).toContain("default-src 'none'");
    expect(page).not.toMatch(/ (?:src|href|style|on\w+)="(?!data:)/);
  });

  it("shows what servers and users say as text", () => {
    expect(page).not.toContain("<script>alert");
    expect(page).not.toContain("<img");
    expect(page).not.toContain("\u001b");
    expect(page).toContain("&lt;script&gt;alert(1)");
  });

  it("has every place that a view fills", () => {
    live.end({ result: result(), error: null, files: [["--output", "r.jsonl"]] }, 4000);
    const { texts, lists, charts } = liveView(live.state(4000));
    for (const id of [...Object.keys(texts), ...Object.keys(lists), ...Object.keys(charts)])
      expect(page, id).toContain(`id="${id}"`);
  });
});
