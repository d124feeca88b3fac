import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadLlamaEngine, type Engine } from "../../src/index.ts";
import { chat, DRAFT, TARGET } from "./pair.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await loadLlamaEngine({ modelPath: TARGET, draftModelPath: DRAFT, contextSize: 1024 });
});
afterAll(() => engine.dispose());

/** Keeps this thread from doing anything else. */
function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

describe("the engine's thread", () => {
  it("stamps tokens while the thread that uses the engine is blocked", async () => {
    const stamps: bigint[] = [];
    let from = 0n;
    let to = 0n;
    const request = { prompt: engine.tokenize(chat("Write a short story about a dog.")), ignoreEos: true };
    for await (const batch of engine.generate({ ...request, maxTokens: 900 })) {
      stamps.push(batch.producedAtNs);
      if (from !== 0n) continue;
      from = process.hrtime.bigint();
      block(500);
      to = process.hrtime.bigint();
    }
    const during = stamps.filter((stamp) => stamp > from && stamp < to);
    // more than a hundred steps on an idle machine; a stamp taken on delivery would be after the block
    expect(during.length).toBeGreaterThan(5);
    expect(stamps).toEqual(stamps.toSorted((a, b) => (a < b ? -1 : 1)));
  });

  it("tells its counters at any time, the batches that were read included", async () => {
    const before = engine.counters();
    let tokens = 0;
    for await (const batch of engine.generate({ prompt: [5, 6, 7], maxTokens: 20, ignoreEos: true })) {
      tokens += batch.tokenIds?.length ?? 0;
      const now = engine.counters();
      expect(Number(now.outputTokens) - Number(before.outputTokens)).toBeGreaterThanOrEqual(tokens);
    }
    const after = engine.counters();
    expect(Number(after.outputTokens) - Number(before.outputTokens)).toBe(20);
    expect(after.requestsFinished.length - before.requestsFinished.length).toBe(1);
    expect(after.requestsRunning).toBe(0);
  });

  it("frees the slot of a reader that leaves", async () => {
    for await (const batch of engine.generate({ prompt: [5, 6, 7], maxTokens: 900, ignoreEos: true })) {
      expect(batch.finish).toBeUndefined();
      break;
    }
    const next = engine.generate({ prompt: [8, 9], maxTokens: 1, ignoreEos: true });
    for await (const { finish } of next) expect(finish?.reason).toBe("length");
    expect(engine.counters().requestsRunning).toBe(0);
  });

  it("takes text prompts, with and without the tokens that a tokenizer adds", async () => {
    const prompt = "Once upon a time";
    const promptTokens = async (addSpecial: boolean) => {
      for await (const { finish } of engine.generate({ prompt, addSpecial, maxTokens: 1 })) {
        return finish?.promptTokens;
      }
      return null;
    };
    expect(await promptTokens(false)).toBe(engine.tokenize(prompt).length);
    expect(await promptTokens(true)).toBe(engine.tokenize(prompt, { addSpecial: true }).length);
  });
});
