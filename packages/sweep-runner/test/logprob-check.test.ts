import { describe, expect, it } from "vitest";
import { config } from "./support/config.ts";
import { codes, run } from "./support/run.ts";
import { bodyOf, serversOfEachTest } from "./support/servers.ts";
import { sendJson, type Responder } from "./support/scripted-server.ts";

const { benchServer } = serversOfEachTest();

/** A whole answer with these log-probabilities. */
const whole =
  (logprobs: unknown): Responder =>
  (_, response) =>
    sendJson(response, 200, { choices: [{ text: "a b", message: { content: "a b" }, logprobs }] });

/** Streams as ever, and answers what is not streamed with these log-probabilities. */
async function serverWith(logprobs: unknown) {
  const streams = await benchServer();
  const pass: Responder = async (request, response) => {
    if (bodyOf(request)["stream"] !== true) return whole(logprobs)(request, response);
    const answer = await fetch(streams.url + request.path, { method: "POST", body: request.body });
    response.writeHead(answer.status, { "content-type": "text/event-stream" });
    response.end(await answer.text());
  };
  const gone: Responder = (_, response) => sendJson(response, 404, {});
  return benchServer({
    routes: { "/v1/completions": pass, "/v1/chat/completions": pass, "/metrics": gone },
  });
}

const token = (alternatives: number) => ({
  token: "a",
  logprob: -1,
  top_logprobs: Array.from({ length: alternatives }, () => ({ token: "a", logprob: -1 })),
});

describe("log-probabilities that were asked for", () => {
  it.each<[string, "completions" | "chat-completions", unknown, boolean]>([
    ["there", "chat-completions", { content: [token(2), token(3)] }, true],
    [
      "in columns",
      "completions",
      {
        token_logprobs: [-1, -2],
        top_logprobs: [
          { a: -1, b: -2 },
          { a: -1, c: -2 },
        ],
      },
      true,
    ],
    ["left out", "chat-completions", null, false],
    ["empty", "completions", { content: [] }, false],
    ["too few for a token", "chat-completions", { content: [token(2), token(1)] }, false],
    ["without alternatives", "completions", { token_logprobs: [-1], top_logprobs: null }, false],
  ])("%s", async (_, endpoint, logprobs, isThere) => {
    const server = await serverWith(logprobs);
    const result = await run(config(server.url, { logprobs: 2, target: { endpoint } }));
    expect(codes(result).includes("logprobs-missing")).toBe(!isThere);
    const [small, ...measured] = server.completions.map(bodyOf);
    expect(small).toMatchObject({ max_tokens: 2, stream: false });
    const asks = endpoint === "completions" ? { logprobs: 2 } : { logprobs: true, top_logprobs: 2 };
    for (const body of [small, ...measured]) expect(body).toMatchObject(asks);
    expect(measured).toHaveLength(4);
  });

  it("are looked for only where they were asked for", async () => {
    const server = await serverWith(null);
    const result = await run(config(server.url, {}));
    expect(codes(result)).not.toContain("logprobs-missing");
    expect(server.completions).toHaveLength(4);
  });
});
