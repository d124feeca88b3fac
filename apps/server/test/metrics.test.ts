import { parseExposition, type MetricSample } from "@onpar/metrics-client";
import { describe, expect, it } from "vitest";

import { createApp } from "../src/index.ts";
import { post, postStream, type Answer, type Speculation } from "./support/http.ts";
import { ScriptedEngine, waitForAbort } from "./support/scripted-engine.ts";
import { modelName, servedPair } from "./support/served-pair.ts";
import { withInfo } from "./support/with-info.ts";

const pair = servedPair();
const ask = (content: string, fields: object = {}) => ({
  temperature: 0,
  max_tokens: 64,
  chat_template_kwargs: { enable_thinking: false },
  messages: [{ role: "user", content }],
  ...fields,
});

async function scrape(): Promise<readonly MetricSample[]> {
  const response = await pair.app.inject("/metrics");
  expect(response.headers["content-type"]).toContain("text/plain; version=0.0.4");
  return parseExposition(response.body);
}

/** The value of one sample, which must be there once and carry vLLM's labels. */
function valueOf(
  samples: readonly MetricSample[],
  name: string,
  labels: Record<string, string> = {},
): number {
  const found = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  expect(found, `${name} ${JSON.stringify(labels)}`).toHaveLength(1);
  expect(found[0]?.labels).toMatchObject({ model_name: modelName, engine: "0" });
  return found[0]?.value ?? Number.NaN;
}

function spec(samples: readonly MetricSample[]) {
  return {
    verifySteps: valueOf(samples, "vllm:spec_decode_num_drafts_total"),
    draftTokens: valueOf(samples, "vllm:spec_decode_num_draft_tokens_total"),
    acceptedTokens: valueOf(samples, "vllm:spec_decode_num_accepted_tokens_total"),
    acceptedPerPosition: Array.from({ length: 5 }, (_, position) =>
      valueOf(samples, "vllm:spec_decode_num_accepted_tokens_per_pos_total", { position: String(position) }),
    ),
  };
}

describe("the metrics page", () => {
  it("has every series at zero before the first request", async () => {
    const samples = await scrape();
    expect(spec(samples)).toEqual({
      verifySteps: 0,
      draftTokens: 0,
      acceptedTokens: 0,
      acceptedPerPosition: [0, 0, 0, 0, 0],
    });
    for (const finished_reason of ["stop", "length", "abort"]) {
      expect(valueOf(samples, "vllm:request_success_total", { finished_reason })).toBe(0);
    }
    expect(valueOf(samples, "vllm:time_to_first_token_seconds_count")).toBe(0);
  });

  it("equals the engine's counters after several requests, and their own acceptance adds up to its difference", async () => {
    const before = spec(await scrape());
    const told: (Speculation | undefined)[] = [];
    const prompts = ["Define the word: river", "Count from one to ten.", "Write a sentence about rain."];
    for (const content of prompts) {
      const whole = await post<Answer>(pair.app, "/v1/chat/completions", ask(content));
      told.push(whole.metrics?.speculative_decoding);
    }
    const streams = await Promise.all(
      prompts.map((content) =>
        postStream(
          pair.app,
          "/v1/chat/completions",
          ask(content, { ignore_eos: true, temperature: 0.7, stream_options: { include_usage: true } }),
        ),
      ),
    );
    for (const chunks of streams) told.push(chunks.at(-1)?.metrics?.speculative_decoding);

    const samples = await scrape();
    const counters = pair.engine.counters();
    expect(spec(samples)).toEqual(counters.speculation);
    expect(valueOf(samples, "vllm:prompt_tokens_total")).toBe(counters.promptTokens);
    expect(valueOf(samples, "vllm:generation_tokens_total")).toBe(counters.outputTokens);
    expect(valueOf(samples, "vllm:prefix_cache_queries_total")).toBe(counters.prefixCacheQueries);
    expect(valueOf(samples, "vllm:prefix_cache_hits_total")).toBe(counters.prefixCacheHits);
    expect(valueOf(samples, "vllm:num_requests_running")).toBe(0);
    expect(valueOf(samples, "vllm:num_requests_waiting")).toBe(0);
    expect(valueOf(samples, "vllm:request_success_total", { finished_reason: "length" })).toBe(
      counters.requestsFinished.length,
    );

    const sum = (read: (one: Speculation) => number) =>
      told.reduce((total, one) => total + (one === undefined ? Number.NaN : read(one)), 0);
    const after = spec(samples);
    expect(sum((one) => one.num_spec_steps)).toBe(after.verifySteps - before.verifySteps);
    expect(sum((one) => one.num_draft_tokens)).toBe(after.draftTokens - before.draftTokens);
    expect(sum((one) => one.num_accepted_draft_tokens)).toBe(after.acceptedTokens - before.acceptedTokens);
    expect(after.draftTokens).toBeGreaterThan(0);
  });

  it("observes one first token per output, and one step per verify step", async () => {
    const before = await scrape();
    const answer = await post<Answer>(pair.app, "/v1/chat/completions", ask("Define the word: hill"));
    const after = await scrape();
    const delta = (name: string) => valueOf(after, name) - valueOf(before, name);
    expect(delta("vllm:time_to_first_token_seconds_count")).toBe(1);
    expect(delta("vllm:e2e_request_latency_seconds_count")).toBe(1);
    const steps = delta("vllm:inter_token_latency_seconds_count");
    expect(steps).toBeGreaterThanOrEqual(answer.metrics?.speculative_decoding.num_spec_steps ?? Number.NaN);
    expect(steps).toBeLessThan(answer.usage?.completion_tokens ?? 0);
  });

  it("tells its steps as vLLM does: their tokens add up to those of prompts and outputs", async () => {
    const before = await scrape();
    const name = "vllm:iteration_tokens_total";
    const answer = await post<Answer>(pair.app, "/v1/chat/completions", ask("Define the word: harbour"));
    const after = await scrape();
    const delta = (sample: string, labels: Record<string, string> = {}) =>
      valueOf(after, sample, labels) - valueOf(before, sample, labels);
    expect(delta(`${name}_sum`)).toBe(answer.usage?.total_tokens);
    // The prompt's step, and the steps after it.
    const steps = 1 + delta("vllm:inter_token_latency_seconds_count");
    expect(delta(`${name}_count`)).toBe(steps);
    expect(delta(`${name}_bucket`, { le: "+Inf" })).toBe(steps);
    // A verify step brings at most six tokens, and the prompt is longer than eight.
    expect(delta(`${name}_bucket`, { le: "8" })).toBe(steps - 1);
    const buckets = after.filter((sample) => sample.name === `${name}_bucket`);
    expect(buckets.map(({ labels }) => labels["le"])).toEqual(
      "1 8 16 32 64 128 256 512 1024 2048 4096 8192 16384 +Inf".split(" "),
    );
    expect(buckets.map(({ value }) => value)).toEqual(
      buckets.map(({ value }) => value).toSorted((a, b) => a - b),
    );
  });

  it("observes what was evaluated of a prompt, and the longest of several outputs once", async () => {
    await pair.engine.resetPrefixCache();
    const before = await scrape();
    const body = { prompt: "word ".repeat(40), max_tokens: 24, temperature: 1, seed: 1, n: 3 };
    const answer = await post<Answer>(pair.app, "/v1/completions", body);
    const after = await scrape();
    const delta = (name: string) => valueOf(after, name) - valueOf(before, name);
    const lengths = delta("vllm:request_generation_tokens_sum");
    expect(lengths).toBe(answer.usage?.completion_tokens);
    expect(delta("vllm:request_generation_tokens_count")).toBe(3);
    expect(delta("vllm:request_max_num_generation_tokens_count")).toBe(1);
    const longest = delta("vllm:request_max_num_generation_tokens_sum");
    expect(longest).toBeGreaterThanOrEqual(lengths / 3);
    expect(longest).toBeLessThanOrEqual(24);
    expect(delta("vllm:request_prefill_kv_computed_tokens_sum")).toBe(
      delta("vllm:request_prompt_tokens_sum") - delta("vllm:prompt_tokens_cached_total"),
    );
    expect(delta("vllm:request_num_preemptions_count")).toBe(3);
    expect(delta("vllm:request_num_preemptions_sum")).toBe(0);
  });

  it("tells why requests wait, and how many found the queue full", async () => {
    const engine = new ScriptedEngine([waitForAbort]);
    const stop = new AbortController();
    const app = createApp({ engine, limits: { maxWaiting: 1 }, stopSignal: stop.signal });
    const ask = () => app.inject({ method: "POST", url: "/v1/completions", payload: { prompt: "x" } });
    // One runs, one waits in the engine, one in the queue, and none of them ends.
    const asked = Array.from({ length: 4 }, ask);
    expect((await Promise.race(asked)).statusCode).toBe(429);
    const page = parseExposition((await app.inject("/metrics")).body);
    const series = (name: string) =>
      page.filter((sample) => sample.name === name).map(({ labels, value }) => [labels["reason"], value]);
    const [waiting] = page.filter(({ name }) => name === "vllm:num_requests_waiting");
    expect(waiting?.value).toBeGreaterThan(0);
    expect(series("vllm:num_requests_waiting_by_reason")).toEqual([
      ["capacity", waiting?.value],
      ["deferred", 0],
    ]);
    expect(series("vllm:admission_rejections_total")).toEqual([["max_num_queued_reqs", 1]]);
    stop.abort();
    await Promise.all(asked);
    await app.close();
  });

  it("describes the cache under vLLM's name", async () => {
    const config = (await scrape()).filter(({ name }) => name === "vllm:cache_config_info");
    const { contextSize, slots } = pair.engine.info;
    const tokens = String((contextSize ?? 0) * slots);
    expect(config).toEqual([
      expect.objectContaining({
        value: 1,
        labels: {
          engine: "0",
          block_size: "1",
          cache_dtype: "auto",
          enable_prefix_caching: "True",
          kv_cache_max_concurrency: String(slots),
          kv_cache_size_tokens: tokens,
          num_gpu_blocks: tokens,
        },
      }),
    ]);
  });

  it("tells the builds, and has no speculative family when the engine does not speculate", async () => {
    const build = (await scrape()).find(({ name }) => name === "onpar_build_info");
    expect(build).toMatchObject({ value: 1, labels: { model_name: modelName, engine: "llama.cpp" } });
    const plain = withInfo(pair.engine, { speculation: null });
    const page = (await createApp({ engine: plain }).inject("/metrics")).body;
    expect(page).toContain("vllm:generation_tokens_total");
    expect(page).not.toContain("spec_decode");
  });
});
