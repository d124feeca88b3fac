/** Whether a prompt and its output fit a context limit. */
export interface ContextFit {
  /** Prompt and most output tokens together. */
  readonly total: number;
  readonly fits: boolean;
  /** Longest prompt that fits with this output; 0 when none does. */
  readonly longestPrompt: number;
}

/** Servers count the whole `max_tokens` of a request against their limit, however short the output turns out. */
export function contextFit(promptTokens: number, maxTokens: number, limit: number): ContextFit {
  const total = promptTokens + maxTokens;
  return { total, fits: total <= limit, longestPrompt: Math.max(0, limit - maxTokens) };
}
