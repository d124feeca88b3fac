import type { CachedSequence } from "./cached-sequence.ts";
import type { Turn } from "./turn.ts";

/** How a turn asks for its evaluation, and how many tokens it brings. */
export interface EvaluationShape {
  readonly call: "feed" | "next" | "evaluate";
  readonly tokens: number;
}

/**
 * Parts turns into evaluations that llama.cpp keeps in order.
 *
 * llama.cpp takes the sequences of a batch in rounds of equally many tokens. Sequences that bring different numbers
 * leave the outputs in another order than they were asked for, and llama.cpp swaps them into place when the first of
 * them is read. node-llama-cpp samples the sequences of a batch on several threads at once, so that two threads may
 * swap at the same time: tokens are then chosen from the wrong logits, silently. Nothing is swapped when the sequences
 * of an evaluation bring equally many tokens in the order of their slots. Turns that ask for no output may be mixed.
 *
 * The order in which node-llama-cpp queues is the order of the calls only among calls of the same kind, so the kind
 * parts them too.
 */
export function evaluationGroups(
  turns: readonly Turn[],
  shapeOf: (turn: Turn) => EvaluationShape,
  sequenceOf: (turn: Turn) => CachedSequence | null,
): Turn[][] {
  const groups = new Map<string, Turn[]>();
  for (const turn of turns.toSorted((a, b) => a.slot.index - b.slot.index)) {
    const { call, tokens } = shapeOf(turn);
    // the first call on a stream takes another way through node-llama-cpp than those that follow
    const streams = call === "next" && sequenceOf(turn)?.streaming === true;
    const key = call === "feed" ? call : `${call} ${streams} ${tokens}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [turn]);
    else group.push(turn);
  }
  return [...groups.values()];
}
