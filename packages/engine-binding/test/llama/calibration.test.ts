import { describe, expect, it } from "vitest";
import { loadLlamaEngine } from "../../src/index.ts";
import { chooseThreads, threadCandidates } from "../../src/llama/calibrate.ts";
import { DRAFT, generate, QUESTIONS, TARGET } from "./pair.ts";

describe("the number of threads", () => {
  it("is tried in powers of two up to the cores", () => {
    expect(threadCandidates(1)).toEqual([1]);
    expect(threadCandidates(2)).toEqual([1, 2]);
    expect(threadCandidates(12)).toEqual([1, 2, 4, 8, 12]);
  });

  it("is the fewest that are nearly as fast as the fastest", () => {
    const at = (...seconds: number[]) =>
      chooseThreads(seconds.map((value, index) => ({ threads: 2 ** index, seconds: value })));
    expect(at(1, 0.5, 0.49)).toBe(2);
    expect(at(1, 9, 9)).toBe(1);
    expect(at(1, 0.9, 0.4)).toBe(4);
  });

  it("is measured when it is asked for", async () => {
    const engine = await loadLlamaEngine({ modelPath: TARGET, threads: "auto", contextSize: 256 });
    expect(engine.info.threads).toBeGreaterThanOrEqual(1);
    await engine.dispose();
  });
});

describe("adaptive draft length", () => {
  it("changes the steps and not the text", async () => {
    const engine = await loadLlamaEngine({
      modelPath: TARGET,
      draftModelPath: DRAFT,
      draftTokens: 6,
      draftLength: "adaptive",
      contextSize: 512,
    });
    expect(engine.info.speculation).toMatchObject({ draftBudget: 6, draftLength: "adaptive" });
    for (const question of QUESTIONS.slice(0, 4)) {
      const adaptive = await generate(engine, question, { maxTokens: 80, cachePrompt: false });
      const alone = await generate(engine, question, { maxTokens: 80, cachePrompt: false, speculate: false });
      expect(adaptive.text).toBe(alone.text);
    }
    const { acceptedPerPosition } = engine.counters().speculation ?? {};
    expect(acceptedPerPosition?.length).toBe(6);
    await engine.dispose();
  });
});

describe("memory", () => {
  it("is estimated before anything is loaded, and what does not fit is refused with the parts of the sum", async () => {
    const load = (memoryLimitBytes: number) =>
      loadLlamaEngine({ modelPath: TARGET, draftModelPath: DRAFT, slots: 8, memoryLimitBytes });
    await expect(load(2 ** 20)).rejects.toMatchObject({
      code: "ENGINE_OUT_OF_MEMORY",
      message: expect.stringMatching(
        /^the model needs about \d+ MiB and 1 MiB are free: target-q8_0\.gguf \d+ MiB and its context \d+ MiB, draft.* for 8 slots/,
      ),
    });
    const engine = await load(2 ** 33);
    await engine.dispose();
  });
});
