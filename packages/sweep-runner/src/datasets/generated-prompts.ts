import { createRng, shuffled } from "../rng.ts";
import type { TokenCounter } from "../token-counter.ts";
import { WORDS } from "./words.ts";

/** Pieces that are one token in nearly every vocabulary: they fill what whole words leave open. */
const FILLERS = [".", ",", " a", " I", "!", " it", " to", ";"];
/** Tokens per word that the first guess assumes. */
const FIRST_GUESS = 1.2;
const SEARCH_STEPS = 24;

export interface GeneratedPromptOptions {
  readonly seed: number;
  readonly index: number;
  /** Of the whole text, that it begins with included. */
  readonly tokens: number;
  /** What the text begins with, and its tokens: a prefix that several prompts share. */
  readonly head?: GeneratedPrompt | undefined;
}

export interface GeneratedPrompt {
  readonly text: string;
  /** Tokens by the counter; null without one. */
  readonly tokens: number | null;
}

/**
 * Text of exactly `tokens` tokens where a counter is there, found by bisection on the number of words; without one, text
 * of about that length. Prompt `index` of a seed begins with words that no other index has, so that no prompt is served
 * from the prefix cache of another.
 */
export async function generatePrompt(
  options: GeneratedPromptOptions,
  counter: TokenCounter | null,
  signal?: AbortSignal,
): Promise<GeneratedPrompt> {
  const { head } = options;
  const own = wordText(options.seed, options.index);
  const textOf = (words: number): string =>
    head === undefined ? own(words) : words === 0 ? head.text : `${head.text} ${own(words)}`;
  const words = Math.max(1, Math.round((options.tokens - (head?.tokens ?? 0)) / FIRST_GUESS));
  if (counter === null) return { text: textOf(words), tokens: null };
  const count = (text: string): Promise<number> => counter.count(text, signal);

  // Invariant: `low` words have at most the wanted tokens, `high` words have more.
  let low = { words: 0, tokens: head?.tokens ?? 0 };
  let high: { words: number; tokens: number } | null = null;
  let guess = words;
  for (let step = 0; step < SEARCH_STEPS && (high === null || high.words - low.words > 1); step++) {
    const tried: number = high === null ? guess : Math.min(Math.max(guess, low.words + 1), high.words - 1);
    const tokens = await count(textOf(tried));
    if (tokens === options.tokens) return { text: textOf(tried), tokens };
    if (tokens < options.tokens) low = { words: tried, tokens };
    else high = { words: tried, tokens };
    guess = nextGuess(low, high, options.tokens, step);
  }
  return fill(textOf(low.words), low.tokens, options.tokens, count);
}

/** Interpolation first, plain bisection later: lengths grow almost evenly with words. */
function nextGuess(
  low: { words: number; tokens: number },
  high: { words: number; tokens: number } | null,
  wanted: number,
  step: number,
): number {
  if (high === null) {
    const perWord = low.words === 0 ? FIRST_GUESS : Math.max(low.tokens / low.words, 0.05);
    return low.words + Math.max(1, Math.ceil((wanted - low.tokens) / perWord));
  }
  if (step > 6) return Math.floor((low.words + high.words) / 2);
  const share = (wanted - low.tokens) / Math.max(1, high.tokens - low.tokens);
  return low.words + Math.round(share * (high.words - low.words));
}

/** Adds one-token pieces to a text that is a few tokens short. Returns the nearest that was found. */
async function fill(
  text: string,
  tokens: number,
  wanted: number,
  count: (text: string) => Promise<number>,
): Promise<GeneratedPrompt> {
  let best: GeneratedPrompt = { text, tokens };
  for (const filler of FILLERS) {
    // Repeated pieces may merge into one token, so the number of pieces is corrected by what they came to.
    let pieces = wanted - tokens;
    for (let attempt = 0; attempt < 4 && pieces > 0 && pieces <= 4 * wanted; attempt++) {
      const candidate = text + filler.repeat(pieces);
      const counted = await count(candidate);
      if (counted === wanted) return { text: candidate, tokens: counted };
      const error = Math.abs(counted - wanted);
      if (candidate !== "" && (best.text === "" || error < Math.abs((best.tokens ?? 0) - wanted))) {
        best = { text: candidate, tokens: counted };
      }
      pieces += wanted - counted;
    }
  }
  return best;
}

/** The first `words` words of the text that belongs to one seed and index. */
function wordText(seed: number, index: number): (words: number) => string {
  const list = shuffled(WORDS, createRng(seed));
  const wordAt = (position: number): string => list[position] ?? "";
  const text: string[] = [];
  // The index in base `list.length`, lowest digit first: neighbouring prompts part at the first word.
  let rest = index;
  do {
    text.push(wordAt(rest % list.length));
    rest = Math.floor(rest / list.length);
  } while (rest > 0);
  const rng = createRng(seed, index + 1);
  return (words) => {
    while (text.length < words) text.push(wordAt(rng.int(list.length)));
    return text.slice(0, words).join(" ");
  };
}
