import { createServer, request, type Server } from "node:http";
import { createConnection, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mkdtemp, rm, writeFile } from "node:fs/promises";

import { afterEach, describe, expect, it } from "vitest";

import { answerWhileLoading } from "../src/http/loading.ts";
import { createHttpServer } from "../src/http/http-server.ts";
import { createApp, defaultLimits, run, type CliEnvironment } from "../src/index.ts";
import { ScriptedEngine } from "./support/scripted-engine.ts";

const opened: Server[] = [];
afterEach(() => {
  for (const server of opened.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A server that listens while its model loads. */
async function loading(share: () => number) {
  const server = createHttpServer(defaultLimits);
  opened.push(server);
  answerWhileLoading(server, { serverVersion: "1.2.3", share });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, url: `http://127.0.0.1:${portOf(server)}` };
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the server does not listen");
  return address.port;
}

const chat = (url: string) =>
  fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ messages: [{ role: "user", content: "hi" }] }),
  });

describe("a server whose model loads", () => {
  it("says so on every endpoint, with the share that is loaded, and when to ask again", async () => {
    let share = 0;
    const { url } = await loading(() => share);
    for (const path of ["/health", "/v1/models", "/props", "/nothing"]) {
      share = 0.429;
      const answer = await fetch(`${url}${path}`);
      expect(answer.status).toBe(503);
      expect(answer.headers.get("retry-after")).toBe("1");
      expect(await answer.json()).toEqual({
        status: "loading",
        progress: 0.42,
        error: {
          message: "The model is loading (42 %): send this request again when the server is ready.",
          type: "server_error",
          param: null,
          code: "model_loading",
        },
      });
    }
    const answer = await chat(url);
    expect(answer.status).toBe(503);
    expect(answer.headers.get("connection")).toBe("close");
  });

  it("tells its version, and how far it is on its metrics page", async () => {
    const { url } = await loading(() => 0.5);
    expect(await (await fetch(`${url}/version`)).json()).toEqual({ version: "1.2.3" });
    const page = await fetch(`${url}/metrics`);
    expect(page.status).toBe(200);
    expect(await page.text()).toMatch(/^onpar_model_load_ratio 0\.5$/m);
  });

  it("does not wait for a body that nobody reads", async () => {
    const { server } = await loading(() => 0);
    const status = await new Promise((resolve, reject) => {
      const sent = request({
        port: portOf(server),
        method: "POST",
        headers: { "content-length": 10_000_000 },
      });
      sent.on("response", (response) => resolve(response.statusCode));
      sent.on("error", reject);
      sent.flushHeaders();
    });
    expect(status).toBe(503);
  });

  it("is answered by the app alone once the app is ready", async () => {
    const { server, url } = await loading(() => 1);
    const app = createApp({ engine: new ScriptedEngine(["Hello"]), server });
    expect((await chat(url)).status).toBe(503);
    await app.ready();
    expect(server.listenerCount("request")).toBe(1);
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: "ok" });
    const answer = await chat(url);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ choices: [{ message: { content: "Hello" } }] });
    await app.close();
    // The server is the caller's: it still listens, and says that it shuts down.
    expect((await fetch(`${url}/health`)).status).toBe(503);
  });
});

/** Runs the command with what it writes kept. */
function command() {
  const written = { stdout: "", stderr: "" };
  let stop: (signal: "SIGINT" | "SIGTERM") => void = () => {};
  const environment: CliEnvironment = {
    variables: {},
    stdout: { write: (text) => void (written.stdout += text) },
    stderr: { write: (text) => void (written.stderr += text) },
    onStopRequest(handler) {
      stop = handler;
      return () => {};
    },
    endBySignal: () => {},
  };
  return { written, environment, stop: () => stop("SIGTERM") };
}

describe("onpar-server", () => {
  it("listens before the model is loaded, and answers 503 until it serves", async () => {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
    const port = portOf(probe);
    await new Promise((resolve) => probe.close(resolve));
    const { environment, written, stop } = command();
    const exit = run(["--port", String(port), "--ctx", "512", "--slots", "1"], environment);
    const statuses = new Set<number>();
    while (!statuses.has(200)) {
      const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
      if (answer !== null) statuses.add(answer.status);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect([...statuses]).toEqual([503, 200]);
    expect(written.stdout).toContain(`ready on http://127.0.0.1:${port} `);
    stop();
    expect(await exit).toBe(0);
    const refused = await new Promise((resolve) =>
      createConnection(port, "127.0.0.1").on("error", (error) => resolve("code" in error && error.code)),
    );
    expect(refused).toBe("ECONNREFUSED");
  });

  it("gives its port back when the model cannot be loaded", async () => {
    const folder = await mkdtemp(join(tmpdir(), "onpar-loading-"));
    try {
      const model = join(folder, "broken.gguf");
      await writeFile(model, "GGUF");
      const { environment, written } = command();
      expect(await run(["--port", "0", "--model", model], environment)).toBe(2);
      expect(written.stderr).toMatch(/^onpar-server: [^\n]*broken\.gguf[^\n]*\n$/);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});
