import { describe, expect, it } from "vitest";
import { foreignTraffic, measureWindow, parseMetricsPage, specDecodeCountsOf } from "../src/index.ts";
import { checkSpecDecodeInvariants } from "../src/normal/invariants.ts";
import { fixture, snapshot } from "./pages.ts";

/** What `tools/metrics-peers` keeps beside two pages of a real server: the sums over its own answers in between. */
interface Captured {
  readonly version: string;
  readonly captured: string;
  readonly startToken: string | null;
  readonly answers: {
    readonly requests: number;
    readonly outputTokens: number;
    readonly draftTokens: number;
    readonly acceptedTokens: number;
    readonly verifySteps: number | null;
    readonly acceptedPerPosition: readonly number[] | null;
  };
}

function read(name: string) {
  const about = JSON.parse(fixture(`captured/${name}.json`)) as Captured;
  const page = (when: string) =>
    snapshot(fixture(`captured/${name}-${when}.prom`), { startToken: about.startToken });
  return { about, window: measureWindow(page("before"), page("after")) };
}

describe("pages captured from real servers", () => {
  it.each([
    ["llama-cpp", "llama-cpp", 5],
    ["llama-cpp-ngram", "llama-cpp", 8],
    ["vllm", "vllm", 4],
  ])("%s: the page's difference is the sum over the answers", (name, engine, budget) => {
    const { about, window } = read(name);
    const { answers } = about;
    expect(window).toMatchObject({ engine, reset: false, draftBudget: { value: budget } });
    expect(window.counts.generationTokens).toEqual({ value: answers.outputTokens, plusMinus: 0 });
    const counts = window.acceptance.reading === null ? null : specDecodeCountsOf(window.acceptance.reading);
    if (counts === null) throw new Error("no counts");
    expect(counts).toMatchObject({
      draftTokens: answers.draftTokens,
      acceptedTokens: answers.acceptedTokens,
    });
    // Answers of llama.cpp tell neither.
    expect(counts.verifySteps).toBe(answers.verifySteps ?? counts.verifySteps);
    expect(counts.acceptedPerPosition).toEqual(answers.acceptedPerPosition ?? counts.acceptedPerPosition);
    expect(checkSpecDecodeInvariants(counts, budget)).toEqual([]);
    expect(window.acceptance.reading?.rate).toMatchObject({
      value: answers.acceptedTokens / answers.draftTokens,
      plusMinus: 0,
      formula: "A/D",
      source: "counters",
      window: { kind: "between-snapshots" },
    });
    expect(foreignTraffic(window, answers).verdict).toBe("none");
  });

  it("vLLM's page tells requests, lengths and latencies of the window", () => {
    const { about, window } = read("vllm");
    const { requests, outputTokens } = about.answers;
    expect(window.counts).toMatchObject({
      requestsFinished: { value: requests },
      firstTokens: { value: requests },
    });
    const { timeToFirstToken, outputLength, interTokenLatency } = window.distributions;
    expect(timeToFirstToken?.count).toBe(requests);
    expect(outputLength?.mean).toBe(outputTokens / requests);
    // One observation for each decode step, and several tokens in most of them.
    expect(interTokenLatency?.observation).toBe("decode step");
    const perStep = window.acceptance.reading?.tokensPerStep;
    expect(perStep?.value).toBe((outputTokens - requests) / (interTokenLatency?.count ?? 0));
    const length = window.acceptance.reading?.meanLength?.value ?? 0;
    expect(perStep?.value).toBeLessThan(length);
    const p50 = timeToFirstToken?.p50;
    expect(p50?.low).toBeLessThanOrEqual(p50?.value ?? 0);
    expect(p50?.high).toBeGreaterThanOrEqual(p50?.value ?? 1);
  });

  it("a histogram of vLLM that ends with _total is none of its counters", () => {
    const { samples } = parseMetricsPage(fixture("captured/vllm-after.prom"));
    const types = new Set(
      samples.filter(({ name }) => name.startsWith("vllm:iteration_tokens_total")).map(({ type }) => type),
    );
    expect([...types].toSorted()).toEqual(["gauge", "histogram"]);
  });
});
