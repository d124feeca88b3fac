import type { BenchConfig } from "@onpar/bench-config";
import { monotonicClock, startTimeline } from "../clock.ts";
import { openSession } from "../session.ts";
import type { TokenCounter } from "../token-counter.ts";
import type { RungSystem } from "./rung.ts";

/** What a ladder has to know of a system before it measures. */
export interface SystemFacts {
  /** Tokens of prompt and output together; null when it is not known. */
  readonly contextLimit: number | null;
  /** K as the system says; null when it does not. */
  readonly draftBudget: number | null;
  /** The system's own tokenizer; null when it offers none. */
  readonly counter: TokenCounter | null;
}

/**
 * Looks at a system and does something with what it says; the way to it is closed afterwards.
 *
 * @throws {RunError} as a run of this configuration would
 */
export async function withSystemFacts<T>(
  config: BenchConfig,
  { apiKey, engine, clock, loadGgufTokenizer }: RungSystem,
  signal: AbortSignal | undefined,
  use: (facts: SystemFacts) => Promise<T>,
): Promise<T> {
  const timeline = startTimeline(clock ?? monotonicClock);
  const session = await openSession({ config, apiKey, engine, timeline, loadGgufTokenizer, signal });
  try {
    const { contextLimit } = session;
    return await use({
      contextLimit,
      draftBudget: await session.draftBudget(),
      counter: await session.tokenCounter(),
    });
  } finally {
    await session.close();
  }
}
