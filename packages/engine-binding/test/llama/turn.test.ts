import { describe, expect, it } from "vitest";
import { AdaptiveDraftLength } from "../../src/speculation/draft-length.ts";
import { CostCurve } from "../../src/speculation/step-costs.ts";
import type { Slot } from "../../src/llama/slot.ts";
import { planStep } from "../../src/llama/turn.ts";

interface State {
  readonly prompt: number;
  readonly output?: number;
  readonly maxTokens?: number;
  readonly evaluated: number;
  readonly drafted?: number;
}

/** A slot in some state, with what planning reads of it. */
function slot({ prompt, output = 0, maxTokens = 100, evaluated, drafted }: State): Slot {
  const state = {
    target: { length: evaluated },
    draft: drafted === undefined ? null : { length: drafted },
    job: {
      tokens: Array.from({ length: prompt + output }, (_, i) => i),
      promptTokens: prompt,
      tally: drafted === undefined ? null : {},
      draftBudget: 64,
      acceptance: { value: 0.9 },
      output: { count: output },
      request: { maxTokens },
    },
  };
  return state as unknown as Slot;
}

const plan = (slots: readonly Slot[], limits: object = {}) =>
  planStep(slots, {
    batchSize: 64,
    draftBudget: 5,
    adaptive: null,
    promptLookup: null,
    draftContextSize: 1000,
    ...limits,
  }).map(({ input, generates, draftInput, draftCount }) => ({
    input: [input[0], input.length],
    generates,
    draftInput: [draftInput[0], draftInput.length],
    draftCount,
  }));
const NO_DRAFT = { draftInput: [undefined, 0], draftCount: 0 };

describe("planStep", () => {
  it("evaluates the last token of a request that decodes, and its drafts", () => {
    expect(plan([slot({ prompt: 10, output: 3, evaluated: 12 })])).toEqual([
      { input: [12, 1], generates: true, ...NO_DRAFT },
    ]);
    expect(plan([slot({ prompt: 10, output: 3, evaluated: 12, drafted: 11 })])).toEqual([
      { input: [12, 1], generates: true, draftInput: [11, 2], draftCount: 5 },
    ]);
  });

  it("cuts drafts to what can be used", () => {
    const near = (output: number) =>
      plan([slot({ prompt: 10, output, maxTokens: 9, evaluated: 9 + output, drafted: 9 + output })])[0]
        ?.draftCount;
    expect([near(1), near(3), near(5), near(7), near(8)]).toEqual([5, 5, 3, 1, 0]);
  });

  it("reads a long prompt in pieces of what the batch has left, and generates after the last", () => {
    const decoding = slot({ prompt: 10, output: 3, evaluated: 12 });
    expect(plan([decoding, slot({ prompt: 100, evaluated: 0 })], { draftBudget: 0 })).toEqual([
      { input: [12, 1], generates: true, ...NO_DRAFT },
      { input: [0, 32], generates: false, ...NO_DRAFT },
    ]);
    // a larger batch leaves a quarter of it
    const large = plan([decoding, slot({ prompt: 800, evaluated: 0 })], { batchSize: 400 });
    expect(large[1]?.input).toEqual([0, 100]);
    expect(plan([slot({ prompt: 800, evaluated: 0 })], { batchSize: 400 })[0]?.input).toEqual([0, 400]);
    expect(plan([slot({ prompt: 100, evaluated: 63 })])).toEqual([
      { input: [63, 37], generates: true, ...NO_DRAFT },
    ]);
  });

  it("shares the batch between prompts in order, and leaves out one that gets nothing", () => {
    const prompts = [slot({ prompt: 50, evaluated: 0 }), slot({ prompt: 50, evaluated: 0 })];
    expect(plan([...prompts, slot({ prompt: 50, evaluated: 0 })]).map(({ input }) => input)).toEqual([
      [0, 50],
      [0, 14],
    ]);
  });

  it("lets prompts move on however many requests decode", () => {
    const decoding = Array.from({ length: 70 }, () => slot({ prompt: 10, output: 1, evaluated: 10 }));
    expect(plan([...decoding, slot({ prompt: 90, evaluated: 0 })]).at(-1)?.input).toEqual([0, 32]);
  });

  it("lets the draft model read the prompt beside the target, and catch up before it drafts", () => {
    expect(plan([slot({ prompt: 50, evaluated: 30, drafted: 0 })])).toEqual([
      { input: [30, 20], generates: true, draftInput: [0, 50], draftCount: 0 },
    ]);
    expect(plan([slot({ prompt: 90, output: 1, evaluated: 90, drafted: 0 })])).toEqual([
      { input: [90, 1], generates: true, draftInput: [0, 62], draftCount: 0 },
    ]);
    expect(plan([slot({ prompt: 90, output: 2, evaluated: 91, drafted: 62 })])).toEqual([
      { input: [91, 1], generates: true, draftInput: [62, 30], draftCount: 5 },
    ]);
  });

  it("leaves the prompt to be read later where drafting does not pay", () => {
    const curve = (seconds: number) => new CostCurve([{ tokens: 1, seconds }]);
    // every token that is verified costs as much as a step
    const adaptive = new AdaptiveDraftLength({ verify: curve(1), draft: curve(0.2) }, 5);
    expect(plan([slot({ prompt: 50, evaluated: 30, drafted: 0 })], { adaptive })).toEqual([
      { input: [30, 20], generates: true, ...NO_DRAFT },
    ]);
    // the try after 32 steps reads it
    const late = slot({ prompt: 50, output: 2, evaluated: 51, drafted: 0 });
    const steps = Array.from({ length: 32 }, () => plan([late], { adaptive })[0]);
    expect(steps.slice(0, -1).every((step) => step?.draftCount === 0)).toBe(true);
    expect(steps.at(-1)).toEqual({ input: [51, 1], generates: true, draftInput: [0, 52], draftCount: 5 });
  });

  it("stops drafting where the draft model's positions end", () => {
    const at = (length: number) =>
      plan([slot({ prompt: length - 1, output: 1, evaluated: length - 1, drafted: length - 1 })], {
        draftContextSize: 60,
      })[0];
    expect(at(50)?.draftCount).toBe(5);
    expect(at(58)?.draftCount).toBe(2);
    expect(at(60)).toMatchObject(NO_DRAFT);
    expect(plan([slot({ prompt: 80, evaluated: 0, drafted: 0 })], { draftContextSize: 60 })[0]).toMatchObject(
      NO_DRAFT,
    );
  });
});
