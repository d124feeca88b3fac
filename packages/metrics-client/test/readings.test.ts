import { describe, expect, it } from "vitest";
import {
  acceptanceFrom,
  parseExposition,
  readServerCounters,
  readServerLoad,
  readSpecDecodeCounts,
} from "../src/index.ts";
import { counters, fixture, specPage } from "./pages.ts";

const twoEngines = parseExposition(fixture("vllm-two-engines-after.prom"));
const llamaCpp = parseExposition(fixture("llama-cpp.prom"));

describe("readSpecDecodeCounts", () => {
  it("adds the engines of one page and sorts positions as numbers", () => {
    expect(readSpecDecodeCounts(twoEngines)).toEqual({
      verifySteps: 750,
      draftTokens: 8250,
      acceptedTokens: 2746,
      acceptedPerPosition: [530, 420, 345, 290, 235, 208, 186, 164, 142, 121, 105],
    });
  });

  it("reads one engine when its label is asked for", () => {
    const counts = readSpecDecodeCounts(twoEngines, { labels: { engine: "1" } });
    expect(counts).toMatchObject({ verifySteps: 150, draftTokens: 1650, acceptedTokens: 251 });
    expect(readSpecDecodeCounts(twoEngines, { labels: { engine: "2" } })).toBeNull();
  });

  it("reads the same schema behind any prefix", () => {
    expect(readSpecDecodeCounts(llamaCpp)).toEqual({
      verifySteps: 100,
      draftTokens: 300,
      acceptedTokens: 150,
      acceptedPerPosition: [80, 50, 20],
    });
    for (const prefix of ["", "lmdeploy:", "onpar_", "trtllm_", "my:own:"]) {
      const page = specPage(10, 30, [9, 5, 1]).replaceAll("vllm:", prefix);
      expect(readSpecDecodeCounts(parseExposition(page))).toMatchObject({
        verifySteps: 10,
        acceptedTokens: 15,
      });
    }
  });

  it("does not add the same counters under two prefixes", () => {
    const both = specPage(10, 30, [9, 5, 1]).replaceAll("vllm:", "onpar:") + specPage(20, 60, [18, 10, 2]);
    expect(readSpecDecodeCounts(parseExposition(both))?.verifySteps).toBe(20);
    expect(readSpecDecodeCounts(parseExposition(both), { prefix: "onpar:" })?.verifySteps).toBe(10);
    expect(readSpecDecodeCounts(parseExposition(both), { prefix: "other:" })).toBeNull();
  });

  it("finds counters that are written without _total, and does not count them twice when both are there", () => {
    const bare = specPage(10, 30, [9, 5, 1]).replaceAll("_total", "");
    expect(readSpecDecodeCounts(parseExposition(bare))).toMatchObject({ verifySteps: 10, draftTokens: 30 });
    expect(readSpecDecodeCounts(parseExposition(bare + specPage(10, 30, [9, 5, 1])))?.draftTokens).toBe(30);
  });

  it("leaves V unknown when there is no counter of drafts", () => {
    const page = counters(
      ["vllm:spec_decode_num_draft_tokens_total", 400],
      ["vllm:spec_decode_num_accepted_tokens_total", 200],
    );
    const counts = readSpecDecodeCounts(parseExposition(page));
    expect(counts).toEqual({
      verifySteps: null,
      draftTokens: 400,
      acceptedTokens: 200,
      acceptedPerPosition: null,
    });
  });

  it("is null without the counters, and for gauges of the same name", () => {
    expect(readSpecDecodeCounts([])).toBeNull();
    const gauges = specPage(10, 30, [9]).replaceAll(" counter", " gauge");
    expect(readSpecDecodeCounts(parseExposition(gauges))).toBeNull();
  });

  it("fills positions that are missing between others with 0 and refuses labels that are none", () => {
    const page = (position: string): string =>
      `${specPage(10, 30, [])}vllm:spec_decode_num_accepted_tokens_per_pos_total{position="${position}"} 4\n`;
    expect(readSpecDecodeCounts(parseExposition(page("2")))?.acceptedPerPosition).toEqual([0, 0, 4]);
    for (const position of ["", "-1", "x", "1.5", "99999999"]) {
      expect(readSpecDecodeCounts(parseExposition(page(position)))?.acceptedPerPosition).toBeNull();
    }
  });
});

describe("readServerCounters", () => {
  it("adds engines and finish reasons and leaves other counters with similar names out", () => {
    expect(readServerCounters(twoEngines)).toEqual({
      promptTokens: 8_131_902,
      generationTokens: 6511,
      requestsFinished: 68,
      requestsByReason: { stop: 63, length: 5 },
      prefixCacheQueries: 2500,
      prefixCacheHits: 400,
      firstTokens: 68,
    });
  });

  it("reads llama.cpp's names; what a page does not carry is null", () => {
    expect(readServerCounters(llamaCpp)).toEqual({
      promptTokens: 143,
      generationTokens: 3_214_570,
      requestsFinished: null,
      requestsByReason: null,
      prefixCacheQueries: null,
      prefixCacheHits: null,
      firstTokens: null,
    });
  });

  it("reads the names that older vLLM used", () => {
    const page = counters(
      ["vllm:gpu_prefix_cache_queries_total", 10],
      ["vllm:gpu_prefix_cache_hits_total", 4],
    );
    expect(readServerCounters(parseExposition(page))).toMatchObject({
      prefixCacheQueries: 10,
      prefixCacheHits: 4,
    });
  });
});

describe("readServerLoad", () => {
  it("adds requests over engines and takes the highest cache usage", () => {
    expect(readServerLoad(twoEngines)).toEqual({
      requestsRunning: 4,
      requestsWaiting: 2,
      kvCacheUsage: 0.25,
    });
    expect(readServerLoad(llamaCpp)).toEqual({ requestsRunning: 1, requestsWaiting: 0, kvCacheUsage: null });
  });

  it("takes NaN as no data, not as idle", () => {
    const page = "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running NaN\n";
    expect(readServerLoad(parseExposition(page)).requestsRunning).toBeNull();
  });
});

describe("acceptanceFrom", () => {
  it("divides as the engines do, the bonus token in the length only", () => {
    const acceptance = acceptanceFrom(
      { verifySteps: 100, draftTokens: 300, acceptedTokens: 150, acceptedPerPosition: [80, 50, 20] },
      "engine-counters",
    );
    expect(acceptance).toMatchObject({
      rate: 0.5,
      meanAcceptanceLength: 2.5,
      perPositionRate: [0.8, 0.5, 0.2],
      source: "engine-counters",
    });
  });

  it("has no ratio without drafts, and no length without verify steps", () => {
    const none = { verifySteps: 0, draftTokens: 0, acceptedTokens: 0, acceptedPerPosition: [0, 0] };
    expect(acceptanceFrom(none, "metrics-delta")).toMatchObject({
      rate: null,
      meanAcceptanceLength: null,
      perPositionRate: null,
    });
    const withoutSteps = {
      verifySteps: null,
      draftTokens: 347,
      acceptedTokens: 65,
      acceptedPerPosition: null,
    };
    const acceptance = acceptanceFrom(withoutSteps, "per-request");
    expect(acceptance.rate).toBeCloseTo(0.1873, 4);
    expect(acceptance.meanAcceptanceLength).toBeNull();
  });
});

describe("vLLM's own log lines", () => {
  it("print what its counters give: rate 15.5 %, length 1.77, five positions", () => {
    const counts = {
      verifySteps: 22,
      draftTokens: 110,
      acceptedTokens: 17,
      acceptedPerPosition: [7, 4, 2, 2, 2],
    };
    const { rate, meanAcceptanceLength, perPositionRate } = acceptanceFrom(counts, "engine-counters");
    expect([rate, meanAcceptanceLength].map((value) => value?.toFixed(3))).toEqual(["0.155", "1.773"]);
    expect(perPositionRate?.map((value) => value.toFixed(3))).toEqual([
      "0.318",
      "0.182",
      "0.091",
      "0.091",
      "0.091",
    ]);
  });
});
