import { benchConfigSchema, presetNamed } from "@onpar/bench-config";
import { describe, expect, it } from "vitest";
import type { RunResult } from "@onpar/sweep-runner";

import { renderTerminalReport } from "../src/index.ts";
import { displayWidth } from "../src/text.ts";
import {
  breachResult,
  eosResult,
  failedResult,
  interruptedResult,
  noAcceptanceResult,
  result,
} from "./results.ts";

const cases = {
  "ignore-eos": result(),
  eos: eosResult(),
  failed: failedResult(),
  interrupted: interruptedResult(),
  "no-acceptance": noAcceptanceResult(),
  breach: breachResult(),
};

// oxlint-disable-next-line no-control-regex -- escape sequences are what is looked for
const ESCAPES = /\u001b\[\d+m/g;

describe("renderTerminalReport", () => {
  for (const [name, run] of Object.entries(cases)) {
    for (const width of [60, 120]) {
      it(`prints ${name} in ${width} columns`, async () => {
        const text = renderTerminalReport(run, { width, color: false });
        for (const line of text.split("\n")) expect(displayWidth(line), line).toBeLessThanOrEqual(width);
        expect(text).not.toContain("\u001b");
        await expect(text).toMatchFileSnapshot(`golden/${name}-${width}.txt`);
      });
    }

    it.each([40, 48])(`keeps ${name} within %i columns, p50 and p99 last of all`, (width) => {
      const lines = renderTerminalReport(run, { width, color: false }).split("\n");
      // One long word, such as a file or a hash, stands whole.
      for (const line of lines.filter((one) => one.trim().includes(" ")))
        expect(displayWidth(line), line).toBeLessThanOrEqual(width);
      for (const head of lines.filter((line) => line.startsWith("  ms "))) expect(head).toMatch(/p50 .*p99/);
    });

    it(`says the same of ${name} in colour`, () => {
      const plain = renderTerminalReport(run, { width: 100, color: false });
      const coloured = renderTerminalReport(run, { width: 100, color: true });
      expect(coloured).not.toBe(plain);
      expect(coloured.replace(ESCAPES, "")).toBe(plain);
    });
  }

  it("says what prompts share, how conversations are played, and how answers came", () => {
    const say = (dataset: object, more: object = {}): string => {
      const config = benchConfigSchema.parse({ dataset, ...more });
      return renderTerminalReport({ ...result(), config }, { width: 200, color: false });
    };
    expect(
      say({ kind: "multi-turn", history: "live", turnDelayMs: 250 }, { datasetPath: "f.jsonl" }),
    ).toContain(
      "all of each conversation, later ones after the server's own answers, 250 ms of pause before each",
    );
    expect(say({ kind: "shared-prefix", hitRate: 0.5, prefixGroups: 3 })).toContain(
      "50.0 % of the prompt tokens, 3 groups",
    );
    expect(say({ sharedPrefixLen: 64 })).toContain("64 tokens, 1 group");
    expect(say({ kind: "sharegpt", recordedLengths: true }, { datasetPath: "f.json" })).toContain(
      "outputs capped at their recorded lengths",
    );
    const { protocol } = result();
    const load = { ...protocol.load, retries: 2, durationS: 5 };
    const whole = { ...result(), protocol: { ...protocol, delivery: "whole" as const, load } };
    const text = renderTerminalReport(whole, { width: 200, color: false });
    expect(text).toContain("not streamed");
    expect(text).toMatch(/in flight, for 5 s, (started together, )?at most 2 retries, /);
  });

  it("calls a cache cold that served less than one prompt token of a hundred", () => {
    const state = (cachedPromptTokens: number | null, cacheHitRate: number | null): string => {
      const text = renderTerminalReport(result({ summary: { cachedPromptTokens, cacheHitRate } }), {
        width: 200,
        color: false,
      });
      return /^ {2}state +(.*)$/m.exec(text)?.[1] ?? "";
    };
    expect(state(0, 0)).toBe("cold: no prompt token came from it");
    expect(state(1, 0.001)).toBe("cold: 1 prompt token came from it (0.1 % of all)");
    expect(state(40, 0.02)).toBe("warm: 40 prompt tokens came from it (2.0 % of all)");
    expect(state(40, null)).toBe("warm: 40 prompt tokens came from it");
    expect(state(null, null)).toMatch(/^unknown: /);
  });

  it("puts failures into the first line", () => {
    expect(firstLine(failedResult())).toBe("50 asked: 0 ok, 50 failed, 0 aborted; error rate 100.0 %");
    expect(firstLine(interruptedResult())).toBe(
      "50 asked: 7 ok, 1 failed, 4 aborted, 38 never sent; error rate 12.5 %",
    );
  });

  it("does not round a rare failure away", () => {
    const counts = { asked: 10_000, ok: 9999, failed: 1, dropped: 0, aborted: 0, unsent: 0, warmup: 0 };
    expect(firstLine(result({ summary: { counts, errorRate: 1 / 10_000 } }))).toContain("error rate < 0.1 %");
  });

  it("prints the output lengths and the rule beside every rate", () => {
    const lines = renderTerminalReport(result(), { width: 160, color: false }).split("\n");
    const rates = lines.filter((line) => /tok\/s|req\/s/.test(line));
    expect(rates.length).toBe(6);
    for (const line of rates) expect(line).toContain("[outputs 128/128/128 tokens, ignore-eos]");
  });

  it("leaves p90 and p99 out where too few values stand behind them", () => {
    const text = renderTerminalReport(interruptedResult(), { width: 120, color: false });
    const row = text.split("\n").find((line) => line.trimStart().startsWith("TTFT"));
    expect(
      row
        ?.trim()
        .split(/\s{2,}/)
        .slice(5, 7),
    ).toEqual(["-", "-"]);
    expect(text).toContain("p90 needs n >= 10, p99 needs n >= 100");
  });

  it("names an unset enable_thinking as unset and a set one by its value", () => {
    const template = { ...eosResult().protocol.template, kwargs: {} };
    const unset = renderTerminalReport(result({ protocol: { template } }), { width: 120, color: false });
    expect(unset).toContain("none set; enable_thinking unset");
    const set = renderTerminalReport(eosResult(), { width: 120, color: false });
    expect(set).toContain("enable_thinking=false");
    expect(set).not.toContain("unset");
  });

  it("lists breaches before warnings and warnings before notes", () => {
    const text = renderTerminalReport(breachResult(), { width: 120, color: false });
    const at = ["BREACH eos-not-ignored", "WARNING client-busy", "NOTE foreign-traffic-unknown"].map((part) =>
      text.indexOf(part),
    );
    expect(at).toEqual([...at].sort((a, b) => a - b));
    expect(at[0]).toBeGreaterThan(0);
    expect(text.split("\n")[1]).toBe("  This run does not stand as stated: eos-not-ignored (see Findings).");
  });

  it("takes control characters out of what a server said", () => {
    const hostile = result({
      protocol: { model: { requested: null, resolved: "evil\u001b[2J\u009b31m\u202egnp" } },
      summary: { errors: { "http 500: \u001b]0;title\u0007\nsecond line": 1 } },
    });
    const text = renderTerminalReport(hostile, { width: 120, color: false });
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    expect(text.replaceAll("\n", "")).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
    expect(text).toContain("second line");
  });
});

describe("an engine of this process", () => {
  const shown = (inProcess: RunResult["system"]["inProcess"], threads: number | "auto"): string =>
    renderTerminalReport(
      result({
        protocol: { endpoint: "engine" },
        result: {
          config: benchConfigSchema.parse({
            target: { endpoint: "engine" },
            engine: { modelPath: "target.gguf", threads },
          }),
          system: { engine: "llama.cpp", version: "b7000", baseUrl: null, inProcess },
        },
      }),
      { width: 120, color: false },
    );

  it("tells the threads that it measured, its GPU and an adaptive draft length", () => {
    const text = shown({ threads: 3, gpu: "vulkan", draftLength: "adaptive" }, "auto");
    expect(text).toMatch(/^ *engine threads +3 \(measured at load\)$/m);
    expect(text).toMatch(/^ *GPU +vulkan$/m);
    expect(text).toMatch(/^ *draft length +adaptive/m);
  });

  it("tells only what was asked where it found nothing else", () => {
    const text = shown({ threads: 2, gpu: false, draftLength: "fixed" }, 2);
    expect(text).toMatch(/^ *engine threads +2$/m);
    expect(text).not.toMatch(/^ *(GPU|draft length) /m);
    expect(shown(undefined, "auto")).toMatch(/^ *engine threads +measured at load$/m);
  });
});

function firstLine(run: ReturnType<typeof result>): string | undefined {
  return renderTerminalReport(run, { width: 120, color: false }).split("\n")[0];
}

describe("a run that started from a preset", () => {
  const started = (changes: Record<string, unknown>) =>
    renderTerminalReport(
      result({
        result: {
          config: benchConfigSchema.parse({
            ...presetNamed("vllm-bench")?.settings,
            preset: "vllm-bench",
            ...changes,
          }),
        },
      }),
      { width: 140, color: false },
    );

  it("says that it was kept", () => {
    expect(started({ concurrency: 4 })).toMatch(/^ *preset +vllm-bench \(2026-07-24\), kept$/m);
  });

  it("says every setting that left it", () => {
    expect(started({ ignoreEos: false, sampling: { topK: 40 } })).toMatch(
      /preset +vllm-bench \(2026-07-24\), left: ignoreEos false instead of true; sampling\.topK 40 instead of -1$/m,
    );
  });
});

describe("what a run may have beside", () => {
  const figure = { values: [1, 2], median: 1.5, min: 1, max: 2, cv: 0.47, ci: [1, 2] as const };
  const text = (changes: Parameters<typeof result>[0]) =>
    renderTerminalReport(result(changes), { width: 120, color: false });

  it("tells repetitions with their spread", () => {
    const spread = { repetitions: 2, boots: 1, figures: { "ttftMs.p50": figure } };
    expect(text({ summary: { spread } })).toMatch(/TTFT p50, ms +1\.500 +1 +2 +47\.0 % +\[1, 2\]/);
  });

  it("tells service levels", () => {
    const slo = { slo: "ttft<=500ms", scope: "request" as const, met: 48, of: 50, unknown: 1, value: null };
    const goodput = { slos: [slo], met: 48, share: 0.96, requestsPerS: 1.1, outputTokensPerS: 140 };
    expect(text({ summary: { goodput } })).toMatch(/ttft<=500ms +48 of 50 requests, 1 do not tell/);
  });

  it("tells what the prefix cache served", () => {
    expect(text({})).toContain("cold: no prompt token came from it");
    expect(text({ summary: { cachedPromptTokens: 512, cacheHitRate: 0.02 } })).toContain(
      "warm: 512 prompt tokens came from it (2.0 % of all)",
    );
    expect(text({ summary: { cachedPromptTokens: null } })).toMatch(
      /state +unknown: the server does not tell/,
    );
  });

  it("tells whether the client was the limit, and by what", () => {
    const delay = { p50Ms: 1, p99Ms: 80, maxMs: 120 };
    const client = {
      eventLoopDelayMs: delay,
      scheduleErrorMs: delay,
      cpuShare: 0.99,
      socketBacklog: 4,
      limits: ["the event loop was late by 80 ms"],
      clientBound: true,
    };
    expect(text({ summary: { client } })).toMatch(/self-check +The client was the limit[^]*late by 80 ms/);
  });

  it("tells latencies from the schedule of an open load, and what was dropped", () => {
    const { latency, counts } = result().summary;
    const open = text({
      protocol: { load: { kind: "poisson", concurrency: null, rate: 5, warmupRequests: 0 } },
      summary: {
        counts: { ...counts, ok: 48, dropped: 2 },
        latency: { ...latency, ttftFromScheduleMs: latency.ttftMs, e2elFromScheduleMs: latency.e2elMs },
      },
    });
    expect(open).toContain("TTFT from schedule");
    expect(open.split("\n")[0]).toContain("2 dropped");
    expect(text({})).not.toContain("from schedule");
  });
});
