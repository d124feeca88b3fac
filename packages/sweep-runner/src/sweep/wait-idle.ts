import { setTimeout as sleep } from "node:timers/promises";
import { readServerLoad, scrapeMetrics } from "@onpar/metrics-client";

/** What became of a wait for an idle server. */
export interface IdleWait {
  /** `unknown`: the server does not tell whether it is busy. */
  readonly state: "idle" | "busy" | "unknown";
  readonly waitedS: number;
  /** Requests that ran or waited when it was last asked; null when it does not tell. */
  readonly requests: number | null;
}

/** How a server is asked, and for how long. */
export interface IdleWaitOptions {
  /** Requests that run and wait; null when it cannot be told. */
  readonly read: (signal?: AbortSignal) => Promise<number | null>;
  /** Default 120 s. */
  readonly timeoutMs?: number | undefined;
  /** Default 500 ms. */
  readonly pollMs?: number | undefined;
  /**
   * Looks in a row that have to say idle. Default 2: several engines publish their gauges only now and then, so that one
   * look may show what was true before the last request came.
   */
  readonly looks?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly now?: (() => number) | undefined;
  readonly wait?: ((ms: number) => Promise<unknown>) | undefined;
}

/** Waits until nothing runs or waits on a server. Gives up at the deadline: then the measurement says that it was not alone. */
export async function waitUntilIdle(options: IdleWaitOptions): Promise<IdleWait> {
  const { read, signal, timeoutMs = 120_000, pollMs = 500, looks = 2 } = options;
  const now = options.now ?? (() => performance.now());
  const wait = options.wait ?? ((ms) => sleep(ms, undefined, { signal }).catch(() => {}));
  const startedAt = now();
  let quiet = 0;
  for (;;) {
    const requests = await read(signal);
    const waitedS = (now() - startedAt) / 1000;
    if (requests === null) return { state: "unknown", waitedS, requests };
    quiet = requests === 0 ? quiet + 1 : 0;
    if (quiet >= looks) return { state: "idle", waitedS, requests };
    if (waitedS * 1000 >= timeoutMs || signal?.aborted === true) return { state: "busy", waitedS, requests };
    await wait(pollMs);
  }
}

/** Running and waiting requests of a server's metrics page; null when it has none or does not tell. */
export function requestsOnPage(
  url: string,
  headers: Readonly<Record<string, string>>,
): IdleWaitOptions["read"] {
  return async () => {
    try {
      const { samples } = await scrapeMetrics(url, { headers });
      const { requestsRunning, requestsWaiting } = readServerLoad(samples);
      return requestsRunning === null && requestsWaiting === null
        ? null
        : (requestsRunning ?? 0) + (requestsWaiting ?? 0);
    } catch {
      return null;
    }
  };
}
