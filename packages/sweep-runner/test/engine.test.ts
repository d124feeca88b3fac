import { join } from "node:path";
import { benchConfigSchema, type BenchConfig, type BenchConfigInput } from "@onpar/bench-config";
import { demoModel } from "@onpar/demo-model";
import { loadLlamaEngine, type Engine } from "@onpar/engine-binding";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { completeOnce } from "../src/complete-once.ts";
import { readRecords } from "../src/records/read-records.ts";
import { codes, run, runError, withFolder } from "./support/run.ts";

let engine: Engine;
beforeAll(async () => {
  const { target, draft, advisedDraftTokens } = demoModel;
  engine = await loadLlamaEngine({
    modelPath: target.path,
    draftModelPath: draft.path,
    draftTokens: advisedDraftTokens,
    slots: 2,
    contextSize: 1024,
  });
}, 60_000);
afterAll(() => engine.dispose());

function config(changes: BenchConfigInput = {}): BenchConfig {
  return benchConfigSchema.parse({
    numPrompts: 4,
    concurrency: 2,
    warmupRequests: 1,
    inputLen: 40,
    outputLen: 16,
    ...changes,
    target: { endpoint: "engine" },
    engine: { modelPath: demoModel.target.path, draftModelPath: demoModel.draft.path },
  });
}

const dataset: BenchConfigInput = {
  datasetPath: demoModel.promptsPath,
  skipChatTemplate: false,
  enableThinking: false,
};

describe("a run on the engine in this process", () => {
  it("with EOS ignored gives every output exactly its length, from prompts of exactly theirs", async () => {
    const result = await run(config(), { engine });
    const { summary, protocol } = result;
    expect(summary.counts).toEqual({
      asked: 4,
      ok: 4,
      failed: 0,
      dropped: 0,
      aborted: 0,
      unsent: 0,
      warmup: 1,
    });
    expect(summary.outputs).toMatchObject({ reachedCap: 4, finishReasons: { length: 4 } });
    expect(summary.outputs.lengths).toMatchObject({ min: 16, max: 16 });
    expect(summary.promptTokens).toMatchObject({ min: 40, max: 40 });
    expect(protocol).toMatchObject({
      endpoint: "engine",
      model: { resolved: engine.info.model.name },
      stoppingRule: { name: "ignore-eos", cap: 16, sent: { maxTokens: 16, ignoreEos: true } },
      speculation: { draftBudget: 5, observed: true },
    });
    // Every chunk tells its tokens here, so latency per token is known.
    expect(summary.latency.itlTokenMs?.n).toBe(4 * 15);
    expect(result.system.engine).toBe("llama.cpp");
    expect(result.findings.filter(({ severity }) => severity === "breach")).toEqual([]);
  });

  it("says that the output alone fills the context, before it makes a prompt", async () => {
    const error = await runError(run(config({ outputLen: 4096 }), { engine }));
    expect(error.code).toBe("PROMPT_TOO_LONG");
    expect(error.message).toBe(
      "--output-len 4096 leaves no room for a prompt in the context of 1024 tokens: lower --output-len or raise --ctx",
    );
  });

  it("takes acceptance from the engine's own counters, equal to the sum over its requests", async () => {
    await withFolder(async (folder) => {
      const output = join(folder, "records.jsonl");
      const { summary } = await run(config({ output }), { engine });
      const [written] = await readRecords(output);
      const measured = written?.records.filter(({ phase }) => phase === "measure") ?? [];
      const sum = (of: "draftTokens" | "acceptedTokens" | "verifySteps"): number =>
        measured.reduce((total, { acceptance }) => total + (acceptance?.[of] ?? 0), 0);
      expect(summary.acceptance).toMatchObject({
        source: "engine-counters",
        draftTokens: sum("draftTokens"),
        acceptedTokens: sum("acceptedTokens"),
        verifySteps: sum("verifySteps"),
      });
      expect(summary.acceptance?.draftTokens).toBeGreaterThan(0);
      expect(summary.acceptance?.effectiveTokensPerStep).toBeGreaterThanOrEqual(1);
    });
  });

  it("with EOS honoured ends most answers to conversations on EOS", async () => {
    const result = await run(config({ ...dataset, numPrompts: 6, outputLen: 256, ignoreEos: false }), {
      engine,
    });
    expect(result.summary.outputs.finishReasons["eos"]).toBeGreaterThanOrEqual(5);
    expect(result.protocol.template).toMatchObject({
      mode: "client-side",
      source: "gguf",
      kwargs: { enable_thinking: false },
    });
    expect(codes(result)).not.toContain("cap-decided");
  });

  it("is stopped by its signal and leaves the engine usable", async () => {
    const controller = new AbortController();
    const result = await run(config({ numPrompts: 6, outputLen: 400 }), {
      engine,
      signal: controller.signal,
      observer: {
        onEvent: (event) => {
          if (event.type === "request-finished" && event.record.phase === "measure") controller.abort();
        },
      },
    });
    expect(result.interrupted).toBe(true);
    const { ok, aborted, failed, unsent } = result.summary.counts;
    expect(ok + aborted + unsent).toBe(6);
    expect(failed).toBe(0);
    expect((await run(config(), { engine })).summary.counts.ok).toBe(4);
  });

  it("refuses prompts over the context before it starts", async () => {
    const error = await runError(run(config({ inputLen: 1000, outputLen: 100 }), { engine }));
    expect(error).toMatchObject({ code: "PROMPT_TOO_LONG" });
    expect(error.message).toMatch(/1000 tokens.*limit of 1024/);
  });

  it("needs an engine", async () => {
    expect(await runError(run(config()))).toMatchObject({ code: "ENGINE_MISSING" });
  });

  it("fails a request that is over its deadline", async () => {
    const result = await run(
      config({ numPrompts: 1, warmupRequests: 0, outputLen: 900, requestTimeoutMs: 5 }),
      { engine },
    );
    expect(result.summary).toMatchObject({ counts: { failed: 1 }, errors: { timeout: 1 } });
  });
});

describe("one request on the engine", () => {
  const conversation = { messages: [{ role: "user", content: "What is the capital of France?" }] };

  it("renders the conversation, streams its text and tells the acceptance of this request", async () => {
    const pieces: string[] = [];
    const once = config({ skipChatTemplate: false, enableThinking: false, ignoreEos: false, outputLen: 64 });
    const { record, text, acceptance } = await completeOnce({
      config: once,
      apiKey: null,
      engine,
      conversation,
      onText: (piece) => pieces.push(piece),
    });
    expect(record.state).toBe("ok");
    expect(pieces.join("")).toBe(text);
    expect(text).not.toBe("");
    expect(acceptance).toMatchObject({ source: "per-request", draftTokens: record.acceptance?.draftTokens });
  });

  it("says that nothing was drafted where there was nothing to draft", async () => {
    const one = { config: config({ outputLen: 1 }), apiKey: null, engine, prompt: "once upon" };
    const { acceptance, acceptanceMissing } = await completeOnce(one);
    expect(acceptance).toBeNull();
    expect(acceptanceMissing).toMatch(/nothing was drafted/);
  });

  it("sends a text as it is where the template is skipped, and refuses a conversation there", async () => {
    const { record } = await completeOnce({ config: config(), apiKey: null, engine, prompt: "once upon" });
    expect(record).toMatchObject({
      state: "ok",
      outputTokens: 16,
      finish: { reason: "length" },
      tokenSource: "usage",
    });
    const refused = await runError(completeOnce({ config: config(), apiKey: null, engine, conversation }));
    expect(refused.message).toMatch(/--no-skip-chat-template/);
  });
});
