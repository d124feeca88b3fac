import type { InjectOptions } from "fastify";
import { describe, expect, it } from "vitest";

import { createApp } from "../src/index.ts";
import { keyChecker } from "../src/http/auth.ts";
import { maxJsonDepth, nestsDeeperThan } from "../src/http/json-body.ts";
import { post, type ErrorAnswer } from "./support/http.ts";
import { answerTo, requestOf } from "./support/raw-http.ts";
import { contextSize, modelName, servedPair } from "./support/served-pair.ts";
import { withInfo } from "./support/with-info.ts";

const pair = servedPair({ limits: { maxBodyBytes: 32_768 } });
const json = { "content-type": "application/json" };

async function errorOf(request: InjectOptions, status: number) {
  const response = await pair.app.inject(request);
  expect(response.statusCode, response.body).toBe(status);
  const { error } = response.json<ErrorAnswer>();
  expect(Object.keys(error).sort()).toEqual(["code", "message", "param", "type"]);
  return { error, headers: response.headers };
}

describe("errors in OpenAI's shape", () => {
  it.each([
    ["{", "invalid_json"],
    ["", "invalid_json"],
    ["[1]", "invalid_value"],
    ["null", "invalid_value"],
    [Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), "invalid_json"],
    [`${'{"a":'.repeat(100)}1${"}".repeat(100)}`, "invalid_json"],
  ])("400 for the body %j", async (payload, code) => {
    const { error } = await errorOf({ method: "POST", url: "/v1/completions", headers: json, payload }, 400);
    expect(error).toMatchObject({ code, type: "invalid_request_error" });
  });

  it("404 for another model, naming the served one", async () => {
    const { error } = await post<ErrorAnswer>(
      pair.app,
      "/v1/completions",
      { model: "gpt-9", prompt: "x" },
      404,
    );
    expect(error).toMatchObject({ code: "model_not_found", param: "model" });
    expect(error.message).toContain('"gpt-9"');
    expect(error.message).toContain(`"${modelName}"`);
  });

  it("404 for an unknown route and 405 with the methods of a known one", async () => {
    const unknown = await errorOf({ method: "GET", url: "/v2/models" }, 404);
    expect(unknown.error.code).toBe("not_found");
    const wrongMethod = await errorOf({ method: "GET", url: "/v1/chat/completions?x=1" }, 405);
    expect(wrongMethod.error.code).toBe("method_not_allowed");
    expect(wrongMethod.headers["allow"]).toBe("POST");
  });

  it("413 for a body over the limit", async () => {
    const { error } = await errorOf(
      { method: "POST", url: "/v1/completions", payload: { prompt: "x".repeat(40_000) } },
      413,
    );
    expect(error.code).toBe("body_too_large");
  });

  it("415 for a body that is not declared as JSON", async () => {
    const { error } = await errorOf(
      { method: "POST", url: "/v1/completions", headers: { "content-type": "text/plain" }, payload: "{}" },
      415,
    );
    expect(error.code).toBe("unsupported_media_type");
  });

  it("400 for a prompt over the context, naming both numbers", async () => {
    const prompt = Array.from({ length: contextSize }, () => 100);
    const { error } = await post<ErrorAnswer>(pair.app, "/v1/completions", { prompt, max_tokens: 1 }, 400);
    expect(error).toMatchObject({ code: "context_length_exceeded", param: "prompt" });
    expect(error.message).toContain(`maximum context length is ${contextSize} tokens`);
    expect(error.message).toContain(`${contextSize + 1} tokens were requested`);
    const short = { prompt: prompt.slice(0, 500), max_tokens: 13 };
    const cap = await post<ErrorAnswer>(pair.app, "/v1/completions", short, 400);
    expect(cap.error).toMatchObject({ code: "context_length_exceeded", param: "max_tokens" });
    expect(pair.engine.counters()).toMatchObject({ requestsWaiting: 0, requestsRunning: 0 });
  });

  it("400 with the template's own message when the template refuses the conversation", async () => {
    const strict = withInfo(pair.engine, { chatTemplate: "{{ raise_exception('roles must alternate') }}" });
    const app = createApp({ engine: strict });
    const body = { messages: [{ role: "user", content: "x" }] };
    const { error } = await post<ErrorAnswer>(app, "/v1/chat/completions", body, 400);
    expect(error.code).toBe("template_failed");
    expect(error.message).toContain("roles must alternate");
  });
});

describe("what is no request", () => {
  it.each([
    ["bytes of another protocol", "\u0016\u0003\u0001\r\n\r\n", 400, "invalid_http"],
    [
      "two lengths",
      "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
      400,
      "invalid_http",
    ],
    [
      "a head that is too large",
      requestOf("GET", "/health", `X: ${"x".repeat(20_000)}\r\n`),
      431,
      "headers_too_large",
    ],
    ["a URL that cannot be decoded", requestOf("GET", "/%zz"), 400, "invalid_url"],
  ])("is answered in the shape of every error: %s", async (_what, bytes, status, code) => {
    const app = createApp({ engine: pair.engine });
    const answer = await answerTo(app, bytes);
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { type: "invalid_request_error", code } });
    expect(answer.body).not.toContain("FST_");
    await app.close();
  });

  it.each([
    ["head", "POST /v1/completions HTTP/1.1\r\nHost: x\r\n"],
    [
      "body",
      'POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"prompt',
    ],
  ])("is ended when its %s does not arrive in time", async (_part, bytes) => {
    const limits = { headersTimeoutMs: 200, requestTimeoutMs: 400 };
    const app = createApp({ engine: pair.engine, limits });
    const answer = await answerTo(app, bytes);
    expect(answer.status).toBe(408);
    expect(JSON.parse(answer.body)).toMatchObject({ error: { code: "request_timeout" } });
    await app.close();
  });

  it("has half a character in it", async () => {
    for (const text of ['"\\ud800"', '"a\\uDC00b"', '{"\\ud83d": 1}']) {
      const payload = `{"prompt": "x", "max_tokens": 1, "user": ${text}}`;
      const headers = { "content-type": "application/json" };
      const { error } = await errorOf({ method: "POST", url: "/v1/completions", headers, payload }, 400);
      expect(error).toMatchObject({ code: "invalid_json" });
      expect(error.message).toContain("half a character");
    }
    const whole = { prompt: "x", max_tokens: 1, user: "\u{1f600}" };
    const escaped = JSON.stringify(whole).replace("\u{1f600}", "\\ud83d\\ude00");
    const headers = { "content-type": "application/json" };
    const answer = await pair.app.inject({
      method: "POST",
      url: "/v1/completions",
      headers,
      payload: escaped,
    });
    expect(answer.statusCode).toBe(200);
  });
});

describe("API keys", () => {
  const chatBody = { messages: [{ role: "user", content: "Hello" }], max_tokens: 1 };

  it("are needed everywhere but on the open paths", async () => {
    const app = createApp({ engine: pair.engine, apiKeys: ["first-key", "second-key"] });
    const status = async (headers: Record<string, string>, url = "/v1/models") =>
      (await app.inject({ method: "GET", url, headers })).statusCode;
    expect(await status({})).toBe(401);
    expect(await status({ authorization: "Bearer wrong" })).toBe(401);
    expect(await status({ authorization: "Basic first-key" })).toBe(401);
    expect(await status({ authorization: "Bearer first-key" })).toBe(200);
    expect(await status({ authorization: "bearer second-key" })).toBe(200);
    for (const url of ["/health", "/version", "/metrics"]) expect(await status({}, url)).toBe(200);
    const response = await app.inject({ method: "POST", url: "/v1/chat/completions", payload: chatBody });
    expect(response.statusCode).toBe(401);
    expect(response.json<ErrorAnswer>().error).toMatchObject({
      code: "invalid_api_key",
      type: "invalid_request_error",
    });
    expect(response.headers["www-authenticate"]).toBe("Bearer");
  });

  it("are compared whole", () => {
    const accepts = keyChecker(["abc"]);
    expect(["abc", "ab", "abcd", "", "ABC"].map(accepts)).toEqual([true, false, false, false, false]);
  });
});

describe("nestsDeeperThan", () => {
  it("counts levels of objects and arrays", () => {
    expect(nestsDeeperThan(1, 0)).toBe(false);
    expect(nestsDeeperThan({}, 0)).toBe(true);
    expect(nestsDeeperThan({ a: [1] }, 2)).toBe(false);
    expect(nestsDeeperThan({ a: [[1]] }, 2)).toBe(true);
  });

  it("does not exhaust the stack", () => {
    const deep: unknown = JSON.parse("[".repeat(100_000) + "]".repeat(100_000));
    expect(nestsDeeperThan(deep, maxJsonDepth)).toBe(true);
  });
});
