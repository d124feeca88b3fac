import { describe, expect, it } from "vitest";
import { evaluationGroups, type EvaluationShape } from "../../src/llama/evaluation-groups.ts";
import type { Turn } from "../../src/llama/turn.ts";

interface Asked extends EvaluationShape {
  readonly slot: number;
  readonly streaming?: boolean;
}

/** The slots of each evaluation. */
function groups(asked: readonly Asked[]): number[][] {
  const shapes = new Map<Turn, Asked>();
  for (const shape of asked) {
    const turn = { slot: { index: shape.slot, target: { streaming: shape.streaming ?? true } } };
    shapes.set(turn as unknown as Turn, shape);
  }
  const shapeOf = (turn: Turn): Asked => {
    const shape = shapes.get(turn);
    if (shape === undefined) throw new Error("a turn that was not given");
    return shape;
  };
  return evaluationGroups([...shapes.keys()], shapeOf, ({ slot }) => slot.target).map((group) =>
    group.map(({ slot }) => slot.index),
  );
}

describe("evaluationGroups", () => {
  it("evaluates sequences with equally many tokens together, in the order of their slots", () => {
    expect(
      groups([
        { slot: 2, call: "evaluate", tokens: 6 },
        { slot: 0, call: "evaluate", tokens: 6 },
        { slot: 1, call: "evaluate", tokens: 6 },
      ]),
    ).toEqual([[0, 1, 2]]);
  });

  it("parts those that bring different numbers", () => {
    expect(
      groups([
        { slot: 0, call: "evaluate", tokens: 6 },
        { slot: 1, call: "evaluate", tokens: 2 },
        { slot: 2, call: "evaluate", tokens: 6 },
      ]),
    ).toEqual([[0, 2], [1]]);
  });

  it("mixes only what asks for no output", () => {
    expect(
      groups([
        { slot: 0, call: "feed", tokens: 6 },
        { slot: 1, call: "feed", tokens: 40 },
        { slot: 2, call: "next", tokens: 40 },
        { slot: 3, call: "evaluate", tokens: 40 },
      ]),
    ).toEqual([[0, 1], [2], [3]]);
  });

  it("parts the first call on a stream from those that follow", () => {
    expect(
      groups([
        { slot: 0, call: "next", tokens: 1 },
        { slot: 1, call: "next", tokens: 1, streaming: false },
        { slot: 2, call: "next", tokens: 1 },
      ]),
    ).toEqual([[0, 2], [1]]);
  });
});
