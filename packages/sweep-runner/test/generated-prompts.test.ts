import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { generatePrompt } from "../src/datasets/generated-prompts.ts";
import { createRng, shuffled } from "../src/rng.ts";
import type { TokenCounter } from "../src/token-counter.ts";
import { WORDS } from "../src/datasets/words.ts";
import { countTokens } from "./support/bench-server.ts";

const counterOf = (count: (text: string) => number): TokenCounter => ({
  source: "engine",
  count: async (text) => count(text),
});
/** One token per three characters: words cost up to three tokens, pieces may merge. */
const byCharacters = (text: string): number => Math.ceil(text.length / 3);

describe("generated prompts", () => {
  it.each([
    ["words and marks", countTokens],
    ["characters", byCharacters],
  ])("have exactly the tokens asked for, counted by %s", async (_, count) => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(1000),
        fc.nat(5000),
        fc.integer({ min: 4, max: 700 }),
        async (seed, index, tokens) => {
          const prompt = await generatePrompt({ seed, index, tokens }, counterOf(count));
          expect(prompt.tokens).toBe(tokens);
          expect(count(prompt.text)).toBe(tokens);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("take few questions to fit", async () => {
    let asked = 0;
    const counter = counterOf((text) => {
      asked++;
      return countTokens(text);
    });
    for (let index = 0; index < 20; index++) await generatePrompt({ seed: 1, index, tokens: 2048 }, counter);
    expect(asked / 20).toBeLessThan(14);
  });

  it("tell the nearest length where the exact one cannot be had", async () => {
    const prompt = await generatePrompt(
      { seed: 0, index: 0, tokens: 7 },
      counterOf((text) => 2 * countTokens(text)),
    );
    expect(prompt.tokens).toBe(6);
  });

  it("part at their first word, whatever the index, and are the same for the same seed", async () => {
    const first = new Set<string>();
    for (let index = 0; index < WORDS.length; index++) {
      const { text } = await generatePrompt({ seed: 3, index, tokens: 40 }, null);
      first.add(text.split(" ")[0] ?? "");
    }
    expect(first.size).toBe(WORDS.length);
    const again = await generatePrompt({ seed: 3, index: 5, tokens: 40 }, null);
    expect(await generatePrompt({ seed: 3, index: 5, tokens: 40 }, null)).toEqual(again);
    expect((await generatePrompt({ seed: 4, index: 5, tokens: 40 }, null)).text).not.toBe(again.text);
  });

  it("part before the list of words is used up a second time", async () => {
    const texts = await Promise.all(
      [0, WORDS.length, 2 * WORDS.length].map((index) =>
        generatePrompt({ seed: 3, index, tokens: 40 }, null),
      ),
    );
    const heads = texts.map(({ text }) => text.split(" ").slice(0, 2).join(" "));
    expect(new Set(heads).size).toBe(3);
  });
});

describe("random numbers", () => {
  it("are the same for the same seed and stream, and spread evenly", () => {
    const draw = (seed: number, stream: number): number[] => {
      const rng = createRng(seed, stream);
      return Array.from({ length: 2000 }, () => rng.next());
    };
    expect(draw(1, 2)).toEqual(draw(1, 2));
    expect(draw(1, 2)).not.toEqual(draw(1, 3));
    expect(draw(1, 2)).not.toEqual(draw(2, 2));
    const values = draw(9, 0);
    expect(values.every((value) => value >= 0 && value < 1)).toBe(true);
    expect(values.reduce((sum, value) => sum + value, 0) / values.length).toBeCloseTo(0.5, 1);
  });

  it("shuffle without losing anything", () => {
    const items = Array.from({ length: 50 }, (_, index) => index);
    const mixed = shuffled(items, createRng(5));
    expect(mixed).not.toEqual(items);
    expect(mixed.toSorted((a, b) => a - b)).toEqual(items);
  });

  it("the word list has no word twice", () => {
    expect(new Set(WORDS).size).toBe(WORDS.length);
  });
});
