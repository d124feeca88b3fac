import { Registry } from "prom-client";
import { describe, expect, it } from "vitest";
import {
  checkSpecDecodeInvariants,
  deltaSnapshots,
  parseExposition,
  parseMetricsPage,
  readSpecDecodeCounts,
} from "../src/index.ts";
import {
  type PublishedSpecDecodeCounts,
  registerSpecDecodeMetrics,
} from "../src/publish/spec-decode-metrics.ts";
import { snapshot } from "./pages.ts";

const zero: PublishedSpecDecodeCounts = {
  verifySteps: 0,
  draftTokens: 0,
  acceptedTokens: 0,
  acceptedPerPosition: [0, 0, 0, 0, 0],
};

describe("registerSpecDecodeMetrics", () => {
  it("shows all series at 0 from the start, as counters of vLLM's schema", async () => {
    const registry = new Registry();
    registerSpecDecodeMetrics(registry, () => zero, { labels: { model_name: "demo", engine: "0" } });
    const page = parseMetricsPage(await registry.metrics());
    expect(page.samples.map(({ name, labels, value, type }) => [name, { ...labels }, value, type])).toEqual([
      ["vllm:spec_decode_num_drafts_total", { model_name: "demo", engine: "0" }, 0, "counter"],
      ["vllm:spec_decode_num_draft_tokens_total", { model_name: "demo", engine: "0" }, 0, "counter"],
      ["vllm:spec_decode_num_accepted_tokens_total", { model_name: "demo", engine: "0" }, 0, "counter"],
      ...[0, 1, 2, 3, 4].map((position) => [
        "vllm:spec_decode_num_accepted_tokens_per_pos_total",
        { model_name: "demo", engine: "0", position: String(position) },
        0,
        "counter",
      ]),
    ]);
  });

  it("gives the source's own integers at every scrape, however large", async () => {
    const registry = new Registry();
    let counts = zero;
    registerSpecDecodeMetrics(registry, () => counts);
    for (const step of [1, 1000, 9_007_199_254_740_000]) {
      counts = {
        verifySteps: step,
        draftTokens: step + 3,
        acceptedTokens: step + 2,
        acceptedPerPosition: [step, 1, 1, 0, 0],
      };
      const text = await registry.metrics();
      expect(readSpecDecodeCounts(parseExposition(text))).toEqual(counts);
      expect(text).toContain(`vllm:spec_decode_num_drafts_total ${step}\n`);
    }
  });

  it("reads the source once for all metrics of a scrape, so that they belong together", async () => {
    const registry = new Registry();
    let readings = 0;
    registerSpecDecodeMetrics(registry, () => {
      readings++;
      return {
        verifySteps: readings,
        draftTokens: readings * 5,
        acceptedTokens: readings,
        acceptedPerPosition: [readings],
      };
    });
    for (let scrape = 1; scrape <= 3; scrape++) {
      const counts = readSpecDecodeCounts(parseExposition(await registry.metrics()));
      expect(readings).toBe(scrape);
      expect(counts?.verifySteps).toBe(scrape);
      expect(counts === null ? ["missing"] : checkSpecDecodeInvariants(counts, 5)).toEqual([]);
    }
  });

  it("answers scrapes at the same time without adding up", async () => {
    const registry = new Registry();
    const counts = {
      verifySteps: 7,
      draftTokens: 35,
      acceptedTokens: 20,
      acceptedPerPosition: [7, 6, 4, 2, 1],
    };
    registerSpecDecodeMetrics(registry, () => counts);
    const pages = await Promise.all(Array.from({ length: 20 }, () => registry.metrics()));
    for (const page of pages) expect(readSpecDecodeCounts(parseExposition(page))).toEqual(counts);
  });

  it("takes another prefix", async () => {
    const registry = new Registry();
    registerSpecDecodeMetrics(registry, () => zero, { prefix: "onpar_" });
    const samples = parseExposition(await registry.metrics());
    expect(samples.every((sample) => sample.name.startsWith("onpar_spec_decode_num_"))).toBe(true);
    expect(readSpecDecodeCounts(samples, { prefix: "onpar_" })).toEqual(zero);
  });

  it("gives a delta that equals the source's own difference", async () => {
    const registry = new Registry();
    let counts: PublishedSpecDecodeCounts = {
      verifySteps: 3,
      draftTokens: 15,
      acceptedTokens: 9,
      acceptedPerPosition: [3, 3, 2, 1, 0],
    };
    registerSpecDecodeMetrics(registry, () => counts, { labels: { model_name: "demo" } });
    const before = snapshot(await registry.metrics());
    counts = { verifySteps: 13, draftTokens: 65, acceptedTokens: 40, acceptedPerPosition: [13, 11, 8, 5, 3] };
    const delta = deltaSnapshots(before, snapshot(await registry.metrics()));
    expect(delta.reset).toBe(false);
    expect(delta.spec).toEqual({
      verifySteps: 10,
      draftTokens: 50,
      acceptedTokens: 31,
      acceptedPerPosition: [10, 8, 6, 4, 3],
    });
  });
});
