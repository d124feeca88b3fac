import { describe, expect, it } from "vitest";
import { completeOnce } from "../src/complete-once.ts";
import { startBenchServer, type BenchServerOptions } from "./support/bench-server.ts";
import { config } from "./support/config.ts";
import { runError } from "./support/run.ts";
import { delta, event, sendJson, stream } from "./support/scripted-server.ts";

async function once(
  options: BenchServerOptions,
  endpoint: "completions" | "chat-completions" = "chat-completions",
) {
  const server = await startBenchServer(options);
  const pieces: [string, string][] = [];
  try {
    const completion = await completeOnce({
      config: config(server.url, { target: { endpoint }, outputLen: 4 }),
      apiKey: null,
      engine: null,
      prompt: "hi",
      onText: (text, channel) => pieces.push([channel, text]),
    });
    return { ...completion, pieces };
  } finally {
    await server.close();
  }
}

describe("one request to a server", () => {
  it("gives text, record and the acceptance that the server counted meanwhile", async () => {
    const { text, record, acceptance, acceptanceMissing, pieces } = await once({ acceptedPerStep: 1 });
    expect(text).toBe("w0 w1 w2 w3 ");
    expect(pieces).toHaveLength(4);
    expect(record).toMatchObject({ state: "ok", outputTokens: 4 });
    expect(acceptance).toMatchObject({ source: "metrics-delta", verifySteps: 2, acceptedTokens: 2 });
    expect(acceptanceMissing).toBeNull();
  });

  it("takes the counts that the answer carries before those of the page", async () => {
    const spec = {
      num_draft_tokens: 8,
      num_accepted_draft_tokens: 3,
      num_spec_steps: 4,
      acceptance_histogram: [1, 3, 0],
    };
    const last = event({
      choices: [],
      usage: { prompt_tokens: 1, completion_tokens: 8 },
      metrics: { speculative_decoding: spec },
    });
    const { acceptance, text, reasoning, pieces } = await once({
      acceptedPerStep: 1,
      routes: {
        "/v1/chat/completions": (_, response) =>
          stream(response, [delta({ reasoning: "hm" }), delta({ content: "yes" }, "stop"), last]),
      },
    });
    expect(acceptance).toMatchObject({ source: "per-request", draftTokens: 8, meanAcceptanceLength: 1.75 });
    expect([text, reasoning]).toEqual(["yes", "hm"]);
    expect(pieces).toEqual([
      ["reasoning", "hm"],
      ["content", "yes"],
    ]);
  });

  it("has no acceptance where nothing tells, and says why", async () => {
    const silent = await once({});
    expect(silent.acceptance).toBeNull();
    expect(silent.acceptanceMissing).toMatch(/no speculative-decoding counters; answers carry no counts/);
    const off = await once({ routes: { "/metrics": (_, response) => sendJson(response, 404, {}) } });
    expect(off.acceptance).toBeNull();
    expect(off.acceptanceMissing).toMatch(/answered 404/);
  });

  it("does not take counters for its own that hold other requests too", async () => {
    const { acceptance, acceptanceMissing } = await once({ acceptedPerStep: 1, foreignRequests: 1 });
    expect(acceptance).toBeNull();
    expect(acceptanceMissing).toMatch(/other requests too/);
  });

  it("returns what came before a failure in the middle, and throws a refusal", async () => {
    const broken = await once({
      routes: {
        "/v1/chat/completions": (_, response) =>
          stream(response, [delta({ content: "a" }), event({ error: { message: "died" } })]),
      },
    });
    expect(broken).toMatchObject({ text: "a", record: { state: "failed", error: { message: "died" } } });
    const refused = once({
      routes: {
        "/v1/chat/completions": (_, response) =>
          sendJson(response, 400, { error: { message: "bad temperature" } }),
      },
    });
    expect((await runError(refused)).message).toMatch(/answered 400: bad temperature/);
  });
});
