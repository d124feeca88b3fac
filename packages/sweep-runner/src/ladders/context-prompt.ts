import type { TokenCounter } from "../token-counter.ts";

/** A prompt of a ladder. */
export interface LadderPrompt {
  readonly id: string;
  readonly text: string;
  /** Of tag and context, without the task, by the server's tokenizer; null when nobody counted. */
  readonly contextTokens: number | null;
  readonly bytes: number;
}

/** What a prompt of a ladder is made of. */
export interface ContextPromptOptions {
  readonly id: string;
  /** Unique: no prefix cache has seen a prompt that begins with it. */
  readonly tag: string;
  readonly source: string;
  /** Tokens of tag and context. */
  readonly target: number;
  /** Stands after the context. */
  readonly task: string;
  readonly counter: TokenCounter | null;
  readonly signal?: AbortSignal | undefined;
}

/** The comparator's bound on tokenize requests for one rung. */
const BISECTION_STEPS = 12;
/** Characters per token that is assumed where nobody counts. */
const CHARS_PER_TOKEN = 3.5;

/** How far a context may be off its rung: 8 tokens, or 1 %. */
export function contextTolerance(target: number): number {
  return Math.max(8, target * 0.01);
}

/** Characters of source code that are enough for a context of so many tokens. */
export function sourceCharsFor(tokens: number): number {
  return Math.max(4096, tokens * 12);
}

/**
 * `[run <tag>]`, source code that makes so many tokens with it, and the task. The length is found by bisection on characters
 * with the server's tokenizer, 12 steps at most, and is right within {@link contextTolerance}; the nearest one that was seen is
 * taken where the steps do not reach it. Without a tokenizer the length is a guess, and is not told.
 */
export async function contextPrompt(options: ContextPromptOptions): Promise<LadderPrompt> {
  const { id, tag, source, target, task, counter, signal } = options;
  const head = `[run ${tag}]\n`;
  const cut = (chars: number): string => head + source.slice(0, chars);
  const whole = (context: string, contextTokens: number | null): LadderPrompt => {
    const text = task === "" ? context : `${context}\n\n${task}`;
    return { id, text, contextTokens, bytes: Buffer.byteLength(text) };
  };
  if (counter === null) return whole(cut(Math.round(target * CHARS_PER_TOKEN)), null);
  let low = 0;
  let high = source.length + 1;
  let chars = Math.floor(high / 2);
  let best: { readonly chars: number; readonly tokens: number } | null = null;
  for (let step = 0; step < BISECTION_STEPS; step++) {
    const tokens = await counter.count(cut(chars), signal);
    if (best === null || Math.abs(tokens - target) < Math.abs(best.tokens - target)) best = { chars, tokens };
    if (Math.abs(tokens - target) <= contextTolerance(target)) break;
    if (tokens < target) low = chars;
    else high = chars;
    if (high - low <= 1) break;
    chars = Math.floor((low + high) / 2);
  }
  return best === null ? whole(head, null) : whole(cut(best.chars), best.tokens);
}

/** Room that is left free beside prompt and output: a template brings tokens of its own. */
export const CONTEXT_MARGIN = 64;

/**
 * The rungs that a context limit leaves room for: those below the room, and the room itself as the top one in place of the
 * first that is above it.
 *
 * @param limit tokens of prompt and output; null when the server does not tell: then all rungs are tried
 * @param besides tokens that a request takes beside its context: output cap, task, margin
 */
export function fitRungs(rungs: readonly number[], limit: number | null, besides: number): number[] {
  const ascending = rungs.toSorted((a, b) => a - b);
  if (limit === null) return ascending;
  const room = limit - besides;
  const fitting = ascending.filter((rung) => rung <= room);
  const isCut = fitting.length < ascending.length;
  return isCut && room > (fitting.at(-1) ?? 0) ? [...fitting, room] : fitting;
}
