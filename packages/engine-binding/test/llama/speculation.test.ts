import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadLlamaEngine, type Engine, type SpeculationCounters } from "../../src/index.ts";
import { generate, QUESTIONS, DRAFT, TARGET, type Output, told } from "./pair.ts";

const K = 4;
const EOS = 2;
const NOTHING: SpeculationCounters = {
  verifySteps: 0,
  draftTokens: 0,
  acceptedTokens: 0,
  acceptedPerPosition: [0, 0, 0, 0],
};
let engine: Engine;

beforeAll(async () => {
  engine = await loadLlamaEngine({
    modelPath: TARGET,
    draftModelPath: DRAFT,
    draftTokens: K,
    contextSize: 1024,
    slots: 2,
  });
});
afterAll(() => engine.dispose());

function counts(counters: SpeculationCounters | null): SpeculationCounters {
  if (counters === null) throw new Error("an engine with a draft counts");
  return counters;
}

function add(a: SpeculationCounters, b: SpeculationCounters, sign: 1 | -1 = 1): SpeculationCounters {
  return {
    verifySteps: a.verifySteps + sign * b.verifySteps,
    draftTokens: a.draftTokens + sign * b.draftTokens,
    acceptedTokens: a.acceptedTokens + sign * b.acceptedTokens,
    acceptedPerPosition: told(a.acceptedPerPosition).map(
      (n, i) => n + sign * (b.acceptedPerPosition?.[i] ?? 0),
    ),
  };
}

function expectConsistent({ verifySteps, draftTokens, acceptedTokens, ...counters }: SpeculationCounters) {
  const acceptedPerPosition = told(counters.acceptedPerPosition);
  expect(acceptedPerPosition.length).toBe(K);
  expect(acceptedPerPosition.reduce((a, b) => a + b, 0)).toBe(acceptedTokens);
  expect(acceptedPerPosition).toEqual([...acceptedPerPosition].sort((a, b) => b - a));
  expect(acceptedPerPosition[0]).toBeLessThanOrEqual(verifySteps);
  expect(acceptedTokens).toBeLessThanOrEqual(draftTokens);
  expect(draftTokens).toBeLessThanOrEqual(K * verifySteps);
}

describe("speculative decoding", () => {
  it("says so", () => {
    expect(engine.info.speculation).toEqual({
      method: "draft-model",
      draftModel: "tiny-chat-draft",
      draftBudget: K,
      draftLength: "fixed",
    });
  });

  it("gives the text that the target gives alone, in fewer steps", async () => {
    let steps = 0;
    let tokens = 0;
    for (const question of QUESTIONS) {
      const options = { maxTokens: 60, cachePrompt: false };
      const alone = await generate(engine, question, { ...options, speculate: false });
      const drafted = await generate(engine, question, options);
      expect(drafted.text, question).toBe(alone.text);
      expect(drafted.ids, question).toEqual(alone.ids);
      expect(alone.finish.speculation).toBeNull();
      steps += drafted.batches.length;
      tokens += drafted.ids.length;
    }
    expect(steps).toBeLessThan(tokens / 2);
  });

  it("counts exactly: the engine's counters are the sums over the requests", async () => {
    const before = counts(engine.counters().speculation);
    const outputs: Output[] = await Promise.all(
      QUESTIONS.slice(0, 6).map((question, index) =>
        generate(engine, question, {
          maxTokens: 25 + index,
          ignoreEos: index % 2 === 0,
          speculate: index !== 3,
        }),
      ),
    );
    const after = counts(engine.counters().speculation);
    const perRequest = outputs.flatMap(({ finish }) =>
      finish.speculation === null ? [] : [finish.speculation],
    );
    expect(perRequest.length).toBe(5);
    for (const counters of perRequest) expectConsistent(counters);
    expectConsistent(after);
    expect(add(after, before, -1)).toEqual(perRequest.reduce((a, b) => add(a, b), NOTHING));
  });

  it("yields per step the accepted tokens and one more", async () => {
    const { batches, ids, finish } = await generate(engine, QUESTIONS[2], { maxTokens: 33, ignoreEos: true });
    const { verifySteps, acceptedTokens, draftTokens } = counts(finish.speculation);
    // nothing is trimmed here: the first token comes from the prompt, and the last step may have no drafts
    const plainSteps = batches.length - 1 - verifySteps;
    expect(ids.length).toBe(33);
    expect(1 + verifySteps + acceptedTokens + plainSteps).toBe(33);
    expect(plainSteps).toBeLessThanOrEqual(1);
    expect(draftTokens).toBeGreaterThan(0);
  });

  it("never drafts more than can be used", async () => {
    const one = await generate(engine, QUESTIONS[4], { maxTokens: 1 });
    expect(one.finish.speculation).toBeNull();
    const two = await generate(engine, QUESTIONS[4], { maxTokens: 2 });
    expect(two.finish.speculation).toBeNull();
    const three = await generate(engine, QUESTIONS[4], { maxTokens: 3 });
    expect(counts(three.finish.speculation)).toMatchObject({ verifySteps: 1, draftTokens: 1 });
  });

  it("keeps exact caps, stops and minTokens", async () => {
    const alone = { speculate: false, cachePrompt: false };
    for (const options of [
      { maxTokens: 100, ignoreEos: true },
      { maxTokens: 100, stop: ["a", "the"] },
      { maxTokens: 100, minTokens: 70 },
      { maxTokens: 100, stop: ["e"], minTokens: 20 },
    ]) {
      const plain = await generate(engine, QUESTIONS[6], { ...options, ...alone });
      const drafted = await generate(engine, QUESTIONS[6], { ...options, cachePrompt: false });
      expect(drafted.ids).toEqual(plain.ids);
      expect(drafted.text).toBe(plain.text);
      expect(drafted.finish).toMatchObject({
        reason: plain.finish.reason,
        matched: plain.finish.matched,
        firstEosIndex: plain.finish.firstEosIndex,
      });
    }
  });

  it("counts what was verified, also what an EOS in the same step cuts off", async () => {
    const { ids, finish, batches } = await generate(engine, QUESTIONS[6], { maxTokens: 200 });
    expect(ids.at(-1)).toBe(EOS);
    const { verifySteps, acceptedTokens } = counts(finish.speculation);
    const shown = ids.length - 1 - (batches.length - 1);
    expect(acceptedTokens).toBeGreaterThanOrEqual(shown);
    expect(verifySteps).toBe(batches.length - 1);
  });

  it("draws the same for a seed as without a draft", async () => {
    const sampling = { temperature: 0.8, topK: 40, topP: 0.9, seed: 11 };
    for (const question of QUESTIONS.slice(3, 6)) {
      const options = { maxTokens: 40, ignoreEos: true, sampling, cachePrompt: false };
      const plain = await generate(engine, question, { ...options, speculate: false });
      const drafted = await generate(engine, question, options);
      expect(drafted.ids).toEqual(plain.ids);
      expect(counts(drafted.finish.speculation).draftTokens).toBeGreaterThan(0);
    }
  });

  it("lets every position see its own penalties", async () => {
    const sampling = { repetitionPenalty: 1.3 };
    const counted = { presencePenalty: 0.8, frequencyPenalty: 0.4 };
    for (const penalties of [sampling, counted, { ...sampling, ...counted }]) {
      const options = { maxTokens: 50, ignoreEos: true, sampling: penalties, cachePrompt: false };
      const plain = await generate(engine, QUESTIONS[5], { ...options, speculate: false });
      const drafted = await generate(engine, QUESTIONS[5], options);
      expect(drafted.ids).toEqual(plain.ids);
    }
  });

  it("reuses prefixes of the target and of the draft", async () => {
    const first = await generate(engine, QUESTIONS[7], { maxTokens: 30 });
    const again = await generate(engine, QUESTIONS[7], { maxTokens: 30 });
    expect(again.finish.cachedPromptTokens).toBe(told(again.finish.promptTokens) - 1);
    expect(again.ids).toEqual(first.ids);
    expect(again.finish.speculation).toEqual(first.finish.speculation);
  });

  it("lets the draft model catch up on a prompt that only the target has read", async () => {
    const prompt = Array.from({ length: 700 }, (_, i) => 300 + (i % 89));
    const options = { maxTokens: 24, ignoreEos: true };
    const alone = await generate(engine, prompt, { ...options, speculate: false });
    const drafted = await generate(engine, prompt, options);
    expect(drafted.finish.cachedPromptTokens).toBe(699);
    expect(drafted.ids).toEqual(alone.ids);
    expect(counts(drafted.finish.speculation).verifySteps).toBeGreaterThan(0);
  });

  it("goes on after an abort within a draft", async () => {
    const controller = new AbortController();
    const aborted = generate(engine, QUESTIONS[8], { maxTokens: 500, ignoreEos: true }, controller.signal);
    setTimeout(() => controller.abort(), 20);
    expect((await aborted).finish.reason).toBe("abort");
    const cold = await generate(engine, QUESTIONS[8], { maxTokens: 30, cachePrompt: false });
    const warm = await generate(engine, QUESTIONS[8], { maxTokens: 30 });
    expect(warm.ids).toEqual(cold.ids);
  });
});
