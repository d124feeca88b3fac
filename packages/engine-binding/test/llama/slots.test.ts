import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadLlamaEngine, type Engine } from "../../src/index.ts";
import { chat, generate, QUESTIONS, TARGET, told } from "./pair.ts";

let engine: Engine;

beforeAll(async () => {
  engine = await loadLlamaEngine({ modelPath: TARGET, contextSize: 512, slots: 3, batchSize: 64 });
});
afterAll(() => engine.dispose());

describe("slots", () => {
  it("give in parallel what each request gives alone, and let the others wait in order", async () => {
    const questions = QUESTIONS.slice(0, 6);
    const options = { maxTokens: 40, cachePrompt: false };
    const alone = [];
    for (const question of questions) alone.push(await generate(engine, question, options));
    const together = await Promise.all(questions.map((question) => generate(engine, question, options)));
    expect(together.map(({ text }) => text)).toEqual(alone.map(({ text }) => text));
    const starts = together.map(({ finish }) => finish.startedAtNs ?? 0n);
    expect(starts).toEqual([...starts].sort((a, b) => (a < b ? -1 : 1)));
  });

  it("decode while another reads a long prompt", async () => {
    const long = Array.from({ length: 400 }, (_, i) => 300 + (i % 97));
    const short = generate(engine, QUESTIONS[4], { maxTokens: 30, ignoreEos: true, cachePrompt: false });
    const reading = generate(engine, long, { maxTokens: 2, ignoreEos: true, cachePrompt: false });
    const [{ batches }, { finish }] = await Promise.all([short, reading]);
    const during = batches.filter(
      ({ producedAtNs }) =>
        producedAtNs > (finish.startedAtNs ?? 0n) && producedAtNs < (finish.firstTokenAtNs ?? 0n),
    );
    // 400 tokens take more than six steps of 64, and each brings the other's next token
    expect(during.length).toBeGreaterThan(4);
  });
});

describe("the prefix cache", () => {
  it("is shared by requests of one salt alone", async () => {
    await engine.resetPrefixCache();
    const prompt = engine.tokenize(chat(QUESTIONS[2]));
    const found = async (cacheSalt?: string): Promise<number | null> => {
      const salted = cacheSalt === undefined ? {} : { cacheSalt };
      return (await generate(engine, prompt, { maxTokens: 2, ...salted })).finish.cachedPromptTokens;
    };
    const all = prompt.length - 1;
    expect([await found("a"), await found("a")]).toEqual([0, all]);
    expect([await found("b"), await found(), await found()]).toEqual([0, 0, all]);
    expect([await found("a"), await found("b")]).toEqual([all, all]);
  });

  it("tells its steps by the tokens that they brought", async () => {
    const before = engine.counters();
    const { finish } = await generate(engine, QUESTIONS[3], { maxTokens: 20, ignoreEos: true });
    const after = engine.counters();
    const steps = after.stepTokens?.map((count, at) => count - (before.stepTokens?.[at] ?? 0)) ?? [];
    // one with the prompt and the first token, and 19 with one
    expect(steps[0]).toBe(19);
    expect(steps.reduce((sum, count) => sum + count, 0)).toBe(20);
    const first = told(finish.promptTokens) + 1;
    expect(steps[Math.ceil(Math.log2(first))]).toBe(1);
  });

  it("counts what it reuses, and evaluates at least the last prompt token", async () => {
    await engine.resetPrefixCache();
    const before = engine.counters();
    const prompt = engine.tokenize(chat(QUESTIONS[0]));
    const first = await generate(engine, prompt, { maxTokens: 8 });
    const same = await generate(engine, prompt, { maxTokens: 8 });
    expect(first.finish.cachedPromptTokens).toBe(0);
    expect(same.finish.cachedPromptTokens).toBe(prompt.length - 1);
    expect(same.ids).toEqual(first.ids);

    // a conversation that goes on reuses the answer too; its last token was never evaluated
    const longer = [...prompt, ...first.ids, ...engine.tokenize("\nand more")];
    const next = await generate(engine, longer, { maxTokens: 4 });
    expect(next.finish.cachedPromptTokens).toBe(prompt.length + first.ids.length - 1);

    const after = engine.counters();
    expect(told(after.prefixCacheQueries) - told(before.prefixCacheQueries)).toBe(
      2 * prompt.length + longer.length,
    );
    expect(told(after.prefixCacheHits) - told(before.prefixCacheHits)).toBe(
      told(same.finish.cachedPromptTokens) + told(next.finish.cachedPromptTokens),
    );
  });

  it("reuses nothing when told not to, or when it was reset", async () => {
    const prompt = engine.tokenize(chat(QUESTIONS[1]));
    await generate(engine, prompt, { maxTokens: 2 });
    const before = engine.counters();
    const unused = await generate(engine, prompt, { maxTokens: 2, cachePrompt: false });
    expect(unused.finish.cachedPromptTokens).toBe(0);
    expect(engine.counters().prefixCacheQueries).toBe(before.prefixCacheQueries);

    const running = generate(engine, prompt, { maxTokens: 40, ignoreEos: true });
    await engine.resetPrefixCache();
    await running;
    const cold = await generate(engine, prompt, { maxTokens: 2 });
    expect(cold.finish.cachedPromptTokens).toBe(0);
  });

  it("takes the slot that holds the longest common beginning", async () => {
    await engine.resetPrefixCache();
    const prompts = QUESTIONS.slice(0, 3).map((question) => engine.tokenize(chat(question)));
    await Promise.all(prompts.map((prompt) => generate(engine, prompt, { maxTokens: 4 })));
    for (const prompt of prompts) {
      const { finish } = await generate(engine, prompt, { maxTokens: 4 });
      expect(finish.cachedPromptTokens).toBe(prompt.length - 1);
    }
  });
});

describe("counters", () => {
  it("are the sums over the requests", async () => {
    const before = engine.counters();
    const outputs = await Promise.all(
      QUESTIONS.slice(0, 5).map((q) => generate(engine, q, { maxTokens: 10 })),
    );
    const after = engine.counters();
    const sum = (pick: (finish: (typeof outputs)[number]["finish"]) => number) =>
      outputs.reduce((total, { finish }) => total + pick(finish), 0);
    expect(told(after.promptTokens) - told(before.promptTokens)).toBe(
      sum((finish) => told(finish.promptTokens)),
    );
    expect(told(after.outputTokens) - told(before.outputTokens)).toBe(
      sum((finish) => told(finish.outputTokens)),
    );
    for (const reason of ["eos", "length"] as const) {
      expect(after.requestsFinished[reason] - before.requestsFinished[reason]).toBe(
        sum((finish) => (finish.reason === reason ? 1 : 0)),
      );
    }
  });
});
