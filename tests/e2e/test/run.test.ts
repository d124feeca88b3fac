import { writeFileSync } from "node:fs";
import type { RequestRecord, RunResult } from "@onpar/sweep-runner";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { onpar, startServer, type RunningServer } from "../src/processes.ts";
import { measuredRecords, temporaryFolder } from "../src/runs.ts";

const folder = temporaryFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(["--slots=2"]);
});

afterAll(async () => {
  folder.remove();
  expect(await server.stop()).toBe(0);
});

function rowsFile(name: string, rows: readonly unknown[]): string {
  const path = folder.file(name);
  writeFileSync(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  return path;
}

/** The result of a run that kept its protocol. */
async function kept(flags: readonly string[]): Promise<RunResult> {
  const { code, stdout, stderr } = await onpar(["run", `--base-url=${server.url}`, "--json", ...flags]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return JSON.parse(stdout) as RunResult;
}

const codesOf = ({ findings }: RunResult): string[] => findings.map(({ code }) => code);

describe.each(["thread", "process"])("a run with workers of the kind %s that is killed", (kind) => {
  test("goes on and has each request exactly once", async () => {
    const records = folder.file(`killed-${kind}.jsonl`);
    const flags = [
      "run",
      `--base-url=${server.url}`,
      "--num-prompts=30",
      "--input-len=32",
      "--output-len=24",
      "--concurrency=2",
      `--worker-kind=${kind}`,
      `--output=${records}`,
      "--json",
    ];
    const killed = await onpar(flags, {}, (child) => {
      const poll = setInterval(() => {
        if (measuredRecords(records).length < 5) return;
        clearInterval(poll);
        child.kill("SIGKILL");
      }, 5);
    });
    expect(killed.code).toBeNull();
    const before = measuredRecords(records);
    expect(before.length).toBeGreaterThanOrEqual(5);
    expect(before.length).toBeLessThan(30);

    const { code, stdout } = await onpar([...flags, "--resume"]);
    const result = JSON.parse(stdout) as RunResult;
    expect(code).toBe(0);
    expect(result.summary.counts).toMatchObject({ asked: 30, ok: 30, failed: 0, unsent: 0 });
    expect(codesOf(result)).toContain("run-resumed");
    const after = measuredRecords(records);
    const ids = after.map(({ id }) => id);
    expect(new Set(ids).size).toBe(30);
    expect(ids).toHaveLength(30);
    expect(after.slice(0, before.length)).toEqual(before);
    const prompts = new Set(after.map(({ requestSha256 }) => requestSha256));
    expect(prompts.size).toBe(30);

    const again = await onpar([...flags, "--resume"]);
    expect(again.code).toBe(2);
    expect(again.stderr).toContain("leave out --resume");
  });
});

const byTurn = (records: readonly RequestRecord[]): Map<string, RequestRecord> =>
  new Map(records.map((record) => [`${record.turn?.conversation}${record.turn?.index}`, record]));

describe("workloads", () => {
  test("a trace keeps its times, lengths, caps and shared prefixes", async () => {
    const trace = rowsFile("trace.jsonl", [
      { timestamp: 0, input_length: 120, output_length: 12, hash_ids: [1, 2, 5] },
      { timestamp: 400, input_length: 150, output_length: 5, hash_ids: [1, 2, 3] },
      { timestamp: 200, input_length: 60, output_length: 8, hash_ids: [9, 8] },
    ]);
    const records = folder.file("trace-records.jsonl");
    const result = await kept([
      "--dataset-kind=trace",
      `--dataset-path=${trace}`,
      "--trace-block-tokens=50",
      "--load=trace",
      "--num-prompts=3",
      `--output=${records}`,
    ]);
    const sent = measuredRecords(records).toSorted((a, b) => a.scheduledNs - b.scheduledNs);
    const first = sent[0]?.scheduledNs ?? NaN;
    expect(sent.map(({ scheduledNs }) => (scheduledNs - first) / 1e6)).toEqual([0, 200, 400]);
    expect(sent.map(({ usage }) => usage?.promptTokens)).toEqual([120, 60, 150]);
    expect(sent.map(({ outputTokens }) => outputTokens)).toEqual([12, 8, 5]);
    const [cold, other, shared] = sent.map(({ usage }) => usage?.cachedPromptTokens ?? 0);
    expect(cold).toBeLessThan(10);
    expect(other).toBeLessThan(10);
    expect(shared).toBeGreaterThanOrEqual(90);
    expect(result.findings.filter(({ severity }) => severity === "breach")).toEqual([]);
  });

  const questions = [
    { id: "a", turns: ["Why is the sky blue?", "And at night?", "Say goodbye."] },
    { id: "b", turns: ["What is two and two?", "Add one."] },
  ];

  test.each([
    ["server", [] as readonly string[]],
    ["engine", ["--demo", "--no-skip-chat-template"]],
  ])("a conversation of the %s goes on from its answers, out of its cache", async (where, engine) => {
    const path = rowsFile(`turns-${where}.jsonl`, questions);
    const records = folder.file(`turns-${where}-records.jsonl`);
    const flags = [
      "run",
      "--json",
      "--dataset-kind=multi-turn",
      `--dataset-path=${path}`,
      "--num-prompts=2",
      "--concurrency=2",
      "--no-ignore-eos",
      "--no-enable-thinking",
      "--output-len=40",
      `--output=${records}`,
      ...(where === "server" ? [`--base-url=${server.url}`, "--endpoint=chat-completions"] : engine),
    ];
    const { code, stdout, stderr } = await onpar(flags);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect((JSON.parse(stdout) as RunResult).summary.counts).toMatchObject({ asked: 5, ok: 5 });
    const turns = byTurn(measuredRecords(records));
    for (const [before, after] of [
      ["a0", "a1"],
      ["a1", "a2"],
      ["b0", "b1"],
    ] as const) {
      const [earlier, later] = [turns.get(before), turns.get(after)];
      expect(later?.sentNs).toBeGreaterThanOrEqual(earlier?.endNs ?? Infinity);
      // Without reasoning, which templates leave out, the prompt holds all that came before; the cache knows it up to the mark of
      // reasoning left out, which a template writes for the newest turn only.
      const known = (earlier?.usage?.promptTokens ?? 0) + (earlier?.outputTokens ?? 0);
      expect(later?.usage?.promptTokens).toBeGreaterThan(known);
      expect(later?.usage?.cachedPromptTokens).toBeGreaterThan((earlier?.usage?.promptTokens ?? NaN) / 2);
    }
  });

  test("token ids are counted as many as were sent", async () => {
    const result = await kept([
      "--dataset-kind=random-ids",
      "--input-len=48",
      "--num-prompts=4",
      "--output-len=4",
    ]);
    expect(result.summary.promptTokens).toMatchObject({ min: 48, max: 48 });
    expect(codesOf(result)).not.toContain("prompt-overhead");
  });

  test("a hit rate is the one that the server counts", async () => {
    const result = await kept([
      "--dataset-kind=shared-prefix",
      "--hit-rate=0.5",
      "--prefix-groups=2",
      "--cache=nonce",
      "--input-len=200",
      "--num-prompts=6",
      "--output-len=4",
    ]);
    const { promptTokens, cachedPromptTokens } = result.summary;
    expect(promptTokens).toMatchObject({ min: 200, max: 200 });
    expect((cachedPromptTokens ?? 0) / (6 * 200)).toBeCloseTo(0.5, 1);
    expect(codesOf(result).filter((code) => code.startsWith("hit-rate"))).toEqual([]);
  });

  test("log-probabilities are given as asked", async () => {
    const result = await kept([
      "--endpoint=chat-completions",
      "--logprobs=2",
      "--num-prompts=2",
      "--output-len=4",
    ]);
    expect(codesOf(result)).not.toContain("logprobs-missing");
  });
});
