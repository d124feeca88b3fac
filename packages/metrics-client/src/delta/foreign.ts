import type { MetricsWindow } from "./window.ts";

/** What the caller knows of its own requests in a window. */
export interface OwnTraffic {
  /** Sequences that ended; with n > 1 each of them counts. */
  readonly requests: number;
  readonly outputTokens?: number;
  readonly draftTokens?: number;
}

/** Whether a server worked for somebody else during a window. */
export interface ForeignTraffic {
  /**
   * `none`: the server counts what was sent. `foreign`: it counts more. `lagging`: it counts less, so its counters have not
   * caught up, or are another server's. `dead`: its counters stand still though requests ended. `unknown`: it counts nothing
   * that could be compared.
   */
  readonly verdict: "none" | "foreign" | "lagging" | "dead" | "unknown";
  /** What was compared. */
  readonly by: "requests" | "output tokens" | "draft tokens" | null;
  readonly counted: number | null;
  readonly own: number | null;
}

/** Compares a server's counters with the own count: requests where it counts them, else output tokens, else draft tokens. */
export function foreignTraffic(window: MetricsWindow, own: OwnTraffic): ForeignTraffic {
  const drafted = window.acceptance.reading?.draftTokens ?? null;
  const candidates = [
    { by: "requests", counted: window.counts.requestsFinished, own: own.requests },
    { by: "output tokens", counted: window.counts.generationTokens, own: own.outputTokens },
    { by: "draft tokens", counted: drafted, own: own.draftTokens },
  ] as const;
  for (const { by, counted, own: mine } of candidates) {
    if (counted === null || mine === undefined) continue;
    const difference = counted.value - mine;
    const verdict =
      Math.abs(difference) <= counted.plusMinus
        ? "none"
        : difference > 0
          ? "foreign"
          : counted.value === 0 && (window.counts.generationTokens?.value ?? 0) === 0
            ? "dead"
            : "lagging";
    return { verdict, by, counted: counted.value, own: mine };
  }
  return { verdict: "unknown", by: null, counted: null, own: null };
}
