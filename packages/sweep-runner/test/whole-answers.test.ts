import { afterEach, expect, it } from "vitest";
import { config } from "./support/config.ts";
import { codes, run } from "./support/run.ts";
import {
  models,
  sendJson,
  startServer,
  type Responder,
  type ScriptedServer,
} from "./support/scripted-server.ts";

let server: ScriptedServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

const usage = { prompt_tokens: 8, completion_tokens: 3, total_tokens: 11 };
const answers: Readonly<Record<string, unknown>> = {
  "/v1/completions": { choices: [{ index: 0, text: "a b c", finish_reason: "length" }], usage },
  "/v1/chat/completions": {
    choices: [{ index: 0, message: { role: "assistant", content: "a b c" }, finish_reason: "length" }],
    usage,
  },
  "/completion": {
    content: "a b c",
    stop: true,
    stop_type: "limit",
    tokens_predicted: 3,
    tokens_evaluated: 8,
    timings: { prompt_n: 8, predicted_n: 3 },
  },
  "/generate": {
    text: "a b c",
    meta_info: { prompt_tokens: 8, completion_tokens: 3, finish_reason: { type: "length", length: 3 } },
  },
  "/api/chat": {
    message: { role: "assistant", content: "a b c" },
    done: true,
    done_reason: "length",
    prompt_eval_count: 8,
    eval_count: 3,
  },
  "/v1/responses": {
    object: "response",
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "a b c" }] }],
    usage: { input_tokens: 8, output_tokens: 3, total_tokens: 11 },
  },
};

it.each([
  ["completions", "/v1/completions"],
  ["chat-completions", "/v1/chat/completions"],
  ["llama-completion", "/completion"],
  ["sglang-generate", "/generate"],
  ["ollama-chat", "/api/chat"],
  ["responses", "/v1/responses"],
] as const)("%s: answers that come whole have an end and no first token", async (endpoint, path) => {
  const respond: Responder = (_, response) => sendJson(response, 200, answers[path]);
  server = await startServer({ [path]: respond, "/v1/models": models("m") });
  const result = await run(config(server.url, { target: { endpoint, stream: false } }));
  const { counts, latency, outputs, rates } = result.summary;
  expect(counts).toMatchObject({ asked: 4, ok: 4 });
  expect(outputs.lengths).toMatchObject({ min: 3, max: 3 });
  expect(latency.e2elMs).toMatchObject({ n: 4 });
  expect([latency.ttftMs, latency.firstAnswerMs, latency.tpotMs]).toEqual([null, null, null]);
  expect([latency.itlChunkMs, latency.itlTokenMs]).toEqual([null, null]);
  expect(rates.outputTokensPerS).toBeGreaterThan(0);
  expect(result.protocol.delivery).toBe("whole");
  for (const code of ["tokens-unseen", "done-missing", "burst-delivery", "finish-missing"])
    expect(codes(result)).not.toContain(code);
  const sent = server.requests.filter((request) => request.path === path && request.method === "POST");
  for (const { body, headers } of sent) {
    expect(JSON.parse(body)).toMatchObject({ stream: false });
    expect(headers.accept).toBe("application/json");
  }
});
