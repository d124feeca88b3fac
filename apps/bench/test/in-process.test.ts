import { createHash } from "node:crypto";

import type { RequestRecord, RunResult } from "@onpar/sweep-runner";
import { describe, expect, it } from "vitest";

import { onpar } from "./fake-env.ts";

interface OneShotJson {
  readonly text: string;
  readonly reasoning: string;
  readonly record: RequestRecord;
  readonly acceptance: { readonly source: string; readonly acceptedPerPosition: readonly number[] } | null;
}

describe("the bundled pair in this process", () => {
  it("answers a chat, with the acceptance of that request per position", { timeout: 60_000 }, async () => {
    const argv = ["chat", "--demo", "--no-enable-thinking", "--max-tokens=48", "What is 17 plus 25?"];
    const { code, stdout, stderr } = await onpar(argv);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/\S/);
    expect(stdout).not.toContain("<|im_");
    expect(stderr).toMatch(/acceptance rate +[\d.]+ %/);
    expect(stderr).toMatch(/per position \(A_i \/ V\)\n +0 /);
  });

  it("tells reasoning from the answer, as a server does", { timeout: 60_000 }, async () => {
    const argv = ["chat", "--demo", "--enable-thinking", "--max-tokens=256", "--json", "What is 17 plus 25?"];
    const { code, stdout, stderr } = await onpar(argv);
    expect(code, stderr).toBe(0);
    const { text, reasoning, record } = JSON.parse(stdout) as OneShotJson;
    expect(reasoning).toMatch(/\S/);
    expect(text).toMatch(/\S/);
    expect(`${reasoning}${text}`).not.toMatch(/<\/?think>/);
    const output = `<think>${reasoning}</think>${text}`;
    expect(record.textSha256).toBe(createHash("sha256").update(output).digest("hex"));
  });

  it("gives the same text with the draft's budget changed", { timeout: 60_000 }, async () => {
    const argv = ["complete", "--demo", "--max-tokens=32", "--json", "Once upon a time"];
    const [five, one] = [await onpar(argv), await onpar([...argv, "--draft-tokens=1"])].map(
      ({ stdout }) => JSON.parse(stdout) as OneShotJson,
    );
    expect(five?.text).toMatch(/\S/);
    expect(one?.text).toBe(five?.text);
    expect(five?.acceptance?.acceptedPerPosition).toHaveLength(5);
    expect(one?.acceptance?.acceptedPerPosition).toHaveLength(1);
  });

  it("benches with EOS ignored: every output has exactly the cap", { timeout: 60_000 }, async () => {
    const flags = ["--num-prompts=3", "--input-len=16", "--output-len=24", "--concurrency=2", "--json"];
    const { code, stdout, stderr } = await onpar(["run", "--demo", ...flags]);
    expect(code, stderr).toBe(0);
    const result = JSON.parse(stdout) as RunResult;
    expect(result.summary.counts).toMatchObject({ asked: 3, ok: 3 });
    expect(result.summary.outputs.lengths).toMatchObject({ n: 3, min: 24, max: 24 });
    expect(result.summary.acceptance).toMatchObject({ source: "engine-counters" });
    expect(result.protocol.speculation).toEqual({ draftBudget: 5, observed: true });
  });
});
