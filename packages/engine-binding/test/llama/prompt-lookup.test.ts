import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadLlamaEngine, type Engine } from "../../src/index.ts";
import { generate, QUESTIONS, TARGET } from "./pair.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await loadLlamaEngine({
    modelPath: TARGET,
    promptLookup: true,
    draftTokens: 4,
    contextSize: 1024,
  });
});
afterAll(() => engine.dispose());

describe("prompt lookup", () => {
  it("says so", () => {
    expect(engine.info.speculation).toEqual({
      method: "ngram",
      draftModel: null,
      draftBudget: 4,
      draftLength: "fixed",
    });
  });

  it("gives the text that the target gives alone, and copies in fewer steps", async () => {
    for (const question of QUESTIONS) {
      const options = { maxTokens: 60, cachePrompt: false };
      const drafted = await generate(engine, question, options);
      const alone = await generate(engine, question, { ...options, speculate: false });
      expect(drafted.text).toBe(alone.text);
      expect(alone.finish.speculation).toBeNull();
    }
    const copied = await generate(engine, QUESTIONS[2], { maxTokens: 60, cachePrompt: false });
    const { acceptedTokens = 0, verifySteps = 0 } = copied.finish.speculation ?? {};
    expect(verifySteps).toBeGreaterThan(0);
    expect(acceptedTokens).toBeGreaterThan(verifySteps);
    expect(copied.batches.length).toBeLessThan(copied.ids.length);
  });

  it("drafts no more than a request allows", async () => {
    const { finish } = await generate(engine, QUESTIONS[2], { maxTokens: 60, draftBudget: 1 });
    const { draftTokens = 0, verifySteps = 0, acceptedPerPosition = [] } = finish.speculation ?? {};
    expect(draftTokens).toBe(verifySteps);
    expect(acceptedPerPosition?.slice(1)).toEqual([0, 0, 0]);
  });

  it("refuses a draft model beside it", async () => {
    const both = loadLlamaEngine({ modelPath: TARGET, draftModelPath: TARGET, promptLookup: true });
    await expect(both).rejects.toMatchObject({ code: "ENGINE_INVALID_OPTIONS" });
  });
});
