import type { OutputLogprobs, TokenLogprob } from "../engine.ts";

/** The natural logarithm of the least probability that a 32-bit float holds: what underflowed is no less than this. */
const LEAST_LOGPROB = Math.log(2 ** -149);

function logarithm(probability: number): number {
  return probability > 0 ? Math.log(probability) : LEAST_LOGPROB;
}

/**
 * @param token the one that was chosen
 * @param probabilities of all tokens, in falling order
 * @param alternatives how many of the most probable tokens to give
 */
export function logprobsOf(
  token: number,
  probabilities: ReadonlyMap<number, number>,
  alternatives: number,
): OutputLogprobs {
  const top: TokenLogprob[] = [];
  for (const [tokenId, probability] of probabilities) {
    if (top.length >= alternatives) break;
    top.push({ tokenId, logprob: logarithm(probability) });
  }
  return { tokenId: token, logprob: logarithm(probabilities.get(token) ?? 0), top };
}
