/** How prompt lookup finds what to draft. */
export interface PromptLookupOptions {
  /** Longest run of last tokens that is looked for. */
  readonly longest: number;
  /** Shortest run that counts as found. */
  readonly shortest: number;
}

/** vLLM's defaults would draft after every single repeated token; two make a find worth verifying. */
export const PROMPT_LOOKUP_DEFAULTS: PromptLookupOptions = { longest: 4, shortest: 2 };

/** Tokens searched back from the end; what lies further back is rarely repeated, and a step must stay cheap. */
const SEARCHED_TOKENS = 16_384;

/**
 * Drafts by prompt lookup: finds the latest earlier place where the last tokens of a sequence stood before, the longest
 * run first, and proposes what followed there. It costs no model, and pays where the output copies from its context.
 *
 * @param tokens prompt and output so far
 * @param count tokens wanted, K
 * @returns at most `count` tokens; none when the last tokens are new
 */
export function promptLookup(
  tokens: readonly number[],
  count: number,
  { longest, shortest }: PromptLookupOptions = PROMPT_LOOKUP_DEFAULTS,
): number[] {
  const end = tokens.length;
  if (count <= 0 || end <= shortest) return [];
  const last = tokens[end - 1];
  const first = Math.max(0, end - SEARCHED_TOKENS);
  let bestRun = 0;
  let bestNext = 0;
  for (let place = end - 2; place >= first && bestRun < longest; place--) {
    if (tokens[place] !== last) continue;
    let run = 1;
    while (run < longest && place - run >= first && tokens[place - run] === tokens[end - 1 - run]) run++;
    if (run > bestRun) {
      bestRun = run;
      bestNext = place + 1;
    }
  }
  return bestRun < shortest ? [] : tokens.slice(bestNext, Math.min(end, bestNext + count));
}
