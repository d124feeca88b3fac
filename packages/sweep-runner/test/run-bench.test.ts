import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AcceptanceReading } from "../src/acceptance-source.ts";
import type { RunEvent } from "../src/events.ts";
import type { Finding } from "../src/result.ts";
import { config } from "./support/config.ts";
import { codes, run, runError, withFolder } from "./support/run.ts";
import { models, sendJson, sendText, type Responder } from "./support/scripted-server.ts";
import { bodyOf, serversOfEachTest } from "./support/servers.ts";

const { benchServer, scriptedServer } = serversOfEachTest();

describe("a run against a server", () => {
  it("measures every prompt once, at the concurrency asked for and never above", async () => {
    const server = await benchServer({ delayMs: 5 });
    const result = await run(config(server.url, { numPrompts: 12, concurrency: 3, warmupRequests: 2 }));

    expect(server.mostInFlight).toBe(3);
    expect(server.completions).toHaveLength(14);
    const prompts = server.completions.map((request) => bodyOf(request)["prompt"]);
    expect(new Set(prompts).size).toBe(14);
    expect(result.summary.counts).toEqual({
      asked: 12,
      ok: 12,
      failed: 0,
      dropped: 0,
      aborted: 0,
      unsent: 0,
      warmup: 2,
    });
    expect(result.summary.outputs).toMatchObject({
      reachedCap: 12,
      finishReasons: { length: 12 },
      tokenSource: "usage",
    });
    expect(result.summary.latency.ttftMs?.n).toBe(12);
    expect(result.summary.latency.itlTokenMs).toBeNull();
    expect(result.summary.rates.outputTokensPerS).toBeGreaterThan(0);
    expect(result.system).toEqual({ engine: "vllm", version: "9.9", baseUrl: server.url });
    expect(result.interrupted).toBe(false);
    expect(result.findings.filter(({ severity }) => severity === "breach")).toEqual([]);
  });

  it("sends what the protocol says, and says what it sent", async () => {
    const server = await benchServer();
    const changes = {
      sampling: { temperature: 0.7, topK: 20 },
      seed: 7,
      outputLen: 5,
      ignoreEos: false,
      stop: ["END"],
    };
    const { protocol } = await run(config(server.url, changes));

    const sent = bodyOf(server.completions[0]);
    expect(sent).toMatchObject({
      model: "demo-model",
      max_tokens: 5,
      ignore_eos: false,
      stop: ["END"],
      temperature: 0.7,
      top_k: 20,
      seed: 7,
      stream: true,
      stream_options: { include_usage: true, continuous_usage_stats: false },
    });
    expect(sent).not.toHaveProperty("add_special_tokens");
    expect(protocol.model).toEqual({ requested: null, resolved: "demo-model" });
    expect(protocol.stoppingRule).toMatchObject({
      name: "eos",
      cap: 5,
      sent: { max_tokens: 5, ignore_eos: false, stop: ["END"] },
      requested: { ignoreEos: false },
    });
    expect(protocol.sampling).toMatchObject({ temperature: 0.7, topK: 20, seed: 7 });
    expect(protocol.template.mode).toBe("none");
    expect(protocol.workload).toMatchObject({ source: "generated", prompts: 4 });
  });

  it("fits generated prompts to their length with the server's tokenizer", async () => {
    const server = await benchServer();
    const result = await run(config(server.url, { inputLen: 40, numPrompts: 6 }));
    expect(result.summary.promptTokens).toMatchObject({ n: 6, min: 40, max: 40 });
    expect(codes(result)).not.toContain("input-length-missed");
  });

  it("says when prompt lengths could not be fitted", async () => {
    const server = await benchServer({ tokenizes: false });
    expect(codes(await run(config(server.url)))).toContain("input-length-unfitted");
  });

  it("stops in one line where the tokenizer takes a short text and refuses a prompt", async () => {
    const tokenize: Responder = ({ body }, response) =>
      body.length > 120 ? sendJson(response, 413, {}) : sendJson(response, 200, { count: 3 });
    const server = await benchServer({ routes: { "/tokenize": tokenize } });
    const error = await runError(run(config(server.url, { inputLen: 400 })));
    expect(error).toMatchObject({ code: "REQUEST_REFUSED" });
    expect(error.message).toMatch(/\/tokenize.*--input-len/);
  });

  it("tells events in order and survives an observer that throws", async () => {
    const server = await benchServer();
    const events: RunEvent[] = [];
    await run(config(server.url, { numPrompts: 2, warmupRequests: 1 }), {
      observer: { onEvent: (event) => events.push(event) },
    });
    const kinds = events.map(({ type }) => type);
    const start = kinds.indexOf("run-started");
    expect(start).toBeGreaterThan(0);
    expect(new Set(kinds.slice(0, start))).toEqual(new Set(["preparing"]));
    expect(kinds.slice(start)).toEqual([
      "run-started",
      "phase-started",
      "request-finished",
      "phase-started",
      "request-finished",
      "request-finished",
      "run-ended",
    ]);
    const observer = {
      onEvent: () => {
        throw new Error("no terminal");
      },
    };
    expect((await run(config(server.url), { observer })).summary.counts.ok).toBe(4);
  });

  it("sends the key as a bearer token and keeps it out of everything that is written", async () => {
    const server = await benchServer();
    await withFolder(async (folder) => {
      const output = join(folder, "records.jsonl");
      const result = await run(config(server.url, { output }), { apiKey: "TEST-KEY-123" });
      expect(server.requests.every(({ headers }) => headers.authorization === "Bearer TEST-KEY-123")).toBe(
        true,
      );
      expect(await readFile(output, "utf8")).not.toContain("TEST-KEY-123");
      expect(JSON.stringify(result)).not.toContain("TEST-KEY-123");
    });
    const seen = server.requests.length;
    await run(config(server.url));
    expect(server.requests.slice(seen).some(({ headers }) => headers.authorization !== undefined)).toBe(
      false,
    );
  });

  it("sends the key to no other server that has the metrics page", async () => {
    const server = await benchServer();
    const other = await benchServer({ routes: { "/metrics": (_, response) => sendJson(response, 404, {}) } });
    const target = { metricsUrl: `${other.url}/metrics` };
    await run(config(server.url, { target }), { apiKey: "TEST-KEY-123" });
    expect(server.requests[0]?.headers.authorization).toBe("Bearer TEST-KEY-123");
    expect(other.requests.map(({ path }) => path)).toContain("/metrics");
    expect(other.requests.some(({ headers }) => headers.authorization !== undefined)).toBe(false);
  });

  it("refuses a base URL that carries a password", async () => {
    const error = await runError(run(config("http://user:secret@127.0.0.1:1")));
    expect(error.code).toBe("TARGET_INVALID");
    expect(error.message).not.toContain("secret");
  });
});

describe("the stopping rule is audited", () => {
  it("a server that drops ignore_eos is a breach that says how many outputs ended early", async () => {
    const server = await benchServer({ obeysIgnoreEos: false, naturalLength: 2 });
    const result = await run(config(server.url, { outputLen: 6 }));
    const finding = result.findings.find(({ code }) => code === "eos-not-ignored");
    expect(finding?.severity).toBe("breach");
    expect(finding?.message).toBe(
      "the server did not obey ignore_eos: 4 of 4 outputs ended before the cap of 6 (stop: 4)",
    );
  });

  it("with EOS honoured, outputs that all have the cap were decided by the cap", async () => {
    const server = await benchServer({ naturalLength: 99 });
    expect(codes(await run(config(server.url, { ignoreEos: false })))).toContain("cap-decided");
  });

  it("with EOS honoured, outputs that end on EOS are as they should be", async () => {
    const server = await benchServer({ naturalLength: 2 });
    const result = await run(config(server.url, { ignoreEos: false, outputLen: 9 }));
    expect(result.summary.outputs).toMatchObject({ finishReasons: { eos: 4 }, reachedCap: 0 });
    expect(codes(result)).not.toContain("cap-decided");
  });

  it("says when output tokens are unknown, and gives no rate over the run", async () => {
    const server = await benchServer({ usage: false });
    const result = await run(config(server.url));
    expect(codes(result)).toContain("usage-missing");
    expect(result.summary.rates.outputTokensPerS).toBeNull();
    expect(result.summary.outputs).toMatchObject({ lengths: null, tokenSource: "unknown" });
  });
});

describe("a run that somebody looks at while it goes on", () => {
  it("tells findings and acceptance so far, and reads as if nobody had looked", async () => {
    const server = await benchServer({ acceptedPerStep: 2, obeysIgnoreEos: false, naturalLength: 4 });
    const findings: Finding[][] = [];
    const readings: Promise<AcceptanceReading>[] = [];
    const onEvent = (event: RunEvent): void => {
      if (event.type === "run-started") {
        const { view } = event;
        findings.push(view.findings());
        readings.push(view.acceptance());
        looks = () => {
          findings.push(view.findings());
          readings.push(view.acceptance());
        };
      }
      if (event.type === "request-finished" && event.record.phase === "measure") looks();
    };
    let looks = (): void => {};
    const result = await run(config(server.url, { outputLen: 7, warmupRequests: 1 }), {
      observer: { onEvent },
    });
    expect(findings[0]).toEqual([]);
    expect(findings.at(-1)?.map(({ code }) => code)).toContain("eos-not-ignored");
    expect(findings.at(-1)?.every(({ code }) => codes(result).includes(code))).toBe(true);
    const [before, ...during] = await Promise.all(readings);
    expect(before).toMatchObject({ acceptance: null, missing: "nothing was measured" });
    expect(during.at(-1)?.acceptance).toMatchObject({ source: "metrics-delta" });
    expect(result.summary.acceptance).toMatchObject({ source: "metrics-delta" });
    expect(result.findings.map(({ code }) => code)).not.toContain("foreign-traffic");
  });
});

describe("acceptance", () => {
  it("is the difference of the server's counters over the measured phase alone", async () => {
    const server = await benchServer({ acceptedPerStep: 2 });
    const result = await run(config(server.url, { outputLen: 7, warmupRequests: 3 }));
    // 4 requests of 7 tokens: one from the prefill, then 2 steps that accept 2 of 3 drafts and add one.
    expect(result.summary.acceptance).toMatchObject({
      source: "metrics-delta",
      verifySteps: 8,
      draftTokens: 24,
      acceptedTokens: 16,
      acceptedPerPosition: [8, 8, 0],
      meanAcceptanceLength: 3,
      effectiveTokensPerStep: 3,
    });
    expect(result.summary.acceptanceMissing).toBeNull();
    expect(result.protocol.speculation).toEqual({ draftBudget: 3, observed: true });
  });

  it("is missing with a reason where the page has no such counters", async () => {
    const server = await benchServer();
    const { summary, protocol } = await run(config(server.url));
    expect(summary.acceptance).toBeNull();
    expect(summary.acceptanceMissing).toMatch(/no speculative-decoding counters/);
    expect(protocol.speculation).toEqual({ draftBudget: null, observed: null });
  });

  it("is missing with a reason where there is no page, and the run goes on", async () => {
    const server = await benchServer({
      routes: { "/metrics": (_, response) => sendJson(response, 404, {}) },
    });
    const { summary } = await run(config(server.url));
    expect(summary.counts.ok).toBe(4);
    expect(summary.acceptanceMissing).toMatch(/404/);
    expect(server.requests.filter(({ path }) => path === "/metrics")).toHaveLength(1);
  });

  it("comes from the answers where the page has none", async () => {
    const timings = { draft_n: 10, draft_n_accepted: 6 };
    const server = await scriptedServer({
      "/v1/models": models("m"),
      "/props": (_, response) => sendJson(response, 200, { params: { "speculative.n_max": 7 } }),
      "/v1/completions": (_, response) => {
        const last = {
          choices: [{ index: 0, text: "a b", finish_reason: "length" }],
          usage: { prompt_tokens: 1, completion_tokens: 3 },
          timings,
        };
        sendText(response, 200, "text/event-stream", `data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
      },
    });
    const { summary, protocol } = await run(config(server.url));
    expect(summary.acceptance).toMatchObject({
      source: "per-request",
      draftTokens: 40,
      acceptedTokens: 24,
      rate: 0.6,
    });
    expect(summary.acceptance?.meanAcceptanceLength).toBeNull();
    expect(protocol.speculation).toEqual({ draftBudget: 7, observed: true });
  });

  it("foreign traffic on the server is a breach", async () => {
    const server = await benchServer({ foreignRequests: 1 });
    expect(codes(await run(config(server.url)))).toContain("foreign-traffic");
  });

  it("prompt tokens from the prefix cache are told", async () => {
    const server = await benchServer({ cachedShare: 0.5 });
    const result = await run(config(server.url));
    expect(codes(result)).toContain("prefix-cache-hits");
    expect(result.summary.cachedPromptTokens).toBe(16);
  });
});
