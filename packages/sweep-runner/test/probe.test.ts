import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { probeServer } from "../src/probe/probe-server.ts";
import { countTokens } from "./support/bench-server.ts";
import { config } from "./support/config.ts";
import { codes, run, runError, withFolder } from "./support/run.ts";
import { DONE, event, sendJson, stream } from "./support/scripted-server.ts";
import { certificate, privateKey } from "./support/tls.ts";

const open: Server[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  }
});

/** A small server behind TLS that knows nobody without its header. */
async function guarded(): Promise<string> {
  const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => void answer());
    const answer = () => {
      if (request.headers["x-team"] !== "blue") return sendJson(response, 403, { error: "who are you?" });
      if (request.url === "/v1/models") return sendJson(response, 200, { data: [{ id: "m" }] });
      if (request.url === "/metrics") {
        response.writeHead(200, { "content-type": "text/plain" });
        return response.end("vllm:num_requests_running 0\n");
      }
      if (!(request.url ?? "").endsWith("completions")) return sendJson(response, 404, {});
      const { max_tokens: cap, prompt = "" } = JSON.parse(body) as {
        max_tokens: number;
        prompt?: string | number[];
      };
      const promptTokens = typeof prompt === "string" ? countTokens(prompt) : prompt.length;
      const usage = { prompt_tokens: promptTokens, completion_tokens: cap };
      const choice = { index: 0, text: "w", delta: { content: "w" }, finish_reason: "length" };
      if (!body.includes('"stream":true'))
        return sendJson(response, 200, { choices: [{ ...choice, message: { content: "w" } }], usage });
      return stream(response, [event({ choices: [choice] }), event({ choices: [], usage }), DONE]);
    };
  }).listen(0, "127.0.0.1");
  open.push(server);
  await once(server, "listening");
  const address = server.address();
  return `https://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
}

describe("the probe", () => {
  it("goes with the headers and the authority that it is given, its look at the metrics too", async () => {
    const baseUrl = await guarded();
    await withFolder(async (folder) => {
      const caFile = join(folder, "ca.pem");
      await writeFile(caFile, certificate);
      const result = await probeServer({ baseUrl, apiKey: null, headers: { "X-Team": "blue" }, caFile });
      const status = Object.fromEntries(result.checks.map(({ name, status }) => [name, status]));
      expect(status).toMatchObject({ metrics: "yes", "streaming usage": "yes" });
      expect(result.engine.evidence.length).toBeGreaterThan(0);

      const stranger = await runError(probeServer({ baseUrl, apiKey: null, caFile }));
      expect(stranger.code).toBe("UNAUTHORISED");
      const unknown = await runError(probeServer({ baseUrl, apiKey: null }));
      expect(unknown.code).toBe("SERVER_UNREACHABLE");
      expect(unknown.message).toMatch(/^the certificate of .* is not trusted: .*--ca-file.*--insecure/);
      const notPem = join(folder, "not.pem");
      await writeFile(notPem, "PRIVATE");
      const useless = await runError(probeServer({ baseUrl, apiKey: null, caFile: notPem }));
      expect([useless.code, useless.message]).toEqual([
        "TARGET_INVALID",
        `cannot read the certificate authority ${notPem}: it holds no certificate (PEM)`,
      ]);
      const missing = await runError(probeServer({ baseUrl, apiKey: null, caFile: join(folder, "none") }));
      expect(missing.code).toBe("TARGET_INVALID");
      const unset = await runError(
        probeServer({ baseUrl, apiKey: null, headers: { "X-Team": "env:ONPAR_TEST_NOT_SET" } }),
      );
      expect(unset.message).toContain("ONPAR_TEST_NOT_SET, which is not set");
    });
  });

  it("is no more trusting than a run, which reads the metrics page under the same authority", async () => {
    const baseUrl = await guarded();
    await withFolder(async (folder) => {
      const caFile = join(folder, "ca.pem");
      await writeFile(caFile, certificate);
      const target = { headers: { "X-Team": "blue" }, caFile };
      const result = await run(config(baseUrl, { target, numPrompts: 1 }));
      expect(result.summary.counts.ok).toBe(1);
      expect(codes(result)).not.toContain("metrics-absent");
    });
  });
});
