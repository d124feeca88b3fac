import type { DraftBudget } from "../dialects/sources.ts";
import { specDecodeCountsOf, type SpecDecodeCounts } from "./acceptance.ts";
import type { AcceptanceOutcome } from "./acceptance-reading.ts";

/** Adds to a reading of exact counters what cannot be in them, as notes: the figures are the server's, and stay. */
export function withBrokenInvariants(
  outcome: AcceptanceOutcome,
  draftBudget: DraftBudget | null,
): AcceptanceOutcome {
  const { reading } = outcome;
  if (reading === null || reading.source !== "counters") return outcome;
  const counted = [reading.draftTokens, reading.acceptedTokens, reading.verifySteps];
  if (counted.some((count) => count !== null && count.plusMinus > 0)) return outcome;
  const counts = specDecodeCountsOf(reading);
  if (counts === null) return outcome;
  const broken = checkSpecDecodeInvariants(
    counts,
    draftBudget?.isExact === true ? draftBudget.value : undefined,
  );
  if (broken.length === 0) return outcome;
  const notes = broken
    .slice(0, MOST_NOTES)
    .map((what) => `the server's counters do not hold together: ${what}`);
  return { reading: { ...reading, notes: [...reading.notes, ...notes] }, missing: null };
}

const MOST_NOTES = 4;

/**
 * What cannot be in counts of speculative decoding, in words; empty when they hold together.
 *
 * Checked: counts are whole and not negative; A <= D; V <= D; A_0 <= V; A_i does not grow with i; the A_i add up to A;
 * with the draft budget K also D <= K V, A <= K V and no more than K positions.
 *
 * @param draftBudget K, the most tokens drafted in one step (the bonus token is not one of them)
 */
export function checkSpecDecodeInvariants(counts: SpecDecodeCounts, draftBudget?: number): string[] {
  const { verifySteps: v, draftTokens: d, acceptedTokens: a, acceptedPerPosition: positions } = counts;
  const broken: string[] = [];
  const named: [string, number][] = [
    ["draft tokens", d],
    ["accepted tokens", a],
  ];
  if (v !== null) named.push(["verify steps", v]);
  for (const [position, accepted] of (positions ?? []).entries()) {
    named.push([`accepted tokens at position ${position}`, accepted]);
  }
  for (const [name, value] of named) {
    if (!Number.isInteger(value) || value < 0) broken.push(`${name}: ${value} is not a count`);
  }
  if (a > d) broken.push(`more tokens accepted (${a}) than drafted (${d})`);
  if (v !== null && v > d) broken.push(`more verify steps (${v}) than draft tokens (${d})`);
  if (v !== null && draftBudget !== undefined) {
    const most = draftBudget * v;
    if (d > most)
      broken.push(`more tokens drafted (${d}) than ${v} steps of ${draftBudget} can hold (${most})`);
    if (a > most)
      broken.push(`more tokens accepted (${a}) than ${v} steps of ${draftBudget} can hold (${most})`);
  }
  if (positions !== null) broken.push(...checkPositions(positions, v, a, draftBudget));
  return broken;
}

function checkPositions(
  positions: readonly number[],
  verifySteps: number | null,
  acceptedTokens: number,
  draftBudget: number | undefined,
): string[] {
  const broken: string[] = [];
  const first = positions[0] ?? 0;
  if (verifySteps !== null && first > verifySteps) {
    broken.push(`more tokens accepted at position 0 (${first}) than verify steps (${verifySteps})`);
  }
  for (let i = 1; i < positions.length; i++) {
    const [before = 0, here = 0] = [positions[i - 1], positions[i]];
    if (here > before) {
      broken.push(`more tokens accepted at position ${i} (${here}) than at position ${i - 1} (${before})`);
    }
  }
  const sum = positions.reduce((total, accepted) => total + accepted, 0);
  if (sum !== acceptedTokens) {
    broken.push(`accepted tokens by position add up to ${sum}, not to the ${acceptedTokens} accepted tokens`);
  }
  if (draftBudget !== undefined && positions.length > draftBudget) {
    broken.push(`${positions.length} draft positions with a draft budget of ${draftBudget}`);
  }
  return broken;
}
