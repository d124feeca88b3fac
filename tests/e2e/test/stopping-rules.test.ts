import { demoModel } from "@onpar/demo-model";
import type { RunResult } from "@onpar/sweep-runner";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dropIgnoreEos } from "../src/misbehaving-server.ts";
import { onpar, startServer, type RunningServer } from "../src/processes.ts";
import { measuredRecords, temporaryFolder } from "../src/runs.ts";

const draftBudget = 5;
const prompts = 10;
const folder = temporaryFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer([`--draft-tokens=${draftBudget}`, "--slots=2"]);
});

afterAll(async () => {
  folder.remove();
  expect(await server.stop()).toBe(0);
});

/** Flags of a run over the first of the bundled prompts. */
function bundledPrompts(url: string, count: number, ...flags: readonly string[]): readonly string[] {
  return [
    "run",
    `--base-url=${url}`,
    "--no-enable-thinking",
    `--dataset-path=${demoModel.promptsPath}`,
    `--num-prompts=${count}`,
    ...flags,
  ];
}

/** The same through the server's chat endpoint, two in flight. */
function chatRun(url: string, ...flags: readonly string[]): readonly string[] {
  return bundledPrompts(url, prompts, "--endpoint=chat-completions", "--concurrency=2", ...flags);
}

describe("a real server, a real model, one set of prompts", () => {
  test("with EOS honoured, outputs end on EOS below the cap, and acceptance is the sum of the requests' own", async () => {
    const records = folder.file("honoured.jsonl");
    const { code, stdout, stderr } = await onpar(
      chatRun(server.url, "--no-ignore-eos", "--output-len=384", `--output=${records}`, "--json"),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const result = JSON.parse(stdout) as RunResult;
    expect(result.protocol.stoppingRule).toMatchObject({
      name: "eos",
      cap: 384,
      requested: { ignoreEos: false },
      sent: { ignore_eos: false, max_tokens: 384 },
    });
    expect(result.summary.counts).toMatchObject({ asked: prompts, ok: prompts, failed: 0 });
    expect(result.summary.outputs.reachedCap).toBeLessThanOrEqual(prompts * 0.1);

    const measured = measuredRecords(records);
    expect(measured).toHaveLength(prompts);
    const total = { verifySteps: 0, draftTokens: 0, acceptedTokens: 0 };
    for (const { acceptance } of measured) {
      total.verifySteps += acceptance?.verifySteps ?? 0;
      total.draftTokens += acceptance?.draftTokens ?? 0;
      total.acceptedTokens += acceptance?.acceptedTokens ?? 0;
    }
    expect(total.draftTokens).toBeGreaterThan(0);
    expect(result.summary.acceptance).toMatchObject({ ...total, source: "metrics-delta" });
    expect(result.summary.acceptance?.acceptedPerPosition).toHaveLength(draftBudget);
  });

  test("with EOS ignored, every output has exactly the cap", async () => {
    const { code, stdout } = await onpar(chatRun(server.url, "--ignore-eos", "--output-len=96", "--json"));
    const result = JSON.parse(stdout) as RunResult;
    expect(code).toBe(0);
    expect(result.protocol.stoppingRule).toMatchObject({ name: "ignore-eos", sent: { ignore_eos: true } });
    expect(result.summary.outputs.lengths).toMatchObject({ n: prompts, min: 96, max: 96 });
    expect(result.summary.outputs.finishReasons).toEqual({ length: prompts });
  });

  test("a server that drops ignore_eos is found out, in the report and in the exit code", async () => {
    const disobedient = await dropIgnoreEos(server.url);
    try {
      const flags = chatRun(disobedient.url, "--ignore-eos", "--output-len=256");
      const asJson = await onpar([...flags, "--json"]);
      expect(asJson.code).toBe(5);
      expect((JSON.parse(asJson.stdout) as RunResult).findings).toContainEqual(
        expect.objectContaining({ severity: "breach", code: "eos-not-ignored" }),
      );
      const asText = await onpar(flags);
      expect(asText.code).toBe(5);
      expect(asText.stdout).toMatch(/did not obey/);
    } finally {
      await disobedient.close();
    }
  });

  test("a template rendered by the bench gives the prompt that the server renders", async () => {
    const flags = ["--no-ignore-eos", "--output-len=64", "--json"];
    const byServer = await onpar(bundledPrompts(server.url, 4, "--endpoint=chat-completions", ...flags));
    const byClient = await onpar(
      bundledPrompts(
        server.url,
        4,
        "--endpoint=completions",
        "--no-skip-chat-template",
        `--tokenizer=${demoModel.target.path}`,
        ...flags,
      ),
    );
    const [served, rendered] = [byServer, byClient].map(({ stdout }) => JSON.parse(stdout) as RunResult);
    expect(served?.protocol.template.mode).toBe("server-side");
    expect(rendered?.protocol.template).toMatchObject({
      mode: "client-side",
      kwargs: { enable_thinking: false },
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(rendered?.summary.promptTokens).toEqual(served?.summary.promptTokens);
    expect(rendered?.summary.outputs).toEqual(served?.summary.outputs);
  });
});
