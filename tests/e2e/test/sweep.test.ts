import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { onpar } from "../src/processes.ts";

const bin = (file: string) => fileURLToPath(new URL(`../../../apps/${file}`, import.meta.url));
const server = bin("server/bin/onpar-server.js");
const prompts = fileURLToPath(new URL("../../../packages/demo-model/prompts.jsonl", import.meta.url));

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "onpar-sweep-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  listener.close();
  await once(listener, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 50));
}

interface StepLine {
  readonly type: string;
  readonly id: string;
  readonly status: string;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly row: Readonly<Record<string, unknown>> | null;
}

async function stepsIn(directory: string): Promise<StepLine[]> {
  const text = await readFile(join(directory, "sweep.jsonl"), "utf8");
  return text
    .split("\n")
    .filter((line) => line.endsWith("}"))
    .map((line) => JSON.parse(line) as StepLine)
    .filter(({ type }) => type === "step");
}

describe("a context ladder on a server that is started for each boot", () => {
  it(
    "goes on after it was killed, without losing a rung or measuring one again",
    { timeout: 180_000 },
    async () => {
      const port = await freePort();
      const directory = join(folder, "context");
      const argv = [
        "sweep",
        "context",
        `--base-url=http://127.0.0.1:${port}`,
        "--values=128,256",
        "--reps=2",
      ];
      argv.push("--boots=2", "--output-len=24", `--output-dir=${directory}`, "--json");
      const command = ["--", process.execPath, server, `--port=${port}`, "--slots=2"];

      const killed = spawn(process.execPath, [bin("bench/bin/onpar.js"), ...argv, ...command], {
        stdio: "ignore",
      });
      const ended = once(killed, "exit");
      for (let done = 0; done < 1 && killed.exitCode === null;) {
        done = (await stepsIn(directory).catch(() => [])).length;
        await pause();
      }
      expect(killed.exitCode).toBeNull();
      killed.kill("SIGKILL");
      await ended;
      // Nothing of a killed sweep can stop the server that it had started.
      const before = await stepsIn(directory);
      const blocked = await onpar([...argv, "--resume", ...command]);
      expect(blocked.code).toBe(3);
      expect(blocked.stderr).toMatch(/something listens on 127\.0\.0\.1:\d+ already/);
      await stopListener(port);

      const resumed = await onpar([...argv, "--resume", ...command]);
      expect(resumed.code, resumed.stderr).toBe(0);
      const { lines, missing } = JSON.parse(resumed.stdout) as { lines: StepLine[]; missing: number };
      expect(missing).toBe(0);
      const wanted = [1, 2].flatMap((boot) => [128, 256].map((rung) => `boot${boot}/inputLen=${rung}`));
      expect(lines.map(({ id }) => id)).toEqual(wanted);
      for (const { row } of lines) {
        expect(row).toMatchObject({ kind: "context", reps: 2, ok: 3, failed: 0, breaches: [] });
        const { contextTarget, contextTokens } = row as { contextTarget: number; contextTokens: number };
        expect(Math.abs(contextTokens - contextTarget)).toBeLessThanOrEqual(8);
      }
      // What was there stands as it was, and every step ended well exactly once.
      const after = await stepsIn(directory);
      expect(after.slice(0, before.length)).toEqual(before);
      expect(
        after
          .filter(({ status }) => status === "ok")
          .map(({ id }) => id)
          .toSorted(),
      ).toEqual(wanted.toSorted());
      expect(await readFile(join(directory, "rows.csv"), "utf8")).toMatch(
        /^step,boot,temperature,ctx_target,prompt_tokens,/,
      );
    },
  );
});

/** Ends the process that listens on a port, found by its command line. */
async function stopListener(port: number): Promise<void> {
  const finder = spawn("pkill", ["-f", `onpar-server.js --port=${port}`], { stdio: "ignore" });
  await once(finder, "exit");
  for (;;) {
    const answers = await fetch(`http://127.0.0.1:${port}/health`).then(
      () => true,
      () => false,
    );
    if (!answers) return;
    await pause();
  }
}

describe("a server that ends in the middle of a sweep", () => {
  it(
    "is told at its point, its records are kept, and the next points are measured on a new one",
    { timeout: 120_000 },
    async () => {
      const port = await freePort();
      const directory = join(folder, "dies");
      const pidFile = join(folder, "server.pid");
      const script = `echo $$ > ${pidFile}; exec "$@"`;
      const argv = [
        "sweep",
        "points",
        `--base-url=http://127.0.0.1:${port}`,
        "--sweep=seed=1,2",
        "--num-prompts=40",
      ];
      argv.push(
        "--input-len=32",
        "--output-len=32",
        "--concurrency=2",
        `--output-dir=${directory}`,
        "--json",
      );
      const command = ["--", "sh", "-c", script, "sh", process.execPath, server, `--port=${port}`];
      const records = join(directory, "records", "boot1_seed=1.jsonl");
      const kill = async (): Promise<void> => {
        while (countRequests(await readFile(records, "utf8").catch(() => "")) < 5) await pause();
        process.kill(Number(await readFile(pidFile, "utf8")), "SIGKILL");
      };
      const killing = kill();
      const { code, stdout, stderr } = await onpar([...argv, ...command]);
      await killing;
      const { lines } = JSON.parse(stdout) as { lines: StepLine[] };
      expect(lines[0]).toMatchObject({ status: "failed", error: { code: "SERVER_EXITED" } });
      expect(lines[0]?.error?.message).toMatch(/the server ended by SIGKILL/);
      const { ok, asked } = (lines[0]?.row ?? {}) as { ok: number; asked: number };
      expect(ok).toBeLessThan(asked);
      expect(lines[1]).toMatchObject({ status: "ok", row: { ok: 40, failed: 0 } });
      expect(code).toBe(4);
      expect(stderr).toMatch(/1 of 2 points failed: the server ended by SIGKILL/);
      expect(countRequests(await readFile(records, "utf8"))).toBeGreaterThanOrEqual(5);
    },
  );
});

function countRequests(text: string): number {
  return text.split("\n").filter((line) => line.includes('"type":"request"')).length;
}

describe("the bias of forced length", () => {
  it("is the same in process and over HTTP within its intervals", { timeout: 180_000 }, async () => {
    const port = await freePort();
    const argv = [
      "experiment",
      "eos-bias",
      `--dataset-path=${prompts}`,
      "--num-prompts=8",
      "--output-len=128",
      "--json",
    ];
    const [process_, http] = [
      await onpar([...argv, "--demo", `--output-dir=${join(folder, "eos-process")}`]),
      await onpar([
        ...argv,
        "--endpoint=chat-completions",
        `--base-url=http://127.0.0.1:${port}`,
        `--output-dir=${join(folder, "eos-http")}`,
        "--",
        process.execPath,
        server,
        `--port=${port}`,
        "--slots=1",
      ]),
    ].map(({ stdout, stderr }) => {
      expect(stdout, stderr).not.toBe("");
      return (JSON.parse(stdout) as { result: Bias }).result;
    });
    if (process_ === undefined || http === undefined) throw new Error("both were run");
    expect(process_.ended).toBeGreaterThanOrEqual(5);
    expect(http.ended).toBe(process_.ended);
    expect(process_.exact).not.toBeNull();
    expect(http.exact).toBeNull();
    // Greedy decoding: the counts are the same, so the paired figures agree whatever the machine does.
    expect(http.paired?.acceptanceRate.difference.value).toBeCloseTo(
      process_.paired?.acceptanceRate.difference.value ?? NaN,
      1,
    );
    const [low, high] = process_.paired?.acceptanceRate.difference.ci ?? [NaN, NaN];
    expect(http.paired?.acceptanceRate.difference.value).toBeGreaterThanOrEqual(low);
    expect(http.paired?.acceptanceRate.difference.value).toBeLessThanOrEqual(high);
  });
});

interface Bias {
  readonly ended: number;
  readonly exact: unknown;
  readonly paired: {
    readonly acceptanceRate: {
      readonly difference: { readonly value: number; readonly ci: readonly [number, number] };
    };
  } | null;
}
