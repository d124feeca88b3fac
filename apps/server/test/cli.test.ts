import { createServer, type AddressInfo } from "node:net";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";

import { demoModel } from "@onpar/demo-model";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { run } from "../src/cli.ts";
import { textOutput } from "../src/cli/environment.ts";
import type { CliEnvironment } from "../src/index.ts";
import { eventually } from "./support/eventually.ts";

interface Started {
  readonly environment: CliEnvironment;
  /** Everything written so far. */
  readonly written: { stdout: string; stderr: string };
  readonly endedBy: NodeJS.Signals[];
  readonly send: (signal: NodeJS.Signals) => void;
  readonly listeners: Set<(signal: NodeJS.Signals) => void>;
}

function environment(variables: Record<string, string> = {}, isTTY = false): Started {
  const written = { stdout: "", stderr: "" };
  const listeners = new Set<(signal: NodeJS.Signals) => void>();
  const endedBy: NodeJS.Signals[] = [];
  return {
    written,
    listeners,
    endedBy,
    send(signal) {
      for (const listener of listeners) listener(signal);
    },
    environment: {
      variables,
      stdout: { write: (text) => (written.stdout += text) },
      stderr: { isTTY, write: (text) => (written.stderr += text) },
      onStopRequest(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      endBySignal: (signal) => endedBy.push(signal),
    },
  };
}

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "onpar-server-"));
  await writeFile(join(folder, "not-a-model.gguf"), "no model");
});
afterAll(() => rm(folder, { recursive: true }));

describe("onpar-server refuses with one line and exit code 2", () => {
  it.each([
    [["--bogus"], /unknown option '--bogus'/],
    [["--prot", "1"], /unknown option '--prot' \(Did you mean --port\?\)/],
    [["--port", "70000"], /--port .*whole number from 0 to 65535/],
    [["--port", "x"], /--port .*whole number/],
    [["--slots", "0"], /--slots /],
    [["--draft-tokens", "0"], /--draft-tokens /],
    [["--draft-length", "some"], /--draft-length .*fixed, adaptive/],
    [["--threads", "many"], /--threads .*auto or a whole number from 1 to 1024/],
    [["--ctx", "1.5"], /--ctx /],
    [["--max-body-bytes", "1"], /--max-body-bytes /],
    [["--api-key", "two words"], /--api-key .*must not/],
    [["--served-model-name", ""], /--served-model-name must not be empty/],
    [["--host", ""], /--host must not be empty/],
    [["--model", ""], /--model must not be empty/],
    [["--draft-model", " "], /--draft-model must not be empty/],
    [["--api-key-file", ""], /--api-key-file must not be empty/],
    [["--port", "0", "--ctx", "99999"], /--ctx 99999 is more than the 8192 tokens/],
    [["--no-draft", "--draft-model", "x.gguf"], /--draft-model and --no-draft contradict/],
    [["--model", "nowhere.gguf"], /--model: there is no file nowhere\.gguf/],
    [["--draft-model", "nowhere.gguf"], /--draft-model: there is no file nowhere\.gguf/],
    [["extra"], /too many arguments/],
  ])("%j", async (argv, message) => {
    const started = environment();
    expect(await run(argv, started.environment)).toBe(2);
    expect(started.written.stdout).toBe("");
    expect(started.written.stderr).toMatch(message);
    expect(started.written.stderr).toMatch(/^onpar-server: [^\n]+\n$/);
  });

  it("a file that is no model", async () => {
    const started = environment();
    expect(await run(["--port", "0", "--model", join(folder, "not-a-model.gguf")], started.environment)).toBe(
      2,
    );
    expect(started.written.stderr).toMatch(/^onpar-server: [^\n]*not-a-model\.gguf[^\n]*\n$/);
  });

  it("a port in use", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const started = environment();
    expect(await run(["--port", String(port), "--ctx", "128"], started.environment)).toBe(2);
    expect(started.written.stderr).toBe(
      `onpar-server: port ${port} on 127.0.0.1 is in use: choose another with --port (0 takes a free one)\n`,
    );
    expect(started.listeners.size).toBe(0);
    await new Promise((resolve) => other.close(resolve));
  });
});

it("prints its flags and its version on stdout", async () => {
  const help = environment();
  expect(await run(["--help"], help.environment)).toBe(0);
  for (const flag of ["--draft-tokens", "--no-draft", "--served-model-name"]) {
    expect(help.written.stdout).toContain(flag);
  }
  const version = environment();
  expect(await run(["--version"], version.environment)).toBe(0);
  expect(version.written.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(help.written.stderr + version.written.stderr).toBe("");
});

it("outlives whoever read what it prints", async () => {
  const broken = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error("broken"), { code: "EPIPE" })),
  });
  const output = textOutput(broken);
  output.write("ready");
  await new Promise((resolve) => broken.once("close", resolve));
  expect(() => output.write("more")).not.toThrow();
  await new Promise((resolve) => setImmediate(resolve));
});

describe("onpar-server serves", () => {
  async function serve(argv: readonly string[], variables: Record<string, string> = {}, isTTY = false) {
    const started = environment(variables, isTTY);
    const exit = run(["--port", "0", "--ctx", "512", ...argv], started.environment);
    await eventually(() => expect(started.written.stdout).toMatch(/\n$/));
    const url = /ready on (\S+)/.exec(started.written.stdout)?.[1] ?? "";
    return { ...started, exit, url };
  }

  const complete = (url: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${url}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ prompt: "The river", ...body }),
    });

  it("with threads and a draft length that are measured at load", async () => {
    const argv = ["--threads", "auto", "--draft-length", "adaptive", "--slots", "1"];
    const { exit, send, url } = await serve(argv);
    const response = await complete(url, { max_tokens: 8, ignore_eos: true });
    expect(response.status).toBe(200);
    await response.text();
    send("SIGTERM");
    expect(await exit).toBe(0);
  });

  it("the bundled pair by default, until it is asked to stop", async () => {
    const { exit, send, url, written, listeners } = await serve(["--slots", "2"]);
    expect(written.stdout).toMatch(
      /^onpar-server ready on http:\/\/127\.0\.0\.1:\d+ \(model onpar-demo, draft \S+ x 5, slots 2, ctx 512\)\n$/,
    );
    expect(written.stderr).toBe("");
    // Sent before the signal and answered after it, in full.
    const response = await complete(url, { max_tokens: 200, ignore_eos: true, stream: true });
    send("SIGTERM");
    const body = await response.text();
    expect(body).toMatch(/"finish_reason":"length"/);
    expect(body).toMatch(/data: \[DONE\]\n\n$/);
    expect(await exit).toBe(0);
    expect(listeners.size).toBe(0);
    await expect(complete(url, {})).rejects.toThrow("fetch failed");
  });

  it("without a draft, under a name, with keys, and shows progress on a terminal", async () => {
    const argv = ["--model", demoModel.target.path, "--served-model-name", "mine", "--api-key", "one"];
    const { exit, send, url, written } = await serve(argv, { ONPAR_API_KEY: "two" }, true);
    expect(written.stdout).toContain("(model mine, draft off, slots 4, ctx 512)");
    expect(written.stderr).toMatch(/^(?:\rloading the model \d+ %)+\r/);
    expect(written.stderr.endsWith("\r\u001B[K")).toBe(true);
    expect((await complete(url, { max_tokens: 1 })).status).toBe(401);
    for (const key of ["one", "two"]) {
      const answer = await complete(
        url,
        { max_tokens: 1, model: "mine" },
        { authorization: `Bearer ${key}` },
      );
      expect(answer.status).toBe(200);
      expect(await answer.json()).not.toHaveProperty("metrics");
    }
    send("SIGINT");
    expect(await exit).toBe(0);
  });

  it("nothing when it is asked to stop while it loads, which is no failure", async () => {
    const started = environment();
    const exit = run(["--port", "0", "--ctx", "512"], started.environment);
    started.send("SIGTERM");
    expect(await exit).toBe(0);
    expect(started.written).toEqual({ stdout: "", stderr: "" });
  });

  it("and ends at once on the second signal", async () => {
    const { exit, send, endedBy, url } = await serve(["--slots", "1"]);
    const leave = new AbortController();
    const running = fetch(`${url}/v1/completions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ prompt: "The river", max_tokens: 400, ignore_eos: true }),
      signal: leave.signal,
    });
    await eventually(async () => {
      expect(await (await fetch(`${url}/metrics`)).text()).toMatch(/num_requests_running\{.*\} 1$/m);
    });
    send("SIGTERM");
    send("SIGTERM");
    expect(endedBy).toEqual(["SIGTERM"]);
    leave.abort();
    await expect(running).rejects.toThrow(/abort/);
    expect(await exit).toBe(0);
  });
});
