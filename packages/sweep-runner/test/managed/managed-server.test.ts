import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { benchConfigSchema, type BenchConfigInput } from "@onpar/bench-config";
import { afterEach, describe, expect, it } from "vitest";
import { startManagedServer, type ManagedServer } from "../../src/managed/managed-server.ts";
import { createServerKeeper } from "../../src/managed/server-keeper.ts";
import { runError, withFolder } from "../support/run.ts";

const running: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop();
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** A server with the endpoints that readiness is proved by; `prelude` runs before it listens. */
const script = (port: number, prelude = "", status = 200) => `
  const { createServer } = require("node:http");
  ${prelude}
  createServer((request, response) => {
    if (request.url === "/die") { console.error("out of memory"); process.exit(9); }
    if (request.url === "/v1/models") return response.end(JSON.stringify({ data: [{ id: "m" }] }));
    response.statusCode = ${status};
    response.end("{}");
  }).listen(${port}, "127.0.0.1", () => console.log("listening"));
`;

async function start(
  source: (port: number) => string,
  server: BenchConfigInput["server"] = {},
): Promise<{ readonly server: ManagedServer; readonly url: string }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = benchConfigSchema.parse({
    target: { baseUrl: url },
    server: { command: [process.execPath, "-e", source(port)], readyTimeoutS: 10, ...server },
  });
  const managed = await startManagedServer({ config, apiKey: null });
  running.push(managed);
  return { server: managed, url };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("a server that is started for a measurement", () => {
  it("is ready once a token came, keeps a log, and is gone with its workers after it was stopped", async () => {
    await withFolder(async (folder) => {
      const logFile = join(folder, "server.log");
      const worker =
        "console.log(require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' }).pid);";
      const { server, url } = await start((port) => script(port, worker), { logFile });
      expect((await fetch(`${url}/v1/models`)).status).toBe(200);
      expect(server.failure).toBeNull();
      await server.stop();
      const log = await readFile(logFile, "utf8");
      expect(log).toMatch(/^\d+\nlistening\n$/);
      expect(isAlive(Number.parseInt(log, 10))).toBe(false);
      expect(isAlive(server.pid)).toBe(false);
      // It was stopped: that is no failure.
      expect(server.died.aborted).toBe(false);
    });
  });

  it("is killed when it does not end by itself", async () => {
    const stubborn = "process.on('SIGTERM', () => {});";
    const { server } = await start((port) => script(port, stubborn), { stopTimeoutS: 0.2 });
    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
  });

  it("tells how it ended, and what it printed last", async () => {
    const { server, url } = await start(script);
    await fetch(`${url}/die`).catch(() => {});
    if (!server.died.aborted) await once(server.died, "abort");
    expect(server.failure).toBe("the server ended with code 9; it printed last: listening | out of memory");
    expect(server.died.reason).toMatchObject({ code: "SERVER_EXITED", message: server.failure });
  });

  it("that ends while it starts is told with what it printed", async () => {
    const error = await runError(
      start(() => "console.error('no such model: \\u001b[31mx.gguf\\u001b[0m'); process.exit(3)"),
    );
    expect(error.code).toBe("SERVER_EXITED");
    expect(error.message).toBe("the server ended with code 3; it printed last: no such model: x.gguf");
  });

  it("that never answers a request is not ready, though its list of models is there", async () => {
    const error = await runError(start((port) => script(port, "", 503), { readyTimeoutS: 0.5 }));
    expect(error.code).toBe("SERVER_NOT_READY");
    expect(error.message).toMatch(
      /not ready after 0\.5 s: a request for one token is answered 503; it printed last: listening/,
    );
  });

  it("that cannot be started is named", async () => {
    const config = benchConfigSchema.parse({ server: { command: ["no-such-server-program"] } });
    const error = await runError(startManagedServer({ config, apiKey: null }));
    expect(error.message).toMatch(/cannot start the server \(no-such-server-program\): .*ENOENT/);
  });

  it("is not started where something listens already", async () => {
    const { url } = await start(script);
    const config = benchConfigSchema.parse({ target: { baseUrl: url }, server: { command: ["vllm"] } });
    const error = await runError(startManagedServer({ config, apiKey: null }));
    expect(error.code).toBe("TARGET_INVALID");
    expect(error.message).toMatch(
      /something listens on 127\.0\.0\.1:\d+ already, so vllm cannot be started there/,
    );
  });

  it("gets no variable that was not named", async () => {
    await withFolder(async (folder) => {
      const logFile = join(folder, "server.log");
      const port = await freePort();
      const print = "console.log(Object.keys(process.env).filter((name) => /KEY|TOKEN/.test(name)).join());";
      const config = benchConfigSchema.parse({
        target: { baseUrl: `http://127.0.0.1:${port}` },
        server: { command: [process.execPath, "-e", script(port, print)], envNames: ["HF_TOKEN"], logFile },
      });
      const environment = { ...process.env, HF_TOKEN: "a", OPENAI_API_KEY: "b" };
      running.push(await startManagedServer({ config, apiKey: null, environment }));
      expect(await readFile(logFile, "utf8")).toBe("HF_TOKEN\nlistening\n");
    });
  });
});

it("the server of a sweep is kept within a boot, and started anew for the next one and after it ended", async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = benchConfigSchema.parse({
    target: { baseUrl: url },
    server: { command: [process.execPath, "-e", script(port), "{concurrency}"] },
  });
  const keeper = createServerKeeper({ apiKey: null });
  running.push(keeper);
  const first = await keeper.ensure(config, 1);
  expect(await keeper.ensure(config, 1)).toBe(first);
  const second = await keeper.ensure(config, 2);
  expect(second?.pid).not.toBe(first?.pid);
  const other = await keeper.ensure({ ...config, concurrency: 2 }, 2);
  expect(other?.command.at(-1)).toBe("2");
  await fetch(`${url}/die`).catch(() => {});
  if (other?.died.aborted === false) await once(other.died, "abort");
  expect((await keeper.ensure({ ...config, concurrency: 2 }, 2))?.pid).not.toBe(other?.pid);
  expect(await keeper.ensure(benchConfigSchema.parse({}), 1)).toBeNull();
});
