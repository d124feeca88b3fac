import { array, assert, nat, property } from "fast-check";
import { describe, expect, it } from "vitest";
import { monotonicClock, startTimeline } from "../src/clock.ts";
import { makeRecord, Recorder } from "../src/load/recorder.ts";
import type { RequestRecord } from "../src/record.ts";
import { AnswerStream } from "../src/stream/answer-stream.ts";
import { answerFormats } from "../src/stream/formats.ts";
import { StreamTrace } from "../src/stream/stream-trace.ts";
import { createNativeTarget, type NativeEndpointName } from "../src/targets/native-target.ts";
import { config } from "./support/config.ts";
import { sendJson, sendText, startServer, stream, type Responder } from "./support/scripted-server.ts";
import { wireAnswers } from "./support/wire-answers.ts";

const PATHS: Readonly<Record<NativeEndpointName, string>> = {
  responses: "/v1/responses",
  "llama-completion": "/completion",
  "sglang-generate": "/generate",
  "ollama-chat": "/api/chat",
};

interface Sent {
  readonly record: RequestRecord;
  readonly content: string;
  readonly reasoning: string;
  readonly body: Readonly<Record<string, unknown>>;
}

async function send(endpoint: NativeEndpointName, responder: Responder, streamed = true): Promise<Sent> {
  const server = await startServer({ [PATHS[endpoint]]: responder });
  const timeline = startTimeline(monotonicClock);
  const { target } = createNativeTarget({
    endpoint,
    root: server.url,
    config: config(server.url),
    model: "m",
    engine: null,
    streamed,
    bosText: null,
    apiKey: "k",
    timeoutMs: 5000,
    timeline,
  });
  try {
    const request = target.prepare({ id: "p", kind: "text", text: "hi", addSpecialTokens: true });
    const recorder = new Recorder();
    const signal = new AbortController().signal;
    const exchanged = recorder.finish(await target.send(request, recorder, signal));
    const identity = { id: "measure-0", phase: "measure" as const, scheduledNs: timeline.now() };
    expect(server.requests[0]?.headers.authorization).toBe("Bearer k");
    return {
      record: makeRecord(identity, request, exchanged),
      content: exchanged.texts.content.toString("utf8"),
      reasoning: exchanged.texts.reasoning.toString("utf8"),
      body: JSON.parse(server.requests[0]?.body ?? "{}") as Record<string, unknown>,
    };
  } finally {
    await target.close();
    await server.close();
  }
}

/** Drafted and accepted tokens, as far as the answer tells them. */
function draftsOf({ acceptance }: RequestRecord): object | null {
  if (acceptance === null) return null;
  const { draftTokens, acceptedTokens } = acceptance;
  return { draftTokens, acceptedTokens };
}

/** Pieces of bytes, cut at the given places. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % bytes.length))].toSorted((a, b) => a - b);
  return [0, ...places].map((from, index) => bytes.subarray(from, places[index] ?? bytes.length));
}

describe.each(wireAnswers)("$name", (wire) => {
  const bytes = Buffer.from(wire.stream);

  it("is read from a real server", async () => {
    const parts = pieces(bytes, [7, 41, 83, 127, 190, 301, bytes.length - 3]);
    const { record, content, reasoning, body } = await send(wire.endpoint, (_, response) =>
      stream(response, parts),
    );
    expect(record).toMatchObject({ state: "ok", error: null, finish: wire.finish, usage: wire.usage });
    expect([content, reasoning]).toEqual([wire.content, wire.reasoning ?? ""]);
    expect(record.tokenSource).toBe("usage");
    expect(draftsOf(record)).toEqual(wire.drafts ?? null);
    expect(record.chunks.tokens).toEqual(wire.chunkTokens ?? record.chunks.tokens);
    expect(body).toMatchObject({ stream: true });
  });

  it("is read when it comes whole", async () => {
    const { record, content, reasoning, body } = await send(
      wire.endpoint,
      (_, response) => sendJson(response, 200, wire.whole),
      false,
    );
    expect(record).toMatchObject({ state: "ok", error: null, finish: wire.finish, usage: wire.usage });
    expect([content, reasoning]).toEqual([wire.content, wire.reasoning ?? ""]);
    expect(draftsOf(record)).toEqual(wire.drafts ?? null);
    expect(body).toMatchObject({ stream: false });
  });

  it("says the same wherever its bytes are cut", () => {
    const read = (parts: readonly Buffer[]): unknown => {
      const trace = new StreamTrace();
      const answer = new AnswerStream(answerFormats[wire.endpoint], trace);
      for (const part of parts) answer.push(part, 1);
      answer.end(1);
      const { finish, usage, acceptance, complete } = answer;
      const { kinds, tokens } = trace;
      const texts = [trace.text("content").toString("utf8"), trace.text("reasoning").toString("utf8")];
      return { finish, usage, acceptance, complete, kinds, tokens, texts, verdict: answer.verdict() };
    };
    const expected = read([bytes]);
    expect(expected).toMatchObject({ complete: true, verdict: null });
    assert(
      property(array(nat(bytes.length - 1), { maxLength: 40 }), (cuts) => {
        expect(read(pieces(bytes, cuts))).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it("is truncated when its end is missing", async () => {
    const cut = wire.stream.lastIndexOf(wire.endpoint === "ollama-chat" ? "{" : "data: {") - 1;
    const head = bytes.subarray(0, Buffer.byteLength(wire.stream.slice(0, cut - 1)));
    const { record } = await send(wire.endpoint, (_, response) => stream(response, [head]));
    expect(record.state).toBe("failed");
    expect(record.error?.kind).toMatch(/^(truncated|no-output)$/);
  });
});

describe("faults of native interfaces", () => {
  it.each([
    [
      "llama-completion",
      'data: {"error":{"code":500,"message":"slot gone","type":"server_error"}}\n\n',
      /slot gone/,
    ],
    ["sglang-generate", 'data: {"error":{"message":"out of memory"}}\n\ndata: [DONE]\n\n', /out of memory/],
    [
      "sglang-generate",
      'data: {"text":"","meta_info":{"finish_reason":{"type":"abort","message":"input too long"},"completion_tokens":0,"prompt_tokens":9}}\n\n',
      /input too long/,
    ],
    ["ollama-chat", '{"error":"model runner has stopped"}\n', /runner has stopped/],
    [
      "responses",
      'event: error\ndata: {"type":"error","code":"server_error","message":"broke"}\n\n',
      /broke/,
    ],
    [
      "responses",
      'event: response.failed\ndata: {"type":"response.failed","response":{"status":"failed","error":{"code":"x","message":"engine died"}}}\n\n',
      /engine died/,
    ],
  ] as const)("%s: an error inside the stream", async (endpoint, text, message) => {
    const { record } = await send(endpoint, (_, response) => stream(response, [text]));
    expect(record).toMatchObject({ state: "failed", error: { kind: "stream-error" } });
    expect(record.error?.message).toMatch(message);
  });

  it.each(["responses", "llama-completion", "sglang-generate", "ollama-chat"] as const)(
    "%s: a page instead of an answer",
    async (endpoint) => {
      const page: Responder = (_, response) =>
        sendText(response, 502, "text/html", "<html><title>Bad Gateway</title></html>");
      const { record } = await send(endpoint, page);
      expect(record).toMatchObject({ state: "failed", status: 502, error: { kind: "http" } });
      expect(record.error?.message).toMatch(/Bad Gateway/);
    },
  );
});
