import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { RunEvent } from "../src/events.ts";
import { readRecords } from "../src/read-records.ts";
import { startBenchServer, type BenchServer, type BenchServerOptions } from "./support/bench-server.ts";
import { config } from "./support/config.ts";
import { codes, run, runError, withFolder } from "./support/run.ts";
import { models, sendJson, sendText, startServer, type ScriptedServer } from "./support/scripted-server.ts";

const open: (BenchServer | ScriptedServer)[] = [];
async function benchServer(options?: BenchServerOptions): Promise<BenchServer> {
  const server = await startBenchServer(options);
  open.push(server);
  return server;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

const body = (raw: string | undefined): Record<string, unknown> =>
  JSON.parse(raw ?? "{}") as Record<string, unknown>;

describe("a run against a server", () => {
  it("measures every prompt once, at the concurrency asked for and never above", async () => {
    const server = await benchServer({ delayMs: 5 });
    const result = await run(config(server.url, { numPrompts: 12, concurrency: 3, warmupRequests: 2 }));

    expect(server.mostInFlight).toBe(3);
    expect(server.completions).toHaveLength(14);
    const prompts = server.completions.map(({ body: raw }) => body(raw)["prompt"]);
    expect(new Set(prompts).size).toBe(14);
    expect(result.summary.counts).toEqual({ asked: 12, ok: 12, failed: 0, aborted: 0, unsent: 0, warmup: 2 });
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

    const sent = body(server.completions[0]?.body);
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

  it("tells events in order and survives an observer that throws", async () => {
    const server = await benchServer();
    const events: RunEvent[] = [];
    await run(config(server.url, { numPrompts: 2, warmupRequests: 1 }), {
      observer: { onEvent: (event) => events.push(event) },
    });
    expect(events.map(({ type }) => type)).toEqual([
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
    const server = await startServer({
      "/v1/models": models("m"),
      "/v1/completions": (_, response) => {
        const last = {
          choices: [{ index: 0, text: "a b", finish_reason: "length" }],
          usage: { prompt_tokens: 1, completion_tokens: 3 },
          timings,
        };
        sendText(response, 200, "text/event-stream", `data: ${JSON.stringify(last)}\n\ndata: [DONE]\n\n`);
      },
    });
    open.push(server);
    const { summary } = await run(config(server.url));
    expect(summary.acceptance).toMatchObject({
      source: "per-request",
      draftTokens: 40,
      acceptedTokens: 24,
      rate: 0.6,
    });
    expect(summary.acceptance?.meanAcceptanceLength).toBeNull();
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

describe("what cannot be measured is one clear error", () => {
  const refuse = (status: number, answer: unknown): Promise<BenchServer> =>
    benchServer({ routes: { "/v1/completions": (_, response) => sendJson(response, status, answer) } });

  it("no server", async () => {
    const error = await runError(run(config("http://127.0.0.1:9")));
    expect(error.code).toBe("SERVER_UNREACHABLE");
    expect(error.message).toMatch(/http:\/\/127\.0\.0\.1:9\/v1\/models.*ECONNREFUSED/);
  });

  it("a wrong key, named by its variable", async () => {
    const server = await benchServer({
      routes: { "/v1/models": (_, response) => sendJson(response, 401, {}) },
    });
    const without = await runError(run(config(server.url)));
    expect(without).toMatchObject({ code: "UNAUTHORISED" });
    expect(without.message).toMatch(/no key was sent: set OPENAI_API_KEY/);
    const wrong = await runError(run(config(server.url), { apiKey: "wrong" }));
    expect(wrong.message).toMatch(/key in OPENAI_API_KEY was refused/);
    expect(wrong.message).not.toMatch(/Bearer|"wrong"/);
  });

  it("a key that only the completions endpoint refuses", async () => {
    const server = await refuse(401, { error: { message: "bad key" } });
    expect(await runError(run(config(server.url)))).toMatchObject({ code: "UNAUTHORISED" });
  });

  it("a model that is not served, with what is", async () => {
    const server = await benchServer();
    const error = await runError(run(config(server.url, { target: { model: "demo-typo" } })));
    expect(error.code).toBe("MODEL_NOT_FOUND");
    expect(error.message).toMatch(/"demo-typo".*serves "demo-model"/);
    expect(server.completions).toHaveLength(0);
  });

  it("a model that only the completions endpoint does not know, after few requests", async () => {
    const server = await refuse(404, {
      error: { message: "no model named demo-typo is loaded here", code: 404 },
    });
    const error = await runError(run(config(server.url, { numPrompts: 50, concurrency: 4 })));
    expect(error.code).toBe("MODEL_NOT_FOUND");
    expect(error.message).toMatch(/demo-typo.*demo-model/);
    expect(server.completions.length).toBeLessThanOrEqual(4);
  });

  it("an endpoint that is not there", async () => {
    const server = await refuse(404, { detail: "Not Found" });
    expect(await runError(run(config(server.url)))).toMatchObject({ code: "REQUEST_REFUSED" });
  });

  it("a prompt over the context: before sending where the limit is known, else by the server's word", async () => {
    const known = await benchServer({ contextLimit: 10 });
    const early = await runError(run(config(known.url, { inputLen: 9, outputLen: 3 })));
    expect(early).toMatchObject({ code: "PROMPT_TOO_LONG" });
    expect(early.message).toMatch(/9 tokens.*limit of 10.*at most 7 fit/);
    expect(known.completions).toHaveLength(0);

    const message = "This model's maximum context length is 16 tokens. However, you requested 99 tokens.";
    const told = await refuse(400, { error: { message, code: 400 } });
    const late = await runError(run(config(told.url, { warmupRequests: 1 })));
    expect(late).toMatchObject({ code: "PROMPT_TOO_LONG" });
    expect(late.message).toContain("maximum context length is 16");
    expect(told.completions).toHaveLength(1);
  });

  it("an unknown field", async () => {
    const detail = [{ loc: ["body", "top_k"], msg: "Extra inputs are not permitted" }];
    const server = await refuse(422, { detail });
    const error = await runError(run(config(server.url)));
    expect(error.code).toBe("REQUEST_REFUSED");
    expect(error.message).toContain("body.top_k: Extra inputs are not permitted");
  });

  it("a server that is still loading, and one that lists no models", async () => {
    const loading = await benchServer({
      routes: {
        "/v1/models": (_, response) => sendJson(response, 503, { error: { message: "Loading model" } }),
      },
    });
    const busy = await runError(run(config(loading.url)));
    expect(busy).toMatchObject({ code: "SERVER_NOT_READY" });
    expect(busy.message).toContain("Loading model");

    const mute = await benchServer({
      routes: { "/v1/models": (_, response) => sendJson(response, 404, {}) },
    });
    expect(await runError(run(config(mute.url)))).toMatchObject({ code: "MODEL_NOT_FOUND" });
    const named = await run(config(mute.url, { target: { model: "any" } }));
    expect(named.summary.counts.ok).toBe(4);
  });

  it("failures after an answer are counted, not fatal", async () => {
    let requests = 0;
    const server = await startServer({
      "/v1/models": models("m"),
      "/v1/completions": (_, response) => {
        if (++requests > 1) return sendText(response, 503, "text/html", "<html><title>busy</title></html>");
        const last = {
          choices: [{ index: 0, text: "a", finish_reason: "length" }],
          usage: { prompt_tokens: 1, completion_tokens: 3 },
        };
        sendText(response, 200, "text/event-stream", `data: ${JSON.stringify(last)}\n\n`);
      },
    });
    open.push(server);
    const result = await run(config(server.url));
    expect(result.summary).toMatchObject({
      counts: { ok: 1, failed: 3 },
      errorRate: 0.75,
      errors: { http: 3 },
    });
    expect(result.summary.latency.ttftMs?.n).toBe(1);
    const finding = result.findings.find(({ code }) => code === "requests-failed");
    expect(finding?.message).toMatch(/3 of 4 requests failed.*HTTP 503: an HTML page titled "busy"/);
  });
});

describe("interruption", () => {
  it("keeps what was measured, records what was in flight as aborted and says so", async () => {
    const server = await benchServer({ delayMs: 15 });
    await withFolder(async (folder) => {
      const output = join(folder, "records.jsonl");
      const controller = new AbortController();
      const result = await run(config(server.url, { numPrompts: 10, concurrency: 2, output }), {
        signal: controller.signal,
        observer: {
          onEvent: (event) => {
            if (event.type === "request-finished" && event.done === 3) controller.abort();
          },
        },
      });
      const { counts } = result.summary;
      expect(result.interrupted).toBe(true);
      expect(counts.ok).toBeGreaterThanOrEqual(3);
      expect(counts.aborted).toBeGreaterThanOrEqual(1);
      expect(counts.ok + counts.failed + counts.aborted + counts.unsent).toBe(10);
      expect(counts.failed).toBe(0);

      const [kept] = await readRecords(output);
      expect(kept?.records).toHaveLength(counts.ok + counts.aborted);
      expect(kept?.end).toMatchObject({ interrupted: true });
      expect(kept?.header).toMatchObject({ asked: 10, config: { numPrompts: 10 } });
      expect(server.inFlight).toBe(0);
    });
  });

  it("before anything was sent is an error of its own", async () => {
    const controller = new AbortController();
    controller.abort();
    expect(await runError(run(config("http://127.0.0.1:9"), { signal: controller.signal }))).toMatchObject({
      code: "INTERRUPTED",
    });
  });
});

describe("templates and datasets", () => {
  const TEMPLATE = "{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}<|assistant|>";

  async function dataset<T>(lines: readonly unknown[], use: (path: string) => Promise<T>): Promise<T> {
    return withFolder(async (folder) => {
      const path = join(folder, "prompts.jsonl");
      await writeFile(
        path,
        lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"),
      );
      return use(path);
    });
  }

  it("renders on this side and tells the server not to add special tokens again", async () => {
    const server = await benchServer();
    await dataset(
      [{ prompt: "hi" }, { messages: [{ role: "user", content: "yo" }] }],
      async (datasetPath) => {
        const { protocol } = await run(
          config(server.url, { datasetPath, numPrompts: 2, skipChatTemplate: false, chatTemplate: TEMPLATE }),
        );
        expect(server.completions.map(({ body: raw }) => body(raw)["prompt"])).toEqual([
          "<|user|>hi<|end|><|assistant|>",
          "<|user|>yo<|end|><|assistant|>",
        ]);
        expect(body(server.completions[0]?.body)["add_special_tokens"]).toBe(false);
        expect(protocol.template).toMatchObject({ mode: "client-side", source: "literal" });
        expect(protocol.template.sha256).toMatch(/^[0-9a-f]{64}$/);
        expect(protocol.workload.source).toBe("prompts.jsonl");
      },
    );
  });

  it("takes the template that the server gives away", async () => {
    const props = { chat_template: `{{ bos_token }}${TEMPLATE}`, bos_token: "<s>" };
    const server = await benchServer({
      routes: { "/props": (_, response) => sendJson(response, 200, props) },
    });
    const { protocol } = await run(config(server.url, { skipChatTemplate: false, numPrompts: 1 }));
    expect(body(server.completions[0]?.body)["prompt"]).toMatch(/^<s><\|user\|>/);
    expect(protocol.template.source).toBe("server");
  });

  it("stops where there is no template instead of joining roles", async () => {
    const server = await benchServer();
    const error = await runError(run(config(server.url, { skipChatTemplate: false })));
    expect(error.code).toBe("TEMPLATE_MISSING");
    expect(error.message).toMatch(/--chat-template/);
    expect(server.completions).toHaveLength(0);
  });

  it("sends template variables only when they are set", async () => {
    const server = await benchServer();
    const target = { endpoint: "chat-completions" as const };
    await run(config(server.url, { target, numPrompts: 1 }));
    expect(body(server.completions[0]?.body)).not.toHaveProperty("chat_template_kwargs");
    const { protocol } = await run(config(server.url, { target, numPrompts: 1, enableThinking: false }));
    expect(body(server.completions[1]?.body)["chat_template_kwargs"]).toEqual({ enable_thinking: false });
    expect(protocol.template).toMatchObject({
      mode: "server-side",
      kwargs: { enable_thinking: false },
      sha256: null,
    });
  });

  it("refuses a conversation where the template is skipped, naming the flag", async () => {
    const server = await benchServer();
    await dataset([{ id: "c1", messages: [{ role: "user", content: "yo" }] }], async (datasetPath) => {
      const error = await runError(run(config(server.url, { datasetPath, numPrompts: 1 })));
      expect(error.message).toMatch(/c1.*--no-skip-chat-template/);
    });
  });

  it("names the template and the prompt that it cannot render", async () => {
    const server = await benchServer();
    const chatTemplate = "{{ raise_exception('roles must alternate') }}";
    const error = await runError(run(config(server.url, { skipChatTemplate: false, chatTemplate })));
    expect(error.code).toBe("TEMPLATE_FAILED");
    expect(error.message).toMatch(/generated-0.*roles must alternate/);
  });

  it("warms up on rows after the measured ones, then on prompts of its own", async () => {
    const server = await benchServer();
    await dataset([{ prompt: "a" }, { prompt: "b" }, { prompt: "c" }], async (datasetPath) => {
      await run(config(server.url, { datasetPath, numPrompts: 2, warmupRequests: 2 }));
      const prompts = server.completions.map(({ body: raw }) => body(raw)["prompt"]);
      expect(prompts[0]).toBe("c");
      expect(prompts.slice(2)).toEqual(["a", "b"]);
      expect(["a", "b", "c"]).not.toContain(prompts[1]);
    });
  });

  it("refuses a dataset with too few rows instead of measuring its rows twice", async () => {
    const server = await benchServer();
    await dataset([{ prompt: "a" }], async (datasetPath) => {
      const error = await runError(run(config(server.url, { datasetPath, numPrompts: 2 })));
      expect(error).toMatchObject({ code: "DATASET_INVALID" });
      expect(error.message).toMatch(/holds 1 prompts, 2 are asked for; lower --num-prompts to 1/);
    });
  });
});
