import { describe, expect, it } from "vitest";
import type { BenchServer } from "./support/bench-server.ts";
import { config } from "./support/config.ts";
import { run, runError } from "./support/run.ts";
import { models, sendJson, sendText } from "./support/scripted-server.ts";
import { serversOfEachTest } from "./support/servers.ts";

const { benchServer, scriptedServer } = serversOfEachTest();

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

    const full = await runError(run(config(known.url, { inputLen: 9, outputLen: 10 })));
    expect(full).toMatchObject({ code: "PROMPT_TOO_LONG" });
    expect(full.message).toBe(
      "--output-len 10 leaves no room for a prompt in the context of 10 tokens: lower --output-len",
    );
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
    const server = await scriptedServer({
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
