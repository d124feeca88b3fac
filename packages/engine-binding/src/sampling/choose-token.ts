import type { SamplingSettings } from "./settings.ts";

/**
 * Chooses a token from the full distribution of a position when some tokens may not be produced there. It takes vLLM's
 * order: banned tokens leave first, then min-p, top-k and top-p act on what remains. The temperature is in the
 * probabilities already.
 *
 * @param probabilities of every token, in any order
 * @param uniform the random number, in [0, 1); ignored when greedy
 * @returns null when every token is banned
 */
export function chooseToken(
  probabilities: Iterable<readonly [number, number]>,
  banned: ReadonlySet<number>,
  settings: SamplingSettings,
  uniform: number,
): number | null {
  const candidates = [...probabilities].filter(([token]) => !banned.has(token));
  // equal probabilities fall to the lower id, as they do in a scan over the vocabulary
  candidates.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  const best = candidates[0];
  if (best === undefined) return null;
  if (settings.greedy) return best[0];

  let kept = candidates;
  if (settings.minP > 0) kept = kept.filter(([, p]) => p >= settings.minP * best[1]);
  if (settings.topK > 0) kept = kept.slice(0, settings.topK);
  if (settings.topP < 1) kept = nucleus(kept, settings.topP);

  const total = sum(kept);
  if (!(total > 0)) return best[0];
  let rest = uniform * total;
  for (const [token, p] of kept) {
    rest -= p;
    if (rest < 0) return token;
  }
  return kept.at(-1)?.[0] ?? best[0];
}

/** The shortest beginning whose share of the whole reaches `topP`; never empty. */
function nucleus(
  sorted: readonly (readonly [number, number])[],
  topP: number,
): (readonly [number, number])[] {
  const needed = topP * sum(sorted);
  let reached = 0;
  let count = 0;
  for (const [, p] of sorted) {
    if (count > 0 && reached >= needed) break;
    reached += p;
    count++;
  }
  return sorted.slice(0, count);
}

function sum(candidates: readonly (readonly [number, number])[]): number {
  let total = 0;
  for (const [, p] of candidates) total += p;
  return total;
}
