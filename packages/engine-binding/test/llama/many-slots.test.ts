import { afterAll, beforeAll, expect, it } from "vitest";
import { loadLlamaEngine, type Engine } from "../../src/index.ts";
import { generate, QUESTIONS, DRAFT, TARGET, type Output } from "./pair.ts";

let engine: Engine;

beforeAll(async () => {
  engine = await loadLlamaEngine({
    modelPath: TARGET,
    draftModelPath: DRAFT,
    draftTokens: 5,
    contextSize: 512,
    slots: 8,
  });
});
afterAll(() => engine.dispose());

const request = { maxTokens: 64, ignoreEos: true, cachePrompt: false };

function acceptanceRate(outputs: readonly Output[]): number {
  let drafted = 0;
  let accepted = 0;
  for (const { finish } of outputs) {
    drafted += finish.speculation?.draftTokens ?? 0;
    accepted += finish.speculation?.acceptedTokens ?? 0;
  }
  return accepted / drafted;
}

// Batches of eight requests whose sequences bring different numbers of tokens: where logits were read in a wrong order,
// texts would part and acceptance would fall by a third.
it("accepts in eight slots what it accepts in one", async () => {
  const alone: Output[] = [];
  for (const question of QUESTIONS) alone.push(await generate(engine, question, request));
  const together = await Promise.all(QUESTIONS.map((question) => generate(engine, question, request)));

  expect(Math.abs(acceptanceRate(together) - acceptanceRate(alone))).toBeLessThan(0.05);
  const parted = QUESTIONS.filter((_, i) => together[i]?.text !== alone[i]?.text);
  // batches of another size round otherwise, which may tip a near-tie
  expect(parted.length).toBeLessThanOrEqual(1);
});
