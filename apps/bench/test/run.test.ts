import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import type { RequestRecord, RunResult } from "@onpar/sweep-runner";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { run } from "../src/run.ts";
import { fakeEnv, onpar } from "./fake-env.ts";
import { startModelServer, type ModelServer } from "./model-server.ts";

const folder = mkdtempSync(path.join(tmpdir(), "onpar-bench-"));
const inFolder = (name: string) => path.join(folder, name);
const servers: ModelServer[] = [];

async function serve(options: Parameters<typeof startModelServer>[0] = {}): Promise<ModelServer> {
  const server = await startModelServer(options);
  servers.push(server);
  return server;
}

afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  rmSync(folder, { recursive: true, force: true });
});

const runOf = (server: ModelServer, ...flags: string[]) => [
  "run",
  `--base-url=${server.url}`,
  "--input-len=8",
  "--output-len=12",
  ...flags,
];

function measured(file: string): RequestRecord[] {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as RequestRecord)
    .filter((record) => record.type === "request" && record.phase === "measure");
}

describe("onpar run", () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await serve();
  });

  it("prints the report, and no progress into a pipe", async () => {
    const { code, stdout, stderr } = await onpar(runOf(server, "--num-prompts=4", "--concurrency=2"));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^4 asked: 4 ok, 0 failed, 0 aborted; error rate 0\.0 %\n/);
    expect(stdout.replace(/\s+/g, " ")).toContain("ignore_eos=true -> rule ignore-eos, exactly 12 tokens");
    expect(stdout).toContain("12/12/12 tokens, ignore-eos");
    expect(stdout).not.toContain("\u001b");
  });

  it("draws progress on a terminal, beside a report in colour", async () => {
    const { code, stdout, stderr } = await onpar(runOf(server, "--num-prompts=2"), {
      stdoutIsTerminal: true,
      stderrIsTerminal: true,
    });
    expect(code).toBe(0);
    expect(stderr).toContain("measuring 0/2");
    expect(stdout).toContain("\u001b[1m");
    const plain = await onpar(runOf(server, "--num-prompts=2"), {
      stdoutIsTerminal: true,
      variables: { NO_COLOR: "1" },
    });
    expect(plain.stdout).not.toContain("\u001b");
  });

  it("prints with --json what the records and --output-json say", async () => {
    const [records, json] = [inFolder("records.jsonl"), inFolder("result.json")];
    const { code, stdout, stderr } = await onpar(
      runOf(
        server,
        "--num-prompts=5",
        "--no-ignore-eos",
        `--output=${records}`,
        `--output-json=${json}`,
        "--json",
      ),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const result = JSON.parse(stdout) as RunResult;
    expect(JSON.parse(readFileSync(json, "utf8"))).toEqual(result);
    expect(result.schema).toBe("onpar.run/2");
    const kept = measured(records);
    expect(kept).toHaveLength(result.summary.counts.ok);
    expect(result.summary.counts).toMatchObject({ asked: 5, ok: 5 });
    expect(result.summary.outputs.lengths).toMatchObject({
      n: kept.length,
      min: Math.min(...kept.map((record) => record.outputTokens ?? NaN)),
      max: Math.max(...kept.map((record) => record.outputTokens ?? NaN)),
    });
    expect(result.protocol.stoppingRule).toMatchObject({ name: "eos", cap: 12, sent: { ignore_eos: false } });
  });

  it("replaces a result with --overwrite", async () => {
    const json = inFolder("replaced.json");
    const once = runOf(server, "--num-prompts=1", `--output-json=${json}`, "--quiet");
    expect(await onpar(once)).toEqual({ code: 0, stdout: "", stderr: "" });
    expect((await onpar(once)).code).toBe(2);
    expect((await onpar([...once, "--seed=7", "--overwrite"])).code).toBe(0);
    expect((JSON.parse(readFileSync(json, "utf8")) as RunResult).config.seed).toBe(7);
  });

  it("says that a server did not obey, and ends with 5", async () => {
    const deaf = await serve({ obeysIgnoreEos: false });
    const { code, stdout } = await onpar(runOf(deaf, "--num-prompts=3"));
    expect(code).toBe(5);
    expect(stdout).toContain("BREACH eos-not-ignored");
    expect(stdout.split("\n")[1]).toContain("does not stand as stated: eos-not-ignored");
  });

  it("counts failures in the first line, and ends with 4", async () => {
    const weak = await serve({ failsEvery: 3 });
    const { code, stdout } = await onpar(runOf(weak, "--num-prompts=6", "--warmup=1"));
    expect(code).toBe(4);
    expect(stdout).toMatch(/^6 asked: 4 ok, 2 failed, 0 aborted; error rate 33\.3 %\n/);
    expect(stdout).toContain("503");
  });

  it("ends with 0 when requests that were refused went out again and ended well", async () => {
    const weak = await serve({ failsEvery: 3 });
    const { code, stdout } = await onpar(runOf(weak, "--num-prompts=6", "--warmup=1", "--retries=3"));
    expect(stdout).toMatch(/^6 asked: 6 ok, 0 failed, 0 aborted; error rate 0\.0 %\n/);
    expect(stdout).toContain("at most 3 retries");
    expect(stdout).toContain("WARNING requests-retried");
    expect(code).toBe(0);
  });

  it("ends with 4 when requests were never sent", async () => {
    const slow = await serve({ delayMs: 30 });
    const load = ["--load=constant", "--request-rate=100", "--max-in-flight=1", "--request-timeout=600ms"];
    const { code, stdout, stderr } = await onpar(runOf(slow, "--num-prompts=8", ...load));
    expect(stdout).toMatch(/^8 asked: [^\n]* dropped/);
    expect(stderr).toMatch(/^$/);
    expect(code).toBe(4);
    const quiet = await onpar(runOf(slow, "--num-prompts=8", ...load, "--quiet"));
    expect(quiet.stderr).toMatch(/^onpar: .*of 8 requests came due and were never sent\n$/);
  });

  it("says with --quiet, in one line, what a report would have said first", async () => {
    const down = await serve({ breaks: "500" });
    const failures = await onpar(runOf(down, "--num-prompts=3", "--warmup=0", "--quiet"));
    expect(failures).toEqual({
      code: 4,
      stdout: "",
      stderr: expect.stringMatching(/^onpar: 3 of 3 requests failed: HTTP 500: .*out of memory.*\n$/),
    });
    const deaf = await serve({ obeysIgnoreEos: false });
    const breach = await onpar(runOf(deaf, "--num-prompts=2", "--quiet"));
    expect(breach).toEqual({
      code: 5,
      stdout: "",
      stderr: expect.stringMatching(/^onpar: the stated protocol was not kept: eos-not-ignored, [^\n]+\n$/),
    });
  });

  it("keeps and prints what was measured when it is interrupted, and ends with 130", async () => {
    const slow = await serve({ delayMs: 5 });
    const records = inFolder("interrupted.jsonl");
    const env = fakeEnv();
    const running = run(runOf(slow, "--num-prompts=500", "--warmup=0", `--output=${records}`, "--json"), env);
    while (slow.requests.length < 4) await new Promise((resolve) => setTimeout(resolve, 5));
    env.interrupt();
    expect(await running).toBe(130);
    expect(env.exits).toEqual([]);
    const { summary, interrupted } = JSON.parse(env.written.stdout) as RunResult;
    const { asked, ok, failed, aborted, unsent } = summary.counts;
    expect(interrupted).toBe(true);
    expect(ok + failed + aborted + unsent).toBe(asked);
    expect(ok).toBeGreaterThan(0);
    expect(measured(records).filter((record) => record.state === "ok")).toHaveLength(ok);
  });
});
