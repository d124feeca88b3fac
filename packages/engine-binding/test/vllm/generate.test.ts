import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Engine, GenerateRequest, TokenBatch } from "../../src/index.ts";
import { addonMissing, TestModel } from "./test-engine.ts";

async function read(engine: Engine, request: GenerateRequest): Promise<TokenBatch[]> {
  const batches: TokenBatch[] = [];
  for await (const batch of engine.generate(request)) batches.push(batch);
  return batches;
}

describe.skipIf(addonMissing !== null)(`generating with libvllm${addonMissing ?? ""}`, () => {
  const model = new TestModel(["accept=3,1"]);
  let engine: Engine;
  beforeAll(async () => {
    engine = await model.load("abi30", {
      maxNumSeqs: 2,
      speculativeConfig: '{"method":"ngram","num_speculative_tokens":3}',
    });
  });
  afterAll(async () => {
    await engine.dispose();
    model.remove();
  });

  it("makes nothing up for a text: no ids, no counts, no reason", async () => {
    const batches = await read(engine, { prompt: "x @{tokens=9}", maxTokens: 40 });
    const last = batches.at(-1);
    expect(batches.every(({ tokenIds }) => tokenIds === null)).toBe(true);
    expect(last?.finish).toMatchObject({
      reason: null,
      matched: null,
      promptTokens: null,
      cachedPromptTokens: null,
      outputTokens: null,
      firstEosIndex: null,
      speculation: null,
      startedAtNs: null,
    });
  });

  it("makes no request of one that is aborted before it begins, however soon the library answers", async () => {
    const aborted = engine.counters().requestsFinished.abort;
    for (const prompt of ["x @{tokens=9 us=0}", [5, 6, 7]]) {
      for (let round = 0; round < 20; round++) {
        const batches = [];
        const request = { prompt, maxTokens: 9 };
        for await (const batch of engine.generate(request, AbortSignal.abort())) batches.push(batch);
        expect(batches).toMatchObject([{ text: "", finish: { reason: "abort", firstTokenAtNs: null } }]);
      }
    }
    expect(engine.counters().requestsFinished.abort).toBe(aborted + 40);
  });

  it("refuses what C cannot be given, as every refusal", async () => {
    const request = { prompt: "x", maxTokens: 3 };
    const refused = { code: "ENGINE_INVALID_REQUEST" };
    await expect(read(engine, { ...request, stop: ["a\0b"] })).rejects.toMatchObject(refused);
    const format = { kind: "grammar" as const, grammar: "\0" };
    await expect(read(engine, { ...request, format })).rejects.toMatchObject(refused);
    const circular: Record<string, unknown> = {};
    circular["self"] = circular;
    const chat = async () => {
      for await (const chunk of engine.chat?.(circular) ?? []) expect(chunk).toBe("never");
    };
    await expect(chat()).rejects.toMatchObject(refused);
  });

  it("knows how a text ends that nothing but its cap can end", async () => {
    const finish = async (request: Partial<GenerateRequest>) =>
      (await read(engine, { prompt: "x @{tokens=9}", maxTokens: 40, ignoreEos: true, ...request })).at(-1)
        ?.finish;
    const ended = { reason: "length", outputTokens: 40, promptTokens: null };
    expect(await finish({})).toMatchObject(ended);
    const unknown = { reason: null, outputTokens: null };
    expect(await finish({ stop: ["never"] })).toMatchObject(unknown);
    expect(await finish({ ignoreEos: false })).toMatchObject(unknown);
    // a prompt that may leave too little room in the context of 4096
    expect(await finish({ prompt: `${"a".repeat(4060)} @{tokens=9}` })).toMatchObject(unknown);
  });

  it("tells ids, counts and reason for token ids, and where the first EOS is", async () => {
    const prompt = [5, 6, 7];
    const [whole] = await read(engine, { prompt, maxTokens: 200 });
    const ids = whole?.tokenIds ?? [];
    expect(whole?.finish).toMatchObject({
      reason: "eos",
      matched: 1000,
      promptTokens: 3,
      outputTokens: ids.length,
      firstEosIndex: ids.length - 1,
      firstTokenAtNs: null,
    });
    expect(whole?.text.length).toBeGreaterThan(10);
    const [passed] = await read(engine, { prompt, maxTokens: 60, ignoreEos: true });
    expect(passed?.finish).toMatchObject({
      reason: "length",
      outputTokens: 60,
      firstEosIndex: ids.length - 1,
    });
    const stop = whole?.text.slice(8, 14) ?? "";
    const [stopped] = await read(engine, { prompt, maxTokens: 200, stop: [stop] });
    expect(stopped?.finish?.reason).toBe("stop-string");
    expect(stopped?.text).toBe(whole?.text.slice(0, whole.text.indexOf(stop)));
  });

  it("counts acceptance as the library does, and leaves positions unknown", async () => {
    const before = engine.counters().speculation;
    // after the first token 3+1, 1+1, 3+1, 1+1: twelve tokens in four steps of three drafts
    await read(engine, { prompt: "y @{tokens=5000}", maxTokens: 13 });
    const after = engine.counters().speculation;
    expect(after?.acceptedPerPosition).toBeNull();
    expect([
      (after?.verifySteps ?? 0) - (before?.verifySteps ?? 0),
      (after?.acceptedTokens ?? 0) - (before?.acceptedTokens ?? 0),
    ]).toEqual([4, 8]);
  });

  it("fails with the library's words, and goes on with other requests", async () => {
    await expect(read(engine, { prompt: "@{refuse=1} x", maxTokens: 4 })).rejects.toMatchObject({
      code: "ENGINE_FAILED",
      message: "libvllm failed: the request is refused, as its prompt asks",
    });
    const seen: string[] = [];
    const failing = async (): Promise<void> => {
      for await (const { text } of engine.generate({ prompt: "@{fail=2 tokens=90} x", maxTokens: 50 }))
        seen.push(text);
    };
    await expect(failing()).rejects.toMatchObject({
      message: "libvllm failed: the request failed, as its prompt asks",
    });
    expect(seen).toHaveLength(2);
    await expect(read(engine, { prompt: [999_999], maxTokens: 4 })).rejects.toMatchObject({
      code: "ENGINE_INVALID_REQUEST",
    });
    expect((await read(engine, { prompt: "z @{tokens=3}", maxTokens: 4 })).length).toBeGreaterThan(1);
  });

  it("ends token ids at once when they are aborted, though the library works on", async () => {
    const controller = new AbortController();
    const stream = engine.generate({ prompt: [1, 2, 3], maxTokens: 50 }, controller.signal);
    controller.abort();
    const batches: TokenBatch[] = [];
    for await (const batch of stream) batches.push(batch);
    expect(batches.map(({ finish }) => finish?.reason)).toEqual(["abort"]);
  });

  it("refuses drafting per request, since the library cannot", async () => {
    await expect(read(engine, { prompt: "x", maxTokens: 4, speculate: false })).rejects.toMatchObject({
      code: "ENGINE_UNSUPPORTED",
      message: expect.stringMatching(/speculativeConfig/) as string,
    });
  });

  it("refuses to leave out a BOS that the tokenizer may add", async () => {
    const other = new TestModel();
    other.write("tokenizer_config.json", JSON.stringify({ add_bos_token: true }));
    const adds = await other.load("abi30");
    await expect(read(adds, { prompt: "x", maxTokens: 4, addSpecial: false })).rejects.toMatchObject({
      code: "ENGINE_UNSUPPORTED",
      message: expect.stringMatching(/BOS/) as string,
    });
    await adds.dispose();
    other.remove();
  });
});
