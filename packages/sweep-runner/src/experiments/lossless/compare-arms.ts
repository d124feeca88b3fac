import type { LosslessArm, LosslessOutput } from "./arm.ts";

/** Where two outputs of one prompt part first. */
export interface Divergence {
  readonly promptId: string;
  /** Index of the first token that differs; null when an arm tells no tokens. */
  readonly token: number | null;
  /** Index of the first character that differs; the length of the shorter text where one goes on. */
  readonly character: number;
  /** What each arm has there. */
  readonly a: string;
  readonly b: string;
  /**
   * How much more probable the arm's own choice was than the other arm's, as a difference of natural logarithms, in the arm that
   * tells both; the smaller one where both do. Null when neither does.
   */
  readonly gap: number | null;
  /** `near-tie`: both choices were about as probable, so that rounding decides. `real`: they were not. */
  readonly verdict: "near-tie" | "real" | "unknown";
}

/** Two arms beside each other, prompt by prompt. */
export interface ArmComparison {
  readonly a: string;
  readonly b: string;
  readonly compared: number;
  readonly identical: number;
  readonly divergences: readonly Divergence[];
  /** Prompts that one of the arms does not have. */
  readonly unpaired: readonly string[];
}

/** Gap below which two choices count as a near-tie: a quarter of a nat, probabilities within a factor of 1.28. */
export const NEAR_TIE = 0.25;

/** Pairs the outputs of two arms by prompt and finds where they part. */
export function compareArms(a: LosslessArm, b: LosslessArm, nearTie = NEAR_TIE): ArmComparison {
  const others = new Map(b.outputs.map((output) => [output.promptId, output]));
  const known = new Set(a.outputs.map(({ promptId }) => promptId));
  const divergences: Divergence[] = [];
  const unpaired = b.outputs.map(({ promptId }) => promptId).filter((id) => !known.has(id));
  let compared = 0;
  for (const output of a.outputs) {
    const other = others.get(output.promptId);
    if (other === undefined) {
      unpaired.push(output.promptId);
      continue;
    }
    compared++;
    if (output.text !== other.text) divergences.push(divergenceOf(output, other, nearTie));
  }
  return {
    a: a.name,
    b: b.name,
    compared,
    identical: compared - divergences.length,
    divergences,
    unpaired,
  };
}

function divergenceOf(a: LosslessOutput, b: LosslessOutput, nearTie: number): Divergence {
  const character = firstDifference(Array.from(a.text), Array.from(b.text));
  const base = { promptId: a.promptId, character };
  if (a.tokens === null || b.tokens === null) {
    const around = (text: string): string =>
      Array.from(text)
        .slice(character, character + 20)
        .join("");
    return { ...base, token: null, a: around(a.text), b: around(b.text), gap: null, verdict: "unknown" };
  }
  const token = firstDifference(a.tokens, b.tokens);
  const [chosenA = "", chosenB = ""] = [a.tokens[token], b.tokens[token]];
  const gaps = [gapAt(a, token, chosenA, chosenB), gapAt(b, token, chosenB, chosenA)].filter(
    (gap) => gap !== null,
  );
  const gap = gaps.length === 0 ? null : Math.min(...gaps);
  return {
    ...base,
    token,
    a: chosenA,
    b: chosenB,
    gap,
    verdict: gap === null ? "unknown" : gap <= nearTie ? "near-tie" : "real",
  };
}

function firstDifference(a: readonly string[], b: readonly string[]): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) if (a[index] !== b[index]) return index;
  return length;
}

function gapAt({ logprobs, top }: LosslessOutput, place: number, own: string, other: string): number | null {
  const there = top?.[place] ?? [];
  const chosen = there.find(({ token }) => token === own)?.logprob ?? logprobs?.[place] ?? null;
  const rival = there.find(({ token }) => token === other)?.logprob ?? null;
  return chosen === null || rival === null ? null : Math.abs(chosen - rival);
}
