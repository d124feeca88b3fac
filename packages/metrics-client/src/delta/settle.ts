import { dialectByNames } from "../dialects/registry.ts";
import type { MetricsSnapshot } from "../scrape/snapshot.ts";
import type { OwnTraffic } from "./foreign.ts";
import { measureWindow, type WindowOptions } from "./window.ts";

/** Whether a server's counters have caught up with the requests of a window. */
export interface SettleVerdict {
  readonly settled: boolean;
  /** In words: what shows it, or what is still waited for. */
  readonly why: string;
}

/**
 * Judges from the latest page whether a window may be closed. Engines that count when a request ends are waited for until the
 * own requests are counted; those that tell no requests until two pages in a row are alike.
 *
 * @param previous the page before the latest; null for the first one
 */
export function judgeSettled(
  start: MetricsSnapshot,
  previous: MetricsSnapshot | null,
  latest: MetricsSnapshot,
  own: OwnTraffic,
  options: WindowOptions = {},
): SettleVerdict {
  const { counts, busy } = measureWindow(start, latest, options);
  // A gauge that may be old says nothing yet; the counters decide.
  const isFresh = busy.staleness.seconds !== null && busy.staleness.seconds <= 1;
  if (busy.idle === false && isFresh) {
    return { settled: false, why: `${busy.running ?? 0} requests run and ${busy.waiting ?? 0} wait` };
  }
  const finished = counts.requestsFinished;
  if (finished !== null) {
    return finished.value + finished.plusMinus >= own.requests
      ? { settled: true, why: `${finished.value} of ${own.requests} requests are counted` }
      : { settled: false, why: `${finished.value} of ${own.requests} requests are counted` };
  }
  const tokens = counts.generationTokens;
  if (tokens !== null && own.outputTokens !== undefined) {
    const why = `${tokens.value} of ${own.outputTokens} output tokens are counted`;
    return { settled: tokens.value + tokens.plusMinus >= own.outputTokens, why };
  }
  if (previous === null)
    return { settled: false, why: "a second page is needed to see whether counters stand" };
  return countersAreAlike(previous, latest, options)
    ? { settled: true, why: "the counters stood between two pages" }
    : { settled: false, why: "the counters still move" };
}

function countersAreAlike(a: MetricsSnapshot, b: MetricsSnapshot, options: WindowOptions): boolean {
  const dialect = options.dialect ?? dialectByNames([a, b], options);
  if (dialect === null) return true;
  const { counts, reset, acceptance } = measureWindow(a, b, { ...options, dialect });
  const moved = [counts.promptTokens, counts.generationTokens, acceptance.reading?.draftTokens ?? null];
  return !reset && moved.every((count) => count === null || count.value === 0);
}

/** Clock and bounds of {@link settleMetrics}; the clock is the caller's, so that tests need not wait. */
export interface SettleOptions extends WindowOptions {
  readonly own: OwnTraffic;
  /** Between two pages, ms. Default: 100. */
  readonly pollMs?: number;
  /** In all, ms. Default: 5,000. */
  readonly timeoutMs?: number;
  /** Monotonic, ms. */
  readonly nowMs: () => number;
  readonly sleep: (ms: number) => Promise<void>;
}

/** The last page that was read, and whether the counters had caught up by then. */
export interface Settled extends SettleVerdict {
  readonly snapshot: MetricsSnapshot;
}

/** Reads pages until the counters have caught up with the own requests, or the time is over. Errors of `read` are the caller's. */
export async function settleMetrics(
  start: MetricsSnapshot,
  read: () => Promise<MetricsSnapshot>,
  options: SettleOptions,
): Promise<Settled> {
  const { own, pollMs = 100, timeoutMs = 5000, nowMs, sleep } = options;
  const deadline = nowMs() + timeoutMs;
  let previous: MetricsSnapshot | null = null;
  for (;;) {
    const snapshot = await read();
    const verdict = judgeSettled(start, previous, snapshot, own, options);
    if (verdict.settled || nowMs() + pollMs > deadline) return { ...verdict, snapshot };
    previous = snapshot;
    await sleep(pollMs);
  }
}
